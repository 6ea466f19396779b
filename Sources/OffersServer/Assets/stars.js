// Stars: they change at once, here and in other tabs. What could not be sent waits in the browser
// and is sent when the server answers again, each wish once and only the last one of an offer.

import {alertBox, problemText, toast} from "./messages.js?v=__VERSION__";
import {isReachable, noteReachable, on} from "./events.js?v=__VERSION__";

/** The path of an offer, as the server writes it. */
function offerPath(ref) {
  const name = encodeURIComponent(ref).replace(/%3A/g, ":");
  return `/offers/${name.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)}`;
}

const channel = "BroadcastChannel" in self ? new BroadcastChannel("offers-stars") : null;

// The wishes that wait: in IndexedDB, or only here where the browser has none.
const memory = new Map();
let opened;

function database() {
  opened ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open("offers", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("stars", {keyPath: "ref"});
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => resolve(null);
      request.onblocked = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
  return opened;
}

async function store(mode, run) {
  const base = await database();
  if (!base) return null;
  return new Promise((resolve, reject) => {
    const transaction = base.transaction("stars", mode);
    const request = run(transaction.objectStore("stars"));
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onerror = () => reject(transaction.error);
  });
}

async function waiting() {
  const rows = (await store("readonly", (stars) => stars.getAll())) ?? [...memory.values()];
  return rows.sort((one, other) => one.at - other.at);
}

async function keep(wish) {
  if (await database()) await store("readwrite", (stars) => stars.put(wish));
  else memory.set(wish.ref, wish);
}

/** Forgets a wish, unless there is a newer one. */
async function forget(wish) {
  if (!(await database())) {
    if (memory.get(wish.ref)?.stamp === wish.stamp) memory.delete(wish.ref);
    return;
  }
  await store("readwrite", (stars) => {
    const request = stars.get(wish.ref);
    request.onsuccess = () => {
      if (request.result?.stamp === wish.stamp) stars.delete(wish.ref);
    };
  });
}

/** Shows an offer as a favorite or not, wherever it stands. */
function show(ref, isFavorite) {
  for (const button of document.querySelectorAll(`[data-star="${CSS.escape(ref)}"]`)) {
    button.setAttribute("aria-pressed", String(isFavorite));
    const field = button.form?.elements.favorite;
    if (field) field.value = isFavorite ? "0" : "1";
  }
}

async function wish(ref, isFavorite) {
  show(ref, isFavorite);
  channel?.postMessage({ref, isFavorite});
  const random = crypto.getRandomValues(new Uint32Array(2)).join("-");
  await keep({ref, isFavorite, at: Date.now(), stamp: random});
  await send();
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
  for (let wishes = await waiting(); wishes.length > 0; wishes = await waiting()) {
    const next = wishes[0];
    let response;
    try {
      response = await fetch(`/api/v1${offerPath(next.ref)}/favorite`, {
        method: next.isFavorite ? "PUT" : "DELETE",
        headers: {"Content-Type": "application/json"},
        body: "{}",
        keepalive: true,
      });
    } catch {
      noteReachable(false);
      toast("Kept here. It is sent when the server answers again.");
      return;
    }
    noteReachable(true);
    await forget(next);
    if (!response.ok) {
      show(next.ref, !next.isFavorite);
      channel?.postMessage({ref: next.ref, isFavorite: !next.isFavorite});
      alertBox("The star could not be changed", await problemText(response));
    }
  }
}

/** Shows the stars as the server has them, and over that what waits to be sent. */
export async function compare() {
  const wishes = new Map((await waiting()).map((each) => [each.ref, each.isFavorite]));
  let favorites = null;
  try {
    const response = await fetch("/api/v1/favorites");
    if (response.ok) favorites = new Set((await response.json()).favorites);
  } catch {
    // What waits is shown all the same.
  }
  for (const button of document.querySelectorAll("[data-star]")) {
    const ref = button.dataset.star;
    const isFavorite = wishes.get(ref) ?? favorites?.has(ref);
    if (isFavorite !== undefined) show(ref, isFavorite);
  }
  if (!favorites) return;
  keepFavorites([...favorites].sort().join("\n"));
  await completeFavorites(favorites);
}

/** Lets the service worker keep the favorites for when the server is stopped. */
async function keepFavorites(names) {
  if (!navigator.serviceWorker || sessionStorage.getItem("kept-favorites") === names) return;
  const worker = (await navigator.serviceWorker.ready).active;
  worker?.postMessage({kind: "favorites"});
  sessionStorage.setItem("kept-favorites", names);
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
  for (const card of cards) {
    if (!shown.has(card.dataset.ref)) list.append(document.adoptNode(card));
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

channel?.addEventListener("message", ({data}) => show(data.ref, data.isFavorite));
on("changed", compare);
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
