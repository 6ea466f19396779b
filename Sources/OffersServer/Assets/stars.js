// Stars: they change at once, here and in other tabs. What could not be sent waits in the browser
// and is sent when the server answers again, each wish once and only the last one of an offer.

import {alertBox, problemText, toast} from "./messages.js?v=__VERSION__";
import {isReachable, noteReachable, on} from "./events.js?v=__VERSION__";
import {forget, keep, waiting} from "./wishes.js?v=__VERSION__";

/** The path of an offer, as the server writes it. */
function offerPath(ref) {
  const name = encodeURIComponent(ref).replace(/%3A/g, ":");
  return `/offers/${name.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)}`;
}

const channel = "BroadcastChannel" in self ? new BroadcastChannel("offers-stars") : null;

function press(button, isFavorite) {
  const text = String(isFavorite);
  if (button.getAttribute("aria-pressed") === text) return;
  button.setAttribute("aria-pressed", text);
  const field = button.form?.elements.favorite;
  if (field) field.value = isFavorite ? "0" : "1";
}

/** Shows an offer as a favorite or not, wherever it stands. */
function show(ref, isFavorite) {
  for (const button of document.querySelectorAll(`[data-star="${CSS.escape(ref)}"]`)) {
    press(button, isFavorite);
  }
}

async function wish(ref, isFavorite) {
  show(ref, isFavorite);
  const {stamp} = await keep(ref, isFavorite);
  channel?.postMessage({ref, isFavorite});
  const waits = async () => (await waiting()).some((each) => each.stamp === stamp);
  await send();
  // What was being sent may have ended just before this one came.
  if (isReachable() && (await waits())) await send();
  // Said once, by the one who wishes; what is tried again later is quiet.
  if (await waits()) toast("Kept here. It is sent when the server answers again.");
}

let sending = null;

/** Sends what waits, in this tab only, and one after the other. */
export function send() {
  sending ??= (
    navigator.locks ? navigator.locks.request("offers-stars", sendAll) : sendAll()
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
      channel?.postMessage({ref: next.ref, isFavorite: next.isFavorite, isAccepted: true});
      await forget(next);
    } else if (response && (await isRefusal(response))) {
      isAnswering ??= true;
      await forget(next);
      show(next.ref, !next.isFavorite);
      channel?.postMessage({ref: next.ref, isFavorite: !next.isFavorite});
      alertBox("The star could not be changed", await problemText(response));
    } else {
      // It waits on. An error inside the server may be that of this offer alone.
      isAnswering = false;
      if (response?.status !== 500) break;
    }
  }
  if (isAnswering !== null) noteReachable(isAnswering);
  // What was told while they waited was hidden by the wishes.
  if (wasSent) {
    channel?.postMessage({isSent: true});
    compare();
  }
}

function ask(wish) {
  return fetch(`/api/v1${offerPath(wish.ref)}/favorite`, {
    method: wish.isFavorite ? "PUT" : "DELETE",
    headers: {"Content-Type": "application/json"},
    body: "{}",
    keepalive: true,
  });
}

/** Whether an answer will be the same however often it is asked for. */
async function isRefusal(response) {
  if (![400, 404, 409, 415].includes(response.status)) return false;
  if (response.status !== 409) return true;
  // Another process writes just now.
  const problem = await response.clone().json().catch(() => null);
  return problem?.code !== "locked";
}

/** The favorites as the server last told them, and its name for that answer. */
let known = {tag: null, favorites: null};

/** Notes what the server has accepted. What was asked for before does not count. */
function accept(ref, isFavorite) {
  if (known.favorites) {
    const favorites = new Set(known.favorites);
    if (isFavorite) favorites.add(ref);
    else favorites.delete(ref);
    known = {tag: null, favorites};
  }
  if (comparing) compare();
}

/** Shows the stars of parts of the page as they are known, and over that what waits to be sent. */
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

let comparing = null;
let question = null;
let isDue = false;
let isOutOfDate = false;

/**
 * Asks for the favorites, and shows all stars where there is something to show: most commits
 * leave the favorites as they were. One question at a time, so that no late answer hides a newer
 * one. When forced, all stars are shown, and what was asked for before does not count.
 */
export function compare(isForced = true) {
  isDue = true;
  if (isForced) {
    isOutOfDate = true;
    question?.abort();
  }
  comparing ??= compareWhileDue();
  return comparing;
}

async function compareWhileDue() {
  try {
    while (isDue) {
      const isForced = isOutOfDate;
      isDue = false;
      isOutOfDate = false;
      const answer = await askForFavorites();
      if (isOutOfDate) continue;
      const isNew = Boolean(answer?.favorites);
      if (isNew) known = answer;
      if (isNew || isForced || !answer) await showStars(document);
      if (isNew) keepFavorites();
    }
  } finally {
    comparing = null;
  }
}

/**
 * The favorites and the name of that answer; no favorites when they are as known; null without an
 * answer in time.
 */
async function askForFavorites() {
  question = new AbortController();
  const {signal} = question;
  const timer = setTimeout(() => question?.abort(), 10_000);
  try {
    const headers = known.tag ? {"If-None-Match": known.tag} : {};
    const response = await fetch("/api/v1/favorites", {headers, signal});
    const isKept = response.headers.has("X-Kept");
    // What was kept for when the server is away is older than what it told this page.
    if (!response.ok && response.status !== 304) return null;
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

/** Lets the service worker keep the favorites for when the server is stopped, and lists them. */
function keepFavorites() {
  navigator.serviceWorker?.ready.then(({active}) => active?.postMessage({kind: "favorites"}));
  completeFavorites(known.favorites).catch(() => {
    // The page of favorites stays as it is; the next answer brings them.
  });
}

/** Brings what became a favorite elsewhere onto the page of favorites. */
async function completeFavorites(favorites) {
  const list = document.querySelector("[data-favorites]");
  if (!list || location.search.includes("page=")) return;
  const shown = new Set([...list.children].map((card) => card.dataset.ref));
  if ([...favorites].every((ref) => shown.has(ref)) || document.querySelector("[data-more]")) return;
  const response = await fetch(location.href);
  if (!response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  const cards = fresh.querySelectorAll("[data-favorites] > *");
  // Another answer may have brought some meanwhile.
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
  wish(button.dataset.star, button.getAttribute("aria-pressed") !== "true");
});

channel?.addEventListener("message", ({data}) => {
  if (data.isSent) return compare();
  show(data.ref, data.isFavorite);
  if (data.isAccepted) accept(data.ref, data.isFavorite);
});
// Without a version nobody knows what this page has missed.
on("changed", (change) => compare(change === null));
on("state", async (isUp) => {
  if (!isUp) return;
  await send();
  await compare();
});
addEventListener("online", send);
// The event stream may be slow to notice that the server is back.
setInterval(async () => {
  if (!isReachable() && (await waiting()).length > 0) send();
}, 4000);
