// The stars that wait to be sent: in IndexedDB, or only here where the browser has none. An offer
// has one wish at most, the last one.

/** Those that are not in the database: not yet, or for good where the browser has none. */
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

/** What a request to the database gives; null where there is none or it fails. */
async function store(mode, run) {
  const base = await database();
  if (!base) return null;
  return new Promise((resolve) => {
    let transaction;
    try {
      transaction = base.transaction("stars", mode);
    } catch {
      // The browser closed it, as when what a site keeps is cleared.
      opened = undefined;
      return resolve(null);
    }
    const request = run(transaction.objectStore("stars"));
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onabort = () => resolve(null);
  });
}

/** Those that wait, the oldest first. */
export async function waiting() {
  const rows = (await store("readonly", (stars) => stars.getAll())) ?? [];
  const all = new Map(rows.map((each) => [each.ref, each]));
  for (const [ref, each] of memory) if (!(all.get(ref)?.at > each.at)) all.set(ref, each);
  return [...all.values()].sort((one, other) => one.at - other.at);
}

/** Keeps a wish until it is forgotten, from the call on; returns it once it outlives the page, if it can. */
export async function keep(ref, isFavorite) {
  const stamp = crypto.getRandomValues(new Uint32Array(2)).join("-");
  const wish = {ref, isFavorite, at: Date.now(), stamp};
  memory.set(ref, wish);
  if ((await store("readwrite", (stars) => stars.put(wish))) !== null) forgetHere(wish);
  return wish;
}

/** Forgets a wish, unless there is a newer one. */
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
