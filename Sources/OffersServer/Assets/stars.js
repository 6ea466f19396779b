// The stars. A press changes a star immediately, in this and in all other tabs, and is sent to the
// server as a wish (see pending-stars.js). Wishes that cannot be sent are stored and sent when the server
// answers again, for each offer only the newest one.

import {alertBox, problemIn, toast} from "./messages.js?v=__VERSION__";
import {isLoggedOut, isReachable, noteReachable, on} from "./server-events.js?v=__VERSION__";
import {pageAddress} from "./dialogs.js?v=__VERSION__";
import {encodeRef, inTurn, readPage, request, send as change} from "./requests.js?v=__VERSION__";
import {forget, keep, waiting} from "./pending-stars.js?v=__VERSION__";
import {ownName} from "./base-path.js?v=__VERSION__";

/** The channel between the tabs. An open one would exclude the page from the back/forward cache. */
let channel;

function openChannel() {
  channel = new BroadcastChannel(ownName("offers-stars"));
  channel.onmessage = ({data: {ref, isFavorite}}) => {
    show(ref, isFavorite);
    if (isFavorite) completeFavorites();
  };
}
openChannel();
addEventListener("pagehide", () => {
  channel.close();
  channel = null;
});
addEventListener("pageshow", ({persisted}) => {
  if (persisted) openChannel();
});

function press(button, isFavorite) {
  const text = String(isFavorite);
  if (button.getAttribute("aria-pressed") === text) return;
  button.setAttribute("aria-pressed", text);
  const field = button.form?.elements.favorite;
  if (field) field.value = isFavorite ? "0" : "1";
  if (button.closest("[data-favorites]")) addToCount(isFavorite ? 1 : -1);
}

/** Changes the count on the page of favorites, where an unstarred card stays until it is left, and removes the total. */
function addToCount(more) {
  const count = document.querySelector(".count");
  const number = Number.parseInt(count?.textContent.replaceAll(",", ""), 10) + more;
  if (number >= 0) count.textContent = `${number.toLocaleString("en-US")} favorite${number === 1 ? "" : "s"}`;
  document.querySelector("[data-total]")?.remove();
}

/** Sets all stars of an offer on the page. */
function show(ref, isFavorite) {
  for (const button of document.querySelectorAll(`[data-star="${CSS.escape(ref)}"]`)) press(button, isFavorite);
}

/** The toast that says that a star waits; null for none. */
let told = null;

async function wish(ref, isFavorite) {
  show(ref, isFavorite);
  const {stamp} = await keep(ref, isFavorite);
  channel?.postMessage({ref, isFavorite});
  await send();
  // Only the press shows a message; later attempts are silent.
  if ((await waiting()).some((each) => each.stamp === stamp)) {
    const when = isLoggedOut() ? "once you log in again" : "when the server answers again";
    told = toast(`Saved on this device. It is sent ${when}.`);
  }
}

/** Sends all wishes, one after the other. A lock, which needs HTTPS, has one tab at a time do so. */
export const send = inTurn(() =>
  navigator.locks ? navigator.locks.request(ownName("offers-stars"), sendAll) : sendAll());

async function sendAll() {
  const tried = new Set();
  let isAnswering = null;
  let wasSent = false;
  for (;;) {
    const next = (await waiting()).find((each) => !tried.has(each.stamp));
    if (!next) break;
    const {ref, isFavorite, user} = next;
    tried.add(next.stamp);
    const response = await change(
      isFavorite ? "PUT" : "DELETE", `/offers/${encodeRef(ref)}/favorite`, {}, {user, keepalive: true}).catch(() => null);
    if (response?.ok) {
      isAnswering ??= true;
      wasSent = true;
      learn([{ref, favorite: isFavorite}]);
      sent.add(ref);
      // A request that is under way may have been answered before the change.
      if (question) compare();
      await forget(next);
    } else if (response && isOfAnother(response, next)) {
      // The user who pressed the star is not logged in any more.
      await forget(next);
    } else if (response && (await isRefusal(response))) {
      isAnswering ??= true;
      await forget(next);
      show(ref, !isFavorite);
      channel?.postMessage({ref, isFavorite: !isFavorite});
      alertBox("The star could not be changed", await problemIn(response));
    } else {
      // The wish stays. A status of 500 may concern this offer only; any other failure ends the run.
      isAnswering = false;
      if (response?.status !== 500) break;
    }
  }
  if (isAnswering !== null) noteReachable(isAnswering);
  if (!wasSent) return;
  if (told?.isConnected) toast("The server has your stars.");
  told = null;
  if (known.favorites) keepFavorites();
  else compare();
}

/** Whether a response is for another user than a wish. */
function isOfAnother(response, wish) {
  const user = response.headers.get("X-Offers-User");
  return response.status === 409 && user !== null && user !== wish.user;
}

/** Whether a response is a permanent refusal, which would not change with another attempt. */
async function isRefusal(response) {
  if (response.status !== 409) return [400, 404, 415].includes(response.status);
  // A lock of the database by another process is temporary.
  const problem = await response.clone().json().catch(() => null);
  return problem?.code !== "locked";
}

/** The favorites that the server reported last, and the ETag of that response. */
let known = {tag: null, favorites: null};

/** The offers whose stars this page has sent. The event of an earlier press may follow the response to a later one. */
const sent = new Set();

/** Applies changes that the server has made to the known favorites. */
function learn(changes) {
  if (!known.favorites) return;
  const favorites = new Set(known.favorites);
  for (const {ref, favorite} of changes) {
    if (favorite) favorites.add(ref);
    else favorites.delete(ref);
  }
  known = {tag: null, favorites};
}

/** Sets the stars in parts of the page: by the wishes, and else by the known favorites. */
export async function showStars(...parts) {
  const wishes = new Map((await waiting()).map((each) => [each.ref, each.isFavorite]));
  for (const part of parts) {
    for (const button of part.querySelectorAll("[data-star]")) {
      const ref = button.dataset.star;
      const isFavorite = wishes.get(ref) ?? known.favorites?.has(ref);
      if (isFavorite !== undefined) press(button, isFavorite);
    }
  }
}

// The request for the favorites that is under way; null for none.
let question = null;
let isOutOfDate = false;
// Whether the last request failed, so that the known favorites may lack changes.
let isStale = false;

/**
 * Requests the favorites, and updates the stars if they differ: most commits leave the favorites unchanged. There is
 * one request at a time, so that a late response cannot overwrite a newer one. If forced, a running request is aborted
 * and all stars are updated.
 */
export function compare(isForced = true) {
  if (isForced) {
    isOutOfDate = true;
    question?.abort();
  }
  return compareInTurn();
}

const compareInTurn = inTurn(async () => {
  const isForced = isOutOfDate;
  isOutOfDate = false;
  question = new AbortController();
  const answer = await askForFavorites(question.signal).catch(() => null);
  question = null;
  isStale = !answer;
  if (isOutOfDate) return;
  const isNew = Boolean(answer?.favorites);
  if (isNew) known = answer;
  if (isNew || isForced || !answer) await showStars(document);
  if (isNew) keepFavorites();
});

/** Requests the favorites, with the ETag of the response; neither if they have not changed. Null for an outdated response. */
async function askForFavorites(signal) {
  const response = await request("/api/v1/favorites", {
    headers: known.tag ? {"If-None-Match": known.tag} : {}, signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
  });
  if (response.status === 304) return {};
  // A response from the service worker is older than what the server has reported.
  const isKept = response.headers.has("X-Kept");
  if (!response.ok || (isKept && known.favorites)) return null;
  return {tag: isKept ? null : response.headers.get("ETag"), favorites: new Set((await response.json()).favorites)};
}

/** Applies the changes of favorites that an event told, which needs no request. */
async function follow({user, favorites}) {
  const isOwn = user === document.body.dataset.user;
  if (isOwn && favorites.length === 0) return;
  // Another tab may have logged in another user, and the response to a running request may be from before them.
  if (!isOwn || !known.favorites || question || isStale) return compare();
  const news = favorites.filter(({ref, favorite}) => known.favorites.has(ref) !== favorite);
  if (news.length === 0) return;
  if (news.some(({ref}) => sent.has(ref))) return compare();
  learn(news);
  await showStars(document);
  keepFavorites();
}

/** Has the service worker store the favorites, and adds new ones to the page of favorites. */
function keepFavorites() {
  const message = {kind: "favorites", refs: [...known.favorites], user: document.body.dataset.user};
  navigator.serviceWorker?.ready.then(({active}) => active?.postMessage(message));
  completeFavorites();
}

/** Appends new favorites to the first page of favorites, unless it has further pages. */
async function completeFavorites() {
  const list = document.querySelector("[data-favorites]");
  if (!list || location.search.includes("page=") || document.querySelector("[data-more]")) return;
  const shown = () => new Set([...list.children].map((card) => card.dataset.ref));
  const wishes = await waiting();
  const wanted = new Set([...(known.favorites ?? []), ...wishes.filter(({isFavorite}) => isFavorite).map(({ref}) => ref)]);
  if (wanted.isSubsetOf(shown())) return;
  // The server does not know the wishes: the service worker makes the page from its own data.
  const response = await fetch(pageAddress(), wishes.length > 0 ? {headers: {"X-From-Store": "1"}} : {}).catch(() => null);
  // Without an answer the page stays as it is until the next one.
  if (!response?.ok) return;
  const fresh = await readPage(response);
  // A concurrent call may have appended some of them.
  const present = shown();
  for (const card of fresh.querySelectorAll("[data-favorites] > *")) {
    if (!present.has(card.dataset.ref)) list.append(document.adoptNode(card));
  }
  if (list.firstElementChild) document.querySelector("main .empty")?.remove();
  document.querySelector(".count")?.replaceChildren(fresh.querySelector(".count")?.textContent ?? "");
}

document.addEventListener("submit", (event) => {
  const button = event.target.querySelector?.("[data-star]");
  if (!button) return;
  event.preventDefault();
  const star = event.submitter ?? button;
  const isFavorite = button.getAttribute("aria-pressed") !== "true";
  star.classList.remove("is-popping");
  // The motion begins anew only after a frame without the class.
  if (isFavorite) requestAnimationFrame(() => star.classList.add("is-popping"));
  wish(button.dataset.star, isFavorite);
});

// A null change means that events may have been missed, so that the comparison is forced.
on("changed", (commit) => compare(commit === null));
on("favorites", follow);
on("state", (isUp) => (isUp ? send() : compare()));
addEventListener("online", send);
// The event stream reconnects with a delay; wishes are retried independently of it.
setInterval(async () => {
  if (!isReachable() && (await waiting()).length > 0) send();
}, 4000);
