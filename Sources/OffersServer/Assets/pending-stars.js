// The pending stars, called wishes: changes of stars that the server has not accepted yet. They are stored in IndexedDB,
// or in memory if the browser has no IndexedDB. An offer has at most one wish, the newest.

import "./shared.js?v=__VERSION__";
import {ownName} from "./base-path.js?v=__VERSION__";

/** The wishes, by offer, that are not yet stored in IndexedDB; all wishes without IndexedDB. */
const memory = new Map();
const data = self.shared.openOwnData(ownName(""));

/**
 * All wishes of the user of this page, the oldest first. Those of another user are removed. A page that
 * belongs to nobody, such as the one that says that the server does not answer, has all wishes.
 */
export async function waiting() {
  const found = await data.all("stars").catch(() => []);
  const {user: here} = document.body.dataset;
  const rows = found.filter(({user}) => !here || !user || user === here);
  for (const wish of found) if (!rows.includes(wish)) forget(wish);
  const all = new Map(rows.map((each) => [each.ref, each]));
  for (const [ref, each] of memory) if (!(all.get(ref)?.at > each.at)) all.set(ref, each);
  return [...all.values()].sort((one, other) => one.at - other.at);
}

/**
 * Adds a wish of the user of this page, which replaces an older one of the same offer. `waiting` returns it as soon as
 * this function is called; the promise is fulfilled once the wish is stored.
 */
export async function keep(ref, isFavorite) {
  const stamp = crypto.getRandomValues(new Uint32Array(2)).join("-");
  const wish = {ref, isFavorite, at: Date.now(), stamp, user: document.body.dataset.user};
  memory.set(ref, wish);
  if (await data.transact("readwrite", ({stars}) => stars.put(wish)).catch(() => null)) forgetHere(wish);
  return wish;
}

/** Removes a wish, unless a newer one has replaced it. */
export async function forget(wish) {
  forgetHere(wish);
  await data.transact("readwrite", ({stars}) => {
    stars.get(wish.ref).onsuccess = ({target}) => {
      if (target.result?.stamp === wish.stamp) stars.delete(wish.ref);
    };
  }).catch(() => {
    // Without room for a change, the wish is sent once more.
  });
}

function forgetHere(wish) {
  if (memory.get(wish.ref)?.stamp === wish.stamp) memory.delete(wish.ref);
}
