// The pending stars, called wishes: changes of stars that the server has not accepted yet. They are stored in IndexedDB,
// or in memory if the browser has no IndexedDB. An offer has at most one wish, the newest.

import {ownName} from "./base-path.js?v=__VERSION__";

/** The wishes, by offer, that are not yet stored in IndexedDB; all wishes without IndexedDB. */
const memory = new Map();
let opened;

function database() {
  opened ??= new Promise((resolve) => {
    try {
      // The version and the stores are those of the service worker (offline-data.js).
      const request = indexedDB.open(ownName("offers"), 2);
      request.onupgradeneeded = () => {
        const base = request.result;
        for (const [name, options] of [["stars", {keyPath: "ref"}], ["favorites", {keyPath: "ref"}], ["values"]]) {
          if (!base.objectStoreNames.contains(name)) base.createObjectStore(name, options);
        }
      };
      request.onsuccess = () => {
        // A later version cannot change the database while this page has it open.
        request.result.onversionchange = () => {
          request.result.close();
          opened = undefined;
        };
        resolve(request.result);
      };
      request.onerror = request.onblocked = () => {
        // A page of an older version blocks the database. The next call tries again.
        opened = undefined;
        resolve(null);
      };
    } catch {
      resolve(null);
    }
  });
  return opened;
}

/** Runs a request in a transaction. Returns its result; null without a database or on failure. */
async function store(mode, run) {
  const base = await database();
  if (!base) return null;
  return new Promise((resolve) => {
    let transaction;
    try {
      transaction = base.transaction("stars", mode);
    } catch {
      // The browser closes the connection when a person clears the data of the site.
      opened = undefined;
      return resolve(null);
    }
    const request = run(transaction.objectStore("stars"));
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onabort = () => resolve(null);
  });
}

/**
 * All wishes of the user of this page, the oldest first. Those of another user are removed. A page that
 * belongs to nobody, such as the one that says that the server does not answer, has all wishes.
 */
export async function waiting() {
  const found = (await store("readonly", (stars) => stars.getAll())) ?? [];
  const {user: here} = document.body.dataset;
  const rows = found.filter(({user}) => !here || !user || user === here);
  for (const wish of found) if (!rows.includes(wish)) forget(wish);
  const all = new Map(rows.map((each) => [each.ref, each]));
  for (const [ref, each] of memory) if (!(all.get(ref)?.at > each.at)) all.set(ref, each);
  return [...all.values()].sort((one, other) => one.at - other.at);
}

/**
 * Adds a wish of the user of this page, which replaces an older one of the same offer. `waiting` returns it as soon as this
 * function is called; the promise is fulfilled once the wish is stored.
 */
export async function keep(ref, isFavorite) {
  const stamp = crypto.getRandomValues(new Uint32Array(2)).join("-");
  const {user} = document.body.dataset;
  const wish = {ref, isFavorite, at: Date.now(), stamp, user};
  memory.set(ref, wish);
  if ((await store("readwrite", (stars) => stars.put(wish))) !== null) forgetHere(wish);
  return wish;
}

/** Removes a wish, unless a newer one has replaced it. */
export async function forget(wish) {
  forgetHere(wish);
  await store("readwrite", (stars) => {
    const request = stars.get(wish.ref);
    request.onsuccess = () => {
      if (request.result?.stamp === wish.stamp) stars.delete(wish.ref);
    };
  });
}

function forgetHere(wish) {
  if (memory.get(wish.ref)?.stamp === wish.stamp) memory.delete(wish.ref);
}
