// The stars. A press changes a star immediately, in this and in all other tabs, and is sent to the
// server as a wish (see pending-stars.js). Wishes that cannot be sent are stored and sent when the server
// answers again, for each offer only the newest one.

import {alertBox, problemIn, toast} from "./messages.js?v=__VERSION__";
import {isLoggedOut, isReachable, noteLoggedOut, noteReachable, on, openChannel} from "./server-events.js?v=__VERSION__";
import {pageAddress} from "./dialogs.js?v=__VERSION__";
import {inTurn, readPage, send as change} from "./requests.js?v=__VERSION__";
import {forget, keep, waiting} from "./pending-stars.js?v=__VERSION__";
import {addressOf, ownName} from "./base-path.js?v=__VERSION__";

/** The path of an offer, encoded exactly as the server encodes it. */
function offerPath(ref) {
  const name = encodeURIComponent(ref).replace(/%3A/g, ":");
  return `/offers/${name.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)}`;
}

const channel = openChannel("offers-stars", hear);

function press(button, isFavorite) {
  const text = String(isFavorite);
  if (button.getAttribute("aria-pressed") === text) return;
  button.setAttribute("aria-pressed", text);
  const field = button.form?.elements.favorite;
  if (field) field.value = isFavorite ? "0" : "1";
  if (button.closest("[data-favorites]")) addToCount(isFavorite ? 1 : -1);
}

/** Changes the count on the page of favorites, where an unstarred card stays until it is left. */
function addToCount(more) {
  const count = document.querySelector(".count");
  const number = Number.parseInt(count?.textContent.replaceAll(",", ""), 10) + more;
  if (number >= 0) count.textContent = `${number.toLocaleString("en-US")} favorite${number === 1 ? "" : "s"}`;
}

/** Sets all stars of an offer on the page. */
function show(ref, isFavorite) {
  for (const button of document.querySelectorAll(`[data-star="${CSS.escape(ref)}"]`)) {
    press(button, isFavorite);
  }
}

async function wish(ref, isFavorite) {
  show(ref, isFavorite);
  const {stamp} = await keep(ref, isFavorite);
  channel.send({ref, isFavorite});
  const waits = async () => (await waiting()).some((each) => each.stamp === stamp);
  await send();
  // `send` may have joined a run that had already read the list of wishes.
  if (isReachable() && (await waits())) await send();
  // Only the press shows a message; later attempts are silent.
  if (await waits()) {
    const when = isLoggedOut() ? "once you log in again" : "when the server answers again";
    told = toast(`Saved on this device. It is sent ${when}.`);
  }
}

/** The toast that says that a star waits; null for none. */
let told = null;

let sending = null;

/** Sends all wishes, one after the other. A lock ensures that one tab at a time does so. */
export function send() {
  sending ??= (
    navigator.locks ? navigator.locks.request(ownName("offers-stars"), sendAll) : sendAll()
  ).finally(() => {
    sending = null;
  });
  return sending;
}

async function sendAll() {
  const tried = new Set();
  let isAnswering = null;
  let wasSent = false;
  for (;;) {
    const next = (await waiting()).find((each) => !tried.has(each.stamp));
    if (!next) break;
    tried.add(next.stamp);
    const response = await ask(next).catch(() => null);
    if (response?.ok) {
      isAnswering ??= true;
      wasSent = true;
      accept(next.ref, next.isFavorite);
      channel.send({ref: next.ref, isFavorite: next.isFavorite, isAccepted: true});
      await forget(next);
    } else if (response && isOfAnother(response, next)) {
      // The user who pressed the star is not logged in any more.
      await forget(next);
    } else if (response && (await isRefusal(response))) {
      isAnswering ??= true;
      await forget(next);
      show(next.ref, !next.isFavorite);
      channel.send({ref: next.ref, isFavorite: !next.isFavorite});
      alertBox("The star could not be changed", await problemIn(response));
    } else {
      if (response?.status === 401) noteLoggedOut();
      // The wish stays. A status of 500 may concern this offer only; any other failure ends the run.
      isAnswering = false;
      if (response?.status !== 500) break;
    }
  }
  if (isAnswering !== null) noteReachable(isAnswering);
  // While a wish was waiting, its star overrode the favorites that the server reported. Now that
  // wishes were sent, the stars are compared with the server again; the other tabs know what it accepted.
  if (wasSent) {
    if (told?.isConnected) toast("The server has your stars.");
    told = null;
    channel.send({isSent: true});
    compare();
  }
}

const ask = ({ref, isFavorite, user}) =>
  change(isFavorite ? "PUT" : "DELETE", `${offerPath(ref)}/favorite`, {}, {user, keepalive: true});

/** Whether a response is for another user than a wish. */
function isOfAnother(response, wish) {
  const user = response.headers.get("X-Offers-User");
  return response.status === 409 && user !== null && user !== wish.user;
}

/** Whether a response is a permanent refusal, which would not change with another attempt. */
async function isRefusal(response) {
  if (![400, 404, 409, 415].includes(response.status)) return false;
  if (response.status !== 409) return true;
  // A lock of the database by another process is temporary.
  const problem = await response.clone().json().catch(() => null);
  return problem?.code !== "locked";
}

/** The favorites that the server reported last, and the ETag of that response. */
let known = {tag: null, favorites: null};

/**
 * Records a change that the server has accepted. A running request for the favorites may have been
 * answered before the change, so that it is repeated.
 */
function accept(ref, isFavorite) {
  if (known.favorites) {
    const favorites = new Set(known.favorites);
    if (isFavorite) favorites.add(ref);
    else favorites.delete(ref);
    known = {tag: null, favorites};
  }
  if (isComparing) compare();
}

/** Updates the stars when another tab has sent wishes: by a request only if the favorites were never reported. */
function settle() {
  if (!known.favorites || isStale) return compare();
  completeFavorites();
  return showStars(document);
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

let question = null;
let isComparing = false;
let isOutOfDate = false;
// Whether the last request failed, so that the known favorites may lack changes.
let isStale = false;

/**
 * Requests the favorites, and updates the stars if they differ: most commits leave the favorites
 * unchanged. There is one request at a time, so that a late response cannot overwrite a newer
 * one. If forced, a running request is aborted and all stars are updated.
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
  isComparing = true;
  const answer = await askForFavorites();
  isComparing = false;
  isStale = !answer;
  if (isOutOfDate) return;
  const isNew = Boolean(answer?.favorites);
  if (isNew) known = answer;
  if (isNew || isForced || !answer) await showStars(document);
  if (isNew) keepFavorites();
});

/**
 * Requests the favorites. Returns them with the ETag of the response, or the ETag only if they have
 * not changed. Returns null on an error, without a response within ten seconds, and for an outdated
 * response of the service worker.
 */
async function askForFavorites() {
  question = new AbortController();
  const {signal} = question;
  const timer = setTimeout(() => question?.abort(), 10_000);
  try {
    const headers = known.tag ? {"If-None-Match": known.tag} : {};
    const response = await fetch(addressOf("/api/v1/favorites"), {headers, signal});
    const isKept = response.headers.has("X-Kept");
    if (response.status === 401) noteLoggedOut();
    if (!response.ok && response.status !== 304) return null;
    // A response from the cache of the service worker is older than what the server has reported.
    if (isKept && known.favorites) return null;
    const tag = isKept ? null : response.headers.get("ETag");
    if (response.status === 304 || (tag !== null && tag === known.tag)) return {tag};
    return {tag, favorites: new Set((await response.json()).favorites)};
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    question = null;
  }
}

/** Applies the changes of favorites that an event told, which needs no request. */
async function follow(commit) {
  const isOwn = commit.user === document.body.dataset.user;
  if (isOwn && commit.favorites.length === 0) return;
  // Another tab may listen for another user, and the response to a running request may be from before them.
  if (!isOwn || !known.favorites || isComparing || isStale) return compare();
  const news = commit.favorites.filter(({ref, favorite}) => known.favorites.has(ref) !== favorite);
  if (news.length === 0) return;
  const favorites = new Set(known.favorites);
  for (const {ref, favorite} of news) {
    if (favorite) favorites.add(ref);
    else favorites.delete(ref);
  }
  known = {tag: null, favorites};
  await showStars(document);
  keepFavorites(news);
}

/**
 * Asks the service worker to store the favorites, or only those of them that changed, and adds new ones to the
 * page of favorites.
 */
function keepFavorites(changes) {
  navigator.serviceWorker?.ready.then(({active}) => {
    active?.postMessage({kind: "favorites", changes, user: document.body.dataset.user});
  });
  completeFavorites();
}

/** Appends new favorites to the first page of favorites, unless it has further pages. */
function completeFavorites() {
  return complete().catch(() => {
    // The page of favorites stays unchanged until the next response.
  });
}

async function complete() {
  const list = document.querySelector("[data-favorites]");
  if (!list || location.search.includes("page=")) return;
  const shown = new Set([...list.children].map((card) => card.dataset.ref));
  const wishes = await waiting();
  const favorites = new Set(known.favorites);
  for (const {ref, isFavorite} of wishes) if (isFavorite) favorites.add(ref);
  if ([...favorites].every((ref) => shown.has(ref)) || document.querySelector("[data-more]")) return;
  // The server does not know the wishes: the service worker makes the page from its own data.
  const response = await fetch(pageAddress(), wishes.length > 0 ? {headers: {"X-From-Store": "1"}} : {});
  if (!response.ok) return;
  const fresh = await readPage(response);
  const cards = fresh.querySelectorAll("[data-favorites] > *");
  // A concurrent call may have appended some of them.
  const present = new Set([...list.children].map((card) => card.dataset.ref));
  for (const card of cards) {
    if (!present.has(card.dataset.ref)) list.append(document.adoptNode(card));
  }
  if (cards.length > 0) document.querySelector("main .empty")?.remove();
  const count = fresh.querySelector(".count");
  if (count) document.querySelector(".count")?.replaceChildren(count.textContent);
}

document.addEventListener("submit", (event) => {
  const button = event.target.querySelector?.("[data-star]");
  if (!button) return;
  event.preventDefault();
  const star = event.submitter ?? button;
  star.classList.remove("is-popping");
  // The motion begins anew only after a frame without the class.
  if (button.getAttribute("aria-pressed") !== "true") requestAnimationFrame(() => star.classList.add("is-popping"));
  wish(button.dataset.star, button.getAttribute("aria-pressed") !== "true");
});

function hear(data) {
  if (data.isSent) return settle();
  show(data.ref, data.isFavorite);
  if (data.isAccepted) accept(data.ref, data.isFavorite);
  else if (data.isFavorite) completeFavorites();
}
// A null change means that events may have been missed, so that the comparison is forced.
on("changed", (commit) => compare(commit === null));
on("favorites", follow);
on("state", async (isUp) => {
  if (!isUp) return;
  await send();
  await compare();
});
addEventListener("online", send);
// The event stream reconnects with a delay; wishes are retried independently of it.
setInterval(async () => {
  if (!isReachable() && (await waiting()).length > 0) send();
}, 4000);
