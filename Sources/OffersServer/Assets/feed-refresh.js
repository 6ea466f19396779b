// Refreshes: syncs of feeds, started by a button or by pulling the page down. A refresh runs in the
// background on the server.

import {alertBox, problemIn, say, toast, unreachable} from "./messages.js?v=__VERSION__";
import {icon, isBusy, make, setBusy} from "./elements.js?v=__VERSION__";
import {send} from "./requests.js?v=__VERSION__";
import {isReachable, noteLoggedOut, on} from "./server-events.js?v=__VERSION__";
import {addressOf} from "./base-path.js?v=__VERSION__";

const line = document.querySelector("[data-progress]");
const bar = line.querySelector("progress");
let isRunning = false;
let isPolling = false;
let heardAt = 0;
// `latest` is the status of the newest known refresh, `lastTold` that of the last refresh whose end
// was shown.
let latest = null;
let lastTold = null;

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
    follow(response.ok ? await response.json() : await ask());
    return response.ok;
  } catch {
    fail(unreachable, feeds, options);
    return false;
  }
}

/** Shows a refresh until its end, and its result even if it has ended already. */
function follow(begun) {
  isRunning = true;
  // Events with later progress may have arrived before this status.
  show(isSame(begun, latest) ? latest : begun);
  poll();
}

/** Follows the refresh that the server started when it added a feed. */
export async function followAdded() {
  const begun = await ask().catch(() => null);
  if (begun && begun.state !== "idle") follow(begun);
}

/** Tells that a refresh could not be started. */
export function fail(text, feeds, options) {
  end();
  alertBox("The refresh could not be started", text, () => start(feeds, options));
}

function end() {
  isRunning = false;
  showBusy(false);
  for (const note of document.querySelectorAll("[data-feed-progress]")) note.hidden = true;
}

/** Polls the status of a running refresh whenever no event has arrived for two seconds. */
async function poll() {
  if (isPolling) return;
  isPolling = true;
  while (isRunning) {
    await new Promise((resolve) => setTimeout(resolve, 700));
    if (!isRunning || Date.now() - heardAt < 2000) continue;
    try {
      const sync = await ask();
      // An idle server was restarted since the refresh began.
      if (sync?.state === "idle") end();
      else show(sync);
    } catch {
      end();
    }
  }
  isPolling = false;
}

/**
 * Requests the status of the refresh. Returns null for an error response, and throws if the server
 * does not answer or requires the token again.
 */
async function ask() {
  const response = await fetch(addressOf("/api/v1/sync"));
  if (response.status === 401) {
    noteLoggedOut();
    throw new Error("The server requires a login.");
  }
  return response.ok ? response.json() : null;
}

const running = new Set(["waiting", "reading", "writing"]);

/**
 * Whether a status is older than the latest one. Statuses arrive as responses and as events, not
 * always in their order. The ids of refreshes restart from 1 with the server, so that a refresh is
 * newer by a larger id or by a later start.
 */
function isOutdated(sync) {
  if (!latest || sync.id > latest.id || sync.started_at > latest.started_at) return false;
  return !isSame(sync, latest) || (latest.state === "done" && sync.state === "running");
}

const isSame = (one, other) => one?.id === other?.id && one?.started_at === other?.started_at;

/** Shows a status of the refresh, or the latest one if it is outdated. */
function show(heard) {
  if (!heard || heard.state === "idle") return;
  const sync = isOutdated(heard) ? latest : heard;
  latest = sync;
  if (sync.state === "running") {
    isRunning = true;
    showBusy(true);
    bar.setAttribute("aria-label", "Refresh");
    const share = sync.feeds.map(shareOf);
    if (share.every((each) => each === 0)) bar.removeAttribute("value");
    else bar.value = share.reduce((sum, each) => sum + each, 0) / Math.max(1, share.length);
    for (const feed of sync.feeds) {
      const row = document.querySelector(`[data-feed="${CSS.escape(feed.feed)}"]`);
      const note = row?.querySelector("[data-feed-progress]");
      if (!note) continue;
      note.hidden = !running.has(feed.state);
      note.textContent = stateWords(feed);
    }
    poll();
  } else if (isRunning) {
    end();
    if (!isSame(sync, lastTold)) finish(sync);
    lastTold = sync;
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

function finish(sync) {
  const sum = (name) =>
    sync.feeds.reduce((total, feed) => total + (feed.run?.counts?.[name] ?? feed.run?.[name] ?? 0), 0);
  const parts = ["new", "changed", "gone", "back"]
    .map((name) => [sum(name), name])
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count.toLocaleString("en")} ${name}`);
  const failed = sync.feeds.filter((feed) => feed.state === "failed");
  const kinds = ["offers", "feed", "changes", "settings-feeds"];
  const isList = kinds.some((kind) => document.body.classList.contains(`page-${kind}`));
  // A list is not replaced while a person reads further down.
  if (isList && (scrollY < 200 || document.body.classList.contains("page-settings-feeds"))) {
    import("./page-update.js?v=__VERSION__").then(({renew}) => renew());
  }
  if (sync.error) {
    const details = [sync.error.message, sync.error.hint].filter(Boolean).join(" ");
    alertBox("The refresh failed", {text: "All offers stay as they were.", details});
  } else if (failed.length > 0) {
    const reasons = failed.map((feed) => {
      const error = feed.error ?? feed.run?.error;
      return `${feed.feed}: ${error?.message ?? "failed"}`;
    });
    const rest = reasons.length > 3 ? ` And ${reasons.length - 3} more.` : "";
    const names = failed.slice(0, 3).map(({feed}) => feed).join(", ") + (failed.length > 3 ? " …" : "");
    alertBox(
      failed.length === sync.feeds.length ? "The refresh failed" : "Some feeds could not be refreshed",
      {text: `The offers of ${names} stay as they were.`, details: reasons.slice(0, 3).join(" ") + rest},
      () => start(failed.map(({feed}) => feed)),
    );
  }
  if (parts.length > 0) {
    toast(`Refreshed: ${parts.join(", ")}.`, {label: "Show", run: () => location.assign(addressOf("/changes"))});
  } else if (failed.length === 0 && !sync.error) {
    toast("Refreshed. Nothing has changed.");
  }
}

/** Runs a function of the forms of the settings, which other pages do not load. */
async function inForms(name, ...values) {
  (await import("./feed-forms.js?v=__VERSION__"))[name](...values);
}

document.addEventListener("submit", (event) => {
  if ("change" in event.target.dataset) {
    event.preventDefault();
    return inForms("change", event.target);
  }
  const button = event.submitter ?? event.target.querySelector?.("button");
  if (!button) return;
  if ("refresh" in button.dataset) {
    // Without the server, app.js says so about these as about every other form that needs it.
    if (("accepts" in button.dataset || "keeps" in button.dataset) && !isReachable()) return;
    event.preventDefault();
    if (isBusy(button)) return;
    start(
      button.dataset.refresh ? [button.dataset.refresh] : [],
      "accepts" in button.dataset
        ? {accept_removals: true} : "keeps" in button.dataset ? {keep_missing: true} : {});
  } else if ("subscribe" in button.dataset) {
    event.preventDefault();
    inForms("subscribe", button.dataset.subscribe);
  } else if ("unsubscribe" in button.dataset) {
    event.preventDefault();
    inForms("unsubscribe", button.dataset.unsubscribe, button.dataset.title);
  }
});
on("sync", (sync) => {
  heardAt = Date.now();
  show(sync);
});
on("state", (isUp) => {
  // A restarted server may have another clock, so that its refreshes may seem older.
  if (!isUp) latest = null;
});

// Pull to refresh. `limit` is the distance in pixels from which on the release of a pull refreshes,
// `pull` the current pull.
const limit = 72;
let pull = null;

function letGo() {
  pull?.sign?.remove();
  pull?.listening.abort();
  pull = null;
}

function pullOn({touches}) {
  pull.way = Math.max(0, Math.min(120, (touches[0].clientY - pull.y) * 0.5));
  if (pull.way < 8 && !pull.sign) return;
  if (!pull.sign) {
    pull.sign = make("div", {className: "pull"}, icon("i-refresh"));
    document.body.append(pull.sign);
  }
  pull.sign.style.opacity = Math.min(1, pull.way / limit);
  pull.sign.style.transform = `translateY(${pull.way}px) rotate(${pull.way * 3}deg)`;
}

addEventListener(
  "touchstart",
  ({target, touches}) => {
    letGo();
    const isElsewhere = target.closest?.(".map, dialog, iframe, .chips, input, select");
    if (scrollY > 0 || touches.length !== 1 || isRunning || isElsewhere) return;
    const listening = new AbortController();
    const options = {passive: true, signal: listening.signal};
    pull = {y: touches[0].clientY, sign: null, way: 0, listening};
    // Touch events are dispatched to the element where the touch began, even after its removal from
    // the page.
    target.addEventListener("touchmove", pullOn, options);
    target.addEventListener("touchcancel", letGo, options);
    target.addEventListener(
      "touchend",
      () => {
        const isFar = pull.way >= limit;
        letGo();
        const feed = document.querySelector("[data-feed-page]")?.dataset.feedPage;
        if (isFar) start(feed ? [feed] : []);
      },
      options,
    );
  },
  {passive: true},
);
