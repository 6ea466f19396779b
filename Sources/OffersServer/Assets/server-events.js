// The server-sent events: commits to the database and the progress of a refresh.
//
// One tab listens, elected by a Web Lock, and broadcasts the events to the others, because browsers
// limit the number of connections to a server. Without Web Locks or BroadcastChannel, each visible
// tab listens.

import {addressOf, ownName} from "./base-path.js?v=__VERSION__";

const canShare = Boolean(navigator.locks) && "BroadcastChannel" in self;
const channel = openChannel("offers-events", hear);
const handlers = {changed: [], favorites: [], sync: [], state: [], login: []};
let source = null;
// The version of the data that the last event told; null if it told none.
let version = null;
let release = null;
let waiting = null;
let reopening = null;
let reachable = null;
let isOut = false;
let isHidden = false;

/**
 * Opens a channel between the tabs, whose messages `receive` gets. It is closed while the page is hidden
 * in the back/forward cache: a message to an open one would evict the page.
 */
export function openChannel(name, receive) {
  let channel = null;
  function open() {
    if (channel || !("BroadcastChannel" in self)) return;
    channel = new BroadcastChannel(ownName(name));
    channel.addEventListener("message", ({data}) => receive(data));
  }
  addEventListener("pageshow", open);
  addEventListener("pagehide", () => {
    channel?.close();
    channel = null;
  });
  open();
  return {send: (data) => channel?.postMessage(data)};
}

/**
 * Adds a handler of `changed` (a commit; its argument is null if events may have been missed), of
 * `favorites` (a commit that changed nothing else of a user: the number `user`, and `favorites` with `ref` and
 * `favorite`), of
 * `sync` (the progress of a refresh), of `state` (whether the server answers this user) or of `login`
 * (whether the server answers, but requires a login).
 */
export function on(kind, run) {
  handlers[kind].push(run);
}

export const isReachable = () => reachable !== false;

/** Whether the session of this browser has ended, as by a new passphrase. */
export const isLoggedOut = () => isOut;

function emit(kind, data, isOwn = true) {
  if (kind === "login") {
    if (data === isOut) return;
    isOut = data;
  }
  if (kind === "state") {
    if (data) emit("login", false, isOwn);
    if (data === reachable) return;
    reachable = data;
  }
  for (const run of handlers[kind]) run(data);
  if (isOwn) channel.send({kind, data});
}

/** Records whether the server has answered a request, and tells the handlers of all tabs. */
export function noteReachable(data) {
  emit("state", data);
}

/** Records that the server has refused a request because it requires a login. */
export function noteLoggedOut() {
  emit("login", true);
  emit("state", false);
}

/** Finds out whether the event stream ended with the session. An event source does not tell the status. */
async function findOut() {
  const response = await fetch(addressOf("/api/v1/sync"), {cache: "no-store"}).catch(() => null);
  if (response?.status === 401) noteLoggedOut();
}

function open() {
  close();
  source = new EventSource(addressOf("/api/v1/events"));
  source.addEventListener("open", () => emit("state", true));
  source.addEventListener("changed", (event) => noteCommit(parse(event.data)));
  source.addEventListener("sync", (event) => emit("sync", parse(event.data)));
  source.addEventListener("error", () => {
    if (isHidden) return;
    emit("state", false);
    // The browser reconnects by itself unless the response was an error.
    if (source?.readyState === EventSource.CLOSED) reopening = setTimeout(open, 3000);
    findOut();
  });
}

/** Tells the handlers what a commit changed. Favorites alone count only behind the event before them. */
function noteCommit(commit) {
  const isNext = version !== null && commit?.previous === version;
  version = commit?.version ?? null;
  if (isNext && commit.favorites) emit("favorites", commit);
  else emit("changed", commit);
}

function close() {
  version = null;
  clearTimeout(reopening);
  source?.close();
  source = null;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function start() {
  isHidden = false;
  if (canShare) {
    waiting = new AbortController();
    navigator.locks.request(ownName("offers-events"), {signal: waiting.signal}, () => {
      if (isHidden) return;
      open();
      return new Promise((resolve) => {
        release = resolve;
      });
    }).catch(() => {
      // The page was left before its turn came.
    });
    channel.send({kind: "hello"});
  } else if (document.visibilityState === "visible") {
    open();
  }
}

function stop() {
  isHidden = true;
  close();
  waiting?.abort();
  release?.();
  release = null;
}

function hear({kind, data}) {
  if (kind === "hello") {
    if (!source || reachable === null) return;
    channel.send({kind: "login", data: isOut});
    channel.send({kind: "state", data: reachable});
  } else if (kind in handlers) {
    emit(kind, data, false);
  }
}

// Open connections and locks would exclude the page from the back/forward cache.
addEventListener("pagehide", stop);
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  reachable = null;
  start();
  for (const run of handlers.changed) run(null);
});
document.addEventListener("visibilitychange", () => {
  if (canShare) return;
  if (document.visibilityState === "visible") start();
  else close();
});
