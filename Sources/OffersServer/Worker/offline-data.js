// The data that the service worker stores in IndexedDB, in two databases: the offers of the feeds, which
// are the same for all users, and a person's own favorites, searches and unsent stars.

/** The current offers of the feeds, and the value `list`: their order and the frames of the pages. */
const FEED_DATA = {
  name: `offers-feeds${BASE}`, version: 1, stores: {offers: {keyPath: "ref"}, values: {}},
};
/**
 * A person's own data: the stars that were not sent (see pending-stars.js, which has the same version), the
 * favorites that are not among the current offers, and the values `favorites` and `searches`.
 */
const OWN_DATA = {
  name: `offers${BASE}`, version: 2,
  stores: {stars: {keyPath: "ref"}, favorites: {keyPath: "ref"}, values: {}},
};
/** The maximum numbers of offers and of favorites that are stored, and the size of the latter. */
const MOST_OFFERS = 5000;
const MOST_FAVORITES = 2000;
const MOST_FAVORITE_BYTES = 8_000_000;

const opened = new Map();

/** Opens a database. Returns null if the browser has no IndexedDB, or an old page blocks it. */
function openData(data) {
  const known = opened.get(data.name);
  if (known) return known;
  const opening = new Promise((resolve) => {
    const fail = () => {
      opened.delete(data.name);
      resolve(null);
    };
    try {
      const request = indexedDB.open(data.name, data.version);
      request.onupgradeneeded = () => {
        for (const [store, options] of Object.entries(data.stores)) {
          if (!request.result.objectStoreNames.contains(store)) {
            request.result.createObjectStore(store, options);
          }
        }
      };
      request.onsuccess = () => {
        const base = request.result;
        base.onversionchange = base.onclose = () => {
          base.close();
          opened.delete(data.name);
        };
        resolve(base);
      };
      request.onerror = request.onblocked = fail;
    } catch {
      fail();
    }
  });
  opened.set(data.name, opening);
  return opening;
}

/**
 * Runs requests in one transaction. `run` gets the object stores by name and may return a request,
 * whose result is returned. Returns undefined without a database, and rejects if a write fails, as
 * without room.
 */
async function transact(data, mode, run) {
  const base = await openData(data);
  if (!base) return undefined;
  return new Promise((resolve, reject) => {
    let transaction;
    try {
      const names = Object.keys(data.stores);
      transaction = base.transaction(names, mode);
      const stores = Object.fromEntries(names.map((name) => [name, transaction.objectStore(name)]));
      const request = run(stores);
      transaction.oncomplete = () => resolve(request?.result);
      transaction.onabort = () => reject(transaction.error);
    } catch {
      // The browser closes the connection when a person clears the data of the site.
      opened.delete(data.name);
      resolve(undefined);
    }
  });
}

const readAll = (data, store) =>
  transact(data, "readonly", (stores) => stores[store].getAll()).then((rows) => rows ?? []);
const readValue = (data, key) => transact(data, "readonly", ({values}) => values.get(key));
const writeValue = (data, key, value) =>
  transact(data, "readwrite", ({values}) => {
    values.put(value, key);
  });

/** Deletes all feed data and the person's own data; the stars that were not sent on request only. */
async function eraseData({keepsStars}) {
  feedData = null;
  await transact(FEED_DATA, "readwrite", (stores) => {
    for (const store of Object.values(stores)) store.clear();
  });
  await transact(OWN_DATA, "readwrite", ({stars, favorites, values}) => {
    favorites.clear();
    values.clear();
    if (!keepsStars) stars.clear();
  });
}

// The feed data in memory, as long as the service worker runs; null if it must be read.
let feedData = null;

/** Reads the feed data: the list and the offers by reference. */
function readFeedData() {
  feedData ??= Promise.all([readValue(FEED_DATA, "list"), readAll(FEED_DATA, "offers")]).then(
    ([list, offers]) => ({list, offers: new Map(offers.map((offer) => [offer.ref, offer]))}),
  );
  return feedData;
}

/** Reads all data that pages are made of; null before the first update is complete. */
async function readData() {
  const [{list, offers}, stars, others, favorites, searches, person] = await Promise.all([
    readFeedData(), readAll(OWN_DATA, "stars"), readAll(OWN_DATA, "favorites"),
    readValue(OWN_DATA, "favorites"), readValue(OWN_DATA, "searches"), readUser(),
  ]);
  if (!list) return null;
  const refs = new Set(favorites?.refs);
  for (const {ref, isFavorite, user} of stars) {
    // The star of a person whose session has ended waits for their next login.
    if (user !== undefined && user !== person) continue;
    if (isFavorite) refs.add(ref);
    else refs.delete(ref);
  }
  const current = list.refs.map((ref) => offers.get(ref)).filter(Boolean);
  const kept = others.filter(({ref}) => !list.known.has(ref));
  // The order of the feeds is the order in which their offers were found.
  const all = [...current, ...kept].sort((one, other) => one.first_seen - other.first_seen);
  return {
    current, all, favorites: refs, searches: searches ?? [],
    titles: list.titles, frames: list.frames, user: person, maySync: list.maySync !== false,
    hasHousehold: list.hasHousehold, sidebar: list.sidebar,
    find: (ref) => offers.get(ref) ?? others.find((each) => each.ref === ref),
  };
}
