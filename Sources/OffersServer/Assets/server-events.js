// The server-sent events: commits to the database and the progress of a refresh. Only a visible page listens, because
// browsers limit the number of connections to a server.

import {addressOf} from "./base-path.js?v=__VERSION__";

const handlers = {changed: [], favorites: [], sync: [], state: []};
let source = null;
// The version of the data that the last event told.
let version;
let reopening;
let reachable = null;
let isOut = false;

/**
 * Adds a handler of `changed` (a commit; its argument is null if events may have been missed), of `favorites` (a
 * commit that changed nothing else of a user: the number `user`, and `favorites` with `ref` and `favorite`), of
 * `sync` (the progress of a refresh) or of `state` (whether the server answers this user).
 */
export const on = (kind, run) => handlers[kind].push(run);

export const isReachable = () => reachable !== false;

/** Whether the session of this browser has ended, as by a new passphrase. */
export const isLoggedOut = () => isOut;

function tell(kind, data) {
  for (const run of handlers[kind]) run(data);
}

function note(isUp, asksLogin) {
  if (isUp === reachable && asksLogin === isOut) return;
  [reachable, isOut] = [isUp, asksLogin];
  tell("state", isUp);
}

/** Records whether the server has answered a request. */
export const noteReachable = (isUp) => note(isUp, isOut && !isUp);

/** Records that the server has refused a request because it requires a login. */
export const noteLoggedOut = () => note(false, true);

export function start() {
  if (document.visibilityState !== "visible") return stop();
  if (source) return;
  source = new EventSource(addressOf("/api/v1/events"));
  source.addEventListener("open", () => noteReachable(true));
  source.addEventListener("changed", ({data}) => noteCommit(JSON.parse(data)));
  source.addEventListener("sync", ({data}) => tell("sync", JSON.parse(data)));
  source.addEventListener("error", async ({target}) => {
    if (target !== source) return;
    noteReachable(false);
    // The browser reconnects by itself unless the response was an error, whose status it does not tell.
    if (target.readyState === EventSource.CLOSED) {
      reopening = setTimeout(() => {
        source = null;
        start();
      }, 3000);
    }
    const response = await fetch(addressOf("/api/v1/sync"), {cache: "no-store"}).catch(() => null);
    if (response?.status === 401) noteLoggedOut();
  });
}

function stop() {
  clearTimeout(reopening);
  source?.close();
  source = null;
}

/**
 * Tells the handlers what a commit changed. The first event of a page has them ask for all that they need, once. Favorites alone
 * count only behind the event before them.
 */
function noteCommit(commit) {
  if (commit.version === version) return;
  const isNext = commit.previous === version;
  version = commit.version;
  tell(isNext && commit.favorites ? "favorites" : "changed", commit);
}

// An open connection would exclude the page from the back/forward cache.
addEventListener("pagehide", stop);
addEventListener("pageshow", ({persisted}) => {
  if (!persisted) return;
  reachable = null;
  start();
  tell("changed", null);
});
document.addEventListener("visibilitychange", start);
