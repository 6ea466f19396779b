// The stars that wait to be sent: in IndexedDB, or only here where the browser has none. An offer
// has one wish at most, the last one.

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

/** Those that wait, the oldest first. */
export async function waiting() {
  const rows = (await store("readonly", (stars) => stars.getAll())) ?? [...memory.values()];
  return rows.sort((one, other) => one.at - other.at);
}

/** Keeps a wish until it is forgotten; returns it. */
export async function keep(ref, isFavorite) {
  const stamp = crypto.getRandomValues(new Uint32Array(2)).join("-");
  const wish = {ref, isFavorite, at: Date.now(), stamp};
  if (await database()) await store("readwrite", (stars) => stars.put(wish));
  else memory.set(ref, wish);
  return wish;
}

/** Forgets a wish, unless there is a newer one. */
export async function forget(wish) {
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
