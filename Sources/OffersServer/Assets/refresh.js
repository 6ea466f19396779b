// Refreshing: by a button or by pulling the page down; nothing waits for it.

import {alertBox, problemText, say, toast, unreachable} from "./messages.js?v=__VERSION__";
import {on} from "./events.js?v=__VERSION__";
import {renew} from "./renew.js?v=__VERSION__";

const line = document.querySelector("[data-progress]");
const bar = line.querySelector("progress");
let isRunning = false;
let isPolling = false;
let heardAt = 0;
// How the newest refresh that is known goes, and the last one whose end was told.
let latest = null;
let lastTold = null;

function setBusy(isBusy) {
  for (const button of document.querySelectorAll("[data-refresh]")) {
    if (isBusy) button.setAttribute("aria-busy", "true");
    else button.removeAttribute("aria-busy");
  }
}

/** Begins a refresh. `wishes` are further members of the request. Tells whether it did. */
async function start(feeds, wishes = {}) {
  setBusy(true);
  line.hidden = false;
  bar.removeAttribute("value");
  say("Refreshing");
  try {
    const response = await fetch("/api/v1/sync", {
      method: "POST",
      headers: {"Content-Type": "application/json"},
      body: JSON.stringify({feeds, ...wishes}),
    });
    if (response.status === 409 && wishes.source) {
      fail("A refresh is running already. Wait until it has ended.", feeds, wishes);
    } else if (response.status === 409) {
      toast("A refresh is running already.");
    } else if (!response.ok) {
      fail(await problemText(response), feeds, wishes);
      return false;
    }
    const begun = response.ok ? await response.json() : await ask();
    isRunning = true;
    // More of it may have been heard before this answer came.
    show(isSame(begun, latest) ? latest : begun);
    poll();
    return response.ok;
  } catch {
    fail(unreachable, feeds, wishes);
    return false;
  }
}

/** Takes a feed up, and reads it for the first time. */
async function subscribe(feed) {
  try {
    const response = await fetch(`/api/v1/feeds/${encodeURIComponent(feed)}/subscription`, {
      method: "PUT",
      headers: {"Content-Type": "application/json"},
      body: "{}",
    });
    if (!response.ok) return fail(await problemText(response), [feed]);
    start([feed]);
  } catch {
    fail(unreachable, [feed]);
  }
}

/** Reads a feed from another source, and sets how often; all of it or nothing. */
async function change(form) {
  const feed = form.dataset.change;
  const {source, every} = form.elements;
  const isUsual = every.value === "default";
  const text = source.value.trim();
  const isNew = text !== source.defaultValue;
  if (isNew && !(await start([feed], {source: text}))) return;
  try {
    const response = await fetch(`/api/v1/feeds/${encodeURIComponent(feed)}/interval`, {
      method: isUsual ? "DELETE" : "PUT",
      headers: {"Content-Type": "application/json"},
      body: JSON.stringify(isUsual ? {} : {every_seconds: Number(every.value)}),
    });
    if (!response.ok) return alertBox("The feed was not changed", await problemText(response));
    form.closest("details").open = false;
    await renew();
    if (!isNew) toast("Saved.");
  } catch {
    alertBox("The feed was not changed", unreachable);
  }
}

function fail(text, feeds, wishes) {
  end();
  alertBox("The refresh could not be started", text, () => start(feeds, wishes));
}

function end() {
  isRunning = false;
  setBusy(false);
  line.hidden = true;
  for (const note of document.querySelectorAll("[data-feed-progress]")) note.hidden = true;
}

/** Asks how it goes where no events come. */
async function poll() {
  if (isPolling) return;
  isPolling = true;
  while (isRunning) {
    await new Promise((resolve) => setTimeout(resolve, 700));
    if (!isRunning || Date.now() - heardAt < 2000) continue;
    try {
      const sync = await ask();
      // The server was started anew meanwhile.
      if (sync?.state === "idle") end();
      else show(sync);
    } catch {
      end();
    }
  }
  isPolling = false;
}

/** How it goes; null where the server does not say now. Fails where it does not say at all. */
async function ask() {
  const response = await fetch("/api/v1/sync");
  if (response.status === 401) throw new Error("The token is not right.");
  return response.ok ? response.json() : null;
}

const running = new Set(["waiting", "reading", "writing"]);

/**
 * Whether something newer is known. What the server says comes by several ways, and not always in
 * the order in which it was said. It counts refreshes from 1 each time that it is started, so that
 * one that began later is newer, too.
 */
function isOutdated(sync) {
  if (!latest || sync.id > latest.id || sync.started_at > latest.started_at) return false;
  return !isSame(sync, latest) || (latest.state === "done" && sync.state === "running");
}

const isSame = (one, other) => one?.id === other?.id && one?.started_at === other?.started_at;

/** Shows how it goes, as far as is known. */
function show(heard) {
  if (!heard || heard.state === "idle") return;
  const sync = isOutdated(heard) ? latest : heard;
  latest = sync;
  if (sync.state === "running") {
    isRunning = true;
    setBusy(true);
    line.hidden = false;
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
  const kinds = ["offers", "feed", "changes", "settings"];
  const isList = kinds.some((kind) => document.body.classList.contains(`page-${kind}`));
  // Nothing moves under the eyes of somebody who reads further down.
  if (isList && (scrollY < 200 || document.body.classList.contains("page-settings"))) renew();
  if (sync.error) {
    alertBox("The refresh failed", [sync.error.message, sync.error.hint].filter(Boolean).join(" "));
  } else if (failed.length > 0) {
    const reasons = failed.map((feed) => {
      const error = feed.error ?? feed.run?.error;
      return `${feed.feed}: ${error?.message ?? "failed"}`;
    });
    const rest = reasons.length > 3 ? ` And ${reasons.length - 3} more.` : "";
    alertBox(
      failed.length === sync.feeds.length ? "The refresh failed" : "Some feeds could not be refreshed",
      reasons.slice(0, 3).join(" ") + rest,
    );
  }
  if (parts.length > 0) {
    toast(`Refreshed: ${parts.join(", ")}.`, {label: "Show", run: () => location.assign("/changes")});
  } else if (failed.length === 0 && !sync.error) {
    toast("Refreshed. Nothing is new.");
  }
}

document.addEventListener("submit", (event) => {
  if ("change" in event.target.dataset) {
    event.preventDefault();
    return change(event.target);
  }
  const button = event.submitter ?? event.target.querySelector?.("button");
  if (!button) return;
  if ("refresh" in button.dataset) {
    event.preventDefault();
    if (button.getAttribute("aria-busy") === "true") return;
    start(
      button.dataset.refresh ? [button.dataset.refresh] : [],
      "accepts" in button.dataset ? {accept_removals: true} : {});
  } else if ("subscribe" in button.dataset) {
    event.preventDefault();
    subscribe(button.dataset.subscribe);
  }
});
on("sync", (sync) => {
  heardAt = Date.now();
  show(sync);
});
on("state", (isUp) => {
  // It may be started anew, with another clock.
  if (!isUp) latest = null;
});

// Pulling the page down at its top refreshes.
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
    pull.sign = document.createElement("div");
    pull.sign.className = "pull";
    const icon = document.querySelector(".bar-refresh .icon").cloneNode(true);
    pull.sign.append(icon);
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
    // A touch stays with what it began on, also when that is put anew and is on the page no more.
    target.addEventListener("touchmove", pullOn, options);
    target.addEventListener("touchcancel", letGo, options);
    target.addEventListener(
      "touchend",
      () => {
        const isFar = pull.way >= limit;
        letGo();
        if (isFar) start([]);
      },
      options,
    );
  },
  {passive: true},
);
