// Refreshes: syncs of feeds, started by a button or by pulling the page down. A refresh runs in the
// background on the server.

import {alertBox, problemIn, say, toast, unreachable} from "./messages.js?v=__VERSION__";
import {icon, isBusy, make, setBusy} from "./elements.js?v=__VERSION__";
import {inTurn, request, send} from "./requests.js?v=__VERSION__";
import {isReachable, on} from "./server-events.js?v=__VERSION__";
import {addressOf} from "./base-path.js?v=__VERSION__";

const line = document.querySelector("[data-progress]");
const bar = line.querySelector("progress");
// Whether this page has started a refresh, or has seen one running, whose end it has not told.
let isFollowing = false;
// The id and the start of the last refresh whose end was told. The ids restart from 1 with the server.
let told = "";

/** Shows, or no longer, that a refresh is under way. */
function showBusy(isRefreshing) {
  line.hidden = !isRefreshing;
  for (const button of document.querySelectorAll("[data-refresh]")) setBusy(button, isRefreshing);
}

/**
 * Starts a refresh of `feeds`, or of all for an empty list. Returns whether it was started.
 * `options` are further members of the request.
 */
export async function start(feeds, options = {}) {
  showBusy(true);
  bar.removeAttribute("value");
  say("Refreshing");
  try {
    const response = await send("POST", "/sync", {feeds, ...options});
    if (response.status === 409 && options.source) {
      fail("A refresh is already running. Wait until it has finished.", feeds, options);
    } else if (response.status === 409) {
      toast("A refresh is already running.");
    } else if (!response.ok) {
      fail(await problemIn(response), feeds, options);
      return false;
    }
    followRefresh();
    return response.ok;
  } catch {
    fail(unreachable, feeds, options);
    return false;
  }
}

/** Follows a refresh until its end, and tells its result if this page has seen it running. */
const follow = inTurn(async () => {
  for (;;) {
    const response = await request("/api/v1/sync").catch(() => null);
    const sync = response?.ok ? await response.json() : null;
    if (sync?.state === "running") {
      isFollowing = true;
      show(sync);
    } else {
      const name = isFollowing && sync ? `${sync.id} ${sync.started_at}` : told;
      end();
      // An idle server was restarted since the refresh began.
      if (name !== told && sync.state !== "idle") finish(sync);
      told = name;
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
});

/** Follows a refresh that the server has started, and tells its result. */
export function followRefresh() {
  isFollowing = true;
  follow();
}

/** Tells that a refresh could not be started. */
function fail(text, feeds, options) {
  end();
  alertBox("The refresh could not be started", text, () => start(feeds, options));
}

function end() {
  isFollowing = false;
  showBusy(false);
  for (const note of document.querySelectorAll("[data-feed-progress]")) note.hidden = true;
}

const running = new Set(["waiting", "reading", "writing"]);

/** Shows how far a refresh is. */
function show({feeds}) {
  showBusy(true);
  bar.setAttribute("aria-label", "Refresh");
  const share = feeds.reduce((sum, feed) => sum + shareOf(feed), 0) / Math.max(1, feeds.length);
  if (share === 0) bar.removeAttribute("value");
  else bar.value = share;
  for (const feed of feeds) {
    const note = document.querySelector(`[data-feed="${CSS.escape(feed.feed)}"] [data-feed-progress]`);
    if (!note) continue;
    note.hidden = !running.has(feed.state);
    note.textContent = stateWords(feed);
  }
}

function shareOf(feed) {
  if (feed.state === "done" || feed.state === "failed") return 1;
  if (feed.state === "writing") return 0.9;
  return feed.total_bytes ? Math.min(0.85, feed.bytes / feed.total_bytes) : 0;
}

function stateWords(feed) {
  if (feed.state === "waiting") return "Waiting …";
  if (feed.state === "writing") return `Writing ${feed.records.toLocaleString("en")} records …`;
  return `Reading … ${feed.records.toLocaleString("en")} records`;
}

function finish({feeds, error}) {
  const parts = ["new", "changed", "gone", "back"]
    .map((name) => [feeds.reduce((sum, {run}) => sum + (run?.counts?.[name] ?? run?.[name] ?? 0), 0), name])
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count.toLocaleString("en")} ${name}`);
  const failed = feeds.filter(({state}) => state === "failed");
  const isAt = (kind) => document.body.classList.contains(`page-${kind}`);
  // A list is not replaced while a person reads further down.
  if (isAt("settings-feeds") || (scrollY < 200 && ["offers", "feed", "changes"].some(isAt))) {
    import("./page-update.js?v=__VERSION__").then(({renew}) => renew());
  }
  if (error) {
    const details = [error.message, error.hint].filter(Boolean).join(" ");
    alertBox("The refresh failed", {text: "All offers stay as they were.", details});
  } else if (failed.length > 0) {
    const reasons = failed.map((each) => `${each.feed}: ${(each.error ?? each.run?.error)?.message ?? "failed"}`);
    const rest = reasons.length > 3 ? ` And ${reasons.length - 3} more.` : "";
    const {server_words: words, hint} = failed[0].error ?? failed[0].run?.error ?? {};
    const names = failed.slice(0, 3).map(({feed}) => feed).join(", ") + (failed.length > 3 ? " …" : "");
    alertBox(
      failed.length === feeds.length ? "The refresh failed" : "Some feeds could not be refreshed",
      {text: words ? `“${words}” ${hint ?? ""}` : `The offers of ${names} stay as they were.`, details: reasons.slice(0, 3).join(" ") + rest},
      () => start(failed.map(({feed}) => feed)),
    );
  }
  if (parts.length > 0) {
    toast(`Refreshed: ${parts.join(", ")}.`, {label: "Show", run: () => location.assign(addressOf("/changes"))});
  } else if (failed.length === 0 && !error) {
    toast("Refreshed. Nothing has changed.");
  }
}

/** Runs a function of the forms of the settings, which other pages do not load. */
async function inForms(name, ...values) {
  (await import("./feed-forms.js?v=__VERSION__"))[name](...values);
}

document.addEventListener("submit", (event) => {
  const {dataset: form} = event.target;
  const button = event.submitter ?? event.target.querySelector?.("button");
  const dataset = button?.dataset ?? {};
  const decides = "accepts" in dataset ? {accept_removals: true} : "keeps" in dataset ? {keep_missing: true} : null;
  if ("change" in form) inForms("change", event.target);
  else if ("subscribe" in dataset) inForms("subscribe", dataset.subscribe);
  else if ("unsubscribe" in dataset) inForms("unsubscribe", dataset.unsubscribe, dataset.title);
  // Without the server, app.js says so about a decision as about every other form that needs it.
  else if (!("refresh" in dataset) || (decides && !isReachable())) return;
  else if (!isBusy(button)) start(dataset.refresh ? [dataset.refresh] : [], decides ?? {});
  event.preventDefault();
});
on("sync", ({state}) => {
  if (state === "running" && !isFollowing) followRefresh();
});

// Pull to refresh: the distance in pixels from which on the release of a pull refreshes.
const limit = 72;

addEventListener("touchstart", ({target, touches}) => {
  const isElsewhere = target.closest?.(".map, dialog, iframe, .chips, input, select");
  if (scrollY > 0 || touches.length !== 1 || isFollowing || isElsewhere) return;
  const from = touches[0].clientY;
  const sign = make("div", {className: "pull"}, icon("i-refresh"));
  const ended = new AbortController();
  let way = 0;
  const letGo = ({type}) => {
    ended.abort();
    sign.remove();
    const feed = document.querySelector("[data-feed-page]")?.dataset.feedPage;
    if (type === "touchend" && way >= limit) start(feed ? [feed] : []);
  };
  const pull = (event) => {
    way = Math.max(0, Math.min(120, (event.touches[0].clientY - from) * 0.5));
    if (way >= 8 && !sign.isConnected) document.body.append(sign);
    sign.style.opacity = Math.min(1, way / limit);
    sign.style.transform = `translateY(${way}px) rotate(${way * 3}deg)`;
  };
  // Touch events are dispatched to the element where the touch began, even after its removal from the page.
  for (const [kind, run] of [["touchmove", pull], ["touchend", letGo], ["touchcancel", letGo], ["touchstart", letGo]]) {
    target.addEventListener(kind, run, {passive: true, signal: ended.signal});
  }
}, {passive: true});
