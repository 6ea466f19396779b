// Updates the stored data from the server: the current offers, the favorites and their images.

/** The shortest time between two updates of the offers, in milliseconds. */
const UPDATE_INTERVAL = 10_000;
/** The maximum number and total length of the references in one request. */
const MOST_REFS = 100;
const MOST_REF_CHARACTERS = 6000;

/**
 * A function whose runs never overlap. A failed run leaves the stored data as it is. A run gets a function that tells
 * whether the data was deleted meanwhile.
 */
const updating = (run, rest) => inTurn(async () => {
  await rest?.();
  const since = forgotten;
  await run(() => since !== forgotten).catch(() => {
    // The server does not answer.
  });
  if (since !== forgotten) await erase();
});

let updatedAt = -Infinity;

/** Updates the offers. */
const updateOffers = updating(async (isOver) => {
  updatedAt = Date.now();
  if (!(await FEED_DATA.open())) return;
  const {list, offers} = await readFeedData();
  const answer = await fetch(addressOf("/api/v1/offline"), {headers: list ? {"If-None-Match": list.tag} : {}});
  if (isLogin(answer)) return forget();
  if (await isOfAnother(answer) || answer.status !== 200) return;
  const next = await answer.json();
  const wanted = next.offers.slice(0, MOST_OFFERS);
  const changed = wanted.filter(([ref, hash]) => offers.get(ref)?.hash !== hash);
  for (const refs of batches(changed.map(([ref]) => ref))) {
    const found = await fetchOffers(refs);
    if (!found || isOver()) return;
    const isStored = await writeOffers(({offers: store}) => {
      for (const offer of found) store.put(offer);
    });
    // Without room for more, the pages show the offers that are stored.
    if (!isStored) break;
    for (const offer of found) offers.set(offer.ref, offer);
  }
  const known = new Set(wanted.map(([ref]) => ref).filter((ref) => offers.has(ref)));
  await writeOffers(({offers: store, values}) => {
    // All that are stored, and not only those in memory: an older worker that ends may have stored some.
    store.getAllKeys().onsuccess = ({target}) => {
      for (const ref of target.result) if (!known.has(ref)) store.delete(ref);
    };
    values.put({
      tag: answer.headers.get("ETag"), refs: [...known], known,
      titles: new Map(next.titles.map(({feed, title}) => [feed, title])),
      maySync: next.may_sync,
      hasHousehold: next.has_household,
      sidebar: next.sidebar,
      frames: new Map(next.pages.map((frame) => [frame.path, frame])),
    }, "list");
  });
  feedData = null;
  // A favorite that is no longer a current offer is stored with the favorites.
  await storeFavorites();
}, () => new Promise((resolve) => setTimeout(resolve, updatedAt + UPDATE_INTERVAL - Date.now())));

/** Runs writes of feed data in one transaction. Returns whether there was room for them. */
const writeOffers = (run) => FEED_DATA.transact("readwrite", run).then(() => true, () => false);

/** Splits references into lists that fit into one request each. */
function* batches(refs) {
  let batch = [];
  let length = 0;
  for (const ref of refs) {
    const more = encodeURIComponent(encodeRef(ref)).length + 3;
    if (batch.length === MOST_REFS || (batch.length > 0 && length + more > MOST_REF_CHARACTERS)) {
      yield batch;
      [batch, length] = [[], 0];
    }
    batch.push(ref);
    length += more;
  }
  if (batch.length > 0) yield batch;
}

/** Requests offers, in several parts if they are large. Returns null if the server does not give them. */
async function fetchOffers(refs) {
  const offers = [];
  for (let rest = refs; rest.length > 0;) {
    const names = rest.map((ref) => encodeURIComponent(encodeRef(ref))).join(",");
    const answer = await fetch(addressOf(`/api/v1/offline/offers?refs=${names}`), {cache: "no-store"});
    if (isLogin(answer)) await forget();
    if (answer.status !== 200) return null;
    const {offers: found, answered} = await answer.json();
    offers.push(...found);
    rest = rest.slice(answered);
  }
  return offers;
}

// The favorites {refs, user} that a page has told and that are not stored yet.
let told = null;

/** Stores the favorites that a page has, unless they are those of another user. */
function keepFavorites(favorites) {
  told = favorites;
  return storeFavorites();
}

/** Stores the list of favorites, those of them that are no current offers, and images. */
const storeFavorites = updating(async (isOver) => {
  const user = await readUser();
  // The first update of the offers finds out who it is.
  if (user === undefined) return;
  const refs = told?.user === user ? told.refs : (await OWN_DATA.read("favorites"))?.refs;
  told = null;
  if (!refs) return;
  await OWN_DATA.write("favorites", {refs, isWhole: false});
  const {list, offers} = await readFeedData();
  if (!list) return;
  const missing = refs.filter((ref) => !list.known.has(ref)).slice(0, MOST_FAVORITES);
  const stored = new Map((await OWN_DATA.all("favorites")).map((offer) => [offer.ref, offer]));
  const others = missing.map((ref) => stored.get(ref)).filter(Boolean);
  let room = MOST_FAVORITE_BYTES - JSON.stringify(others).length;
  for (const batch of batches(missing.filter((ref) => !stored.has(ref)))) {
    const found = await fetchOffers(batch);
    if (!found || isOver()) return;
    room -= JSON.stringify(found).length;
    if (room < 0) break;
    others.push(...found);
  }
  await OWN_DATA.transact("readwrite", ({favorites, values}) => {
    favorites.clear();
    for (const offer of others) favorites.put(offer);
    values.put({refs, isWhole: true}, "favorites");
  });
  const images = refs.map((ref) => (offers.get(ref) ?? stored.get(ref))?.card.image).filter(Boolean);
  await keepImages(images.slice(-FAVORITE_IMAGES));
});

// The images that could not be had. They are requested again once the worker is started anew.
const missed = new Set();

/** Stores images that are not stored yet in any size, in that of a tile. */
async function keepImages(paths) {
  const cache = await caches.open(IMAGES);
  for (const path of paths.map((image) => addressOf(`${image}&width=480`))) {
    if (missed.has(path) || (await cache.match(path, {ignoreSearch: true}))) continue;
    const found = await fetch(path);
    if (found.ok && !found.redirected) await put(IMAGES, new Request(path), found);
    else missed.add(path);
  }
}
