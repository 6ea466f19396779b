// Updates the stored data from the server: the current offers, the favorites and their images.

/** The shortest time between two updates of the offers, in milliseconds. */
const UPDATE_INTERVAL = 10_000;
/** The maximum number and total length of the references in one request. */
const MOST_REFS = 100;
const MOST_REF_CHARACTERS = 6000;

let updatedAt = -Infinity;
// When to try again after offers could not be stored: a device without room is not asked again soon.
let retryAt = -Infinity;

/**
 * Returns a function whose runs never overlap: calls during a run cause one more run after it. The
 * run gets the number of calls of `forget`, and a function to call when it begins to read the state
 * of the server, which returns that number anew: earlier calls cause no further run. A failed run leaves the stored data as it is.
 */
function withoutOverlap(run) {
  let running = null;
  let isDue = false;
  return function start() {
    isDue = running !== null;
    let since = forgotten;
    const reads = () => {
      isDue = false;
      since = forgotten;
      return since;
    };
    running ??= run(since, reads)
      .catch(() => {
        // The server does not answer.
      })
      .then(async () => {
        running = null;
        if (since !== forgotten) await erase();
        if (isDue) return start();
      });
    return running;
  };
}

/** Updates the offers. */
const updateOffers = withoutOverlap(updateOnce);
const keepFavoritesInTurn = withoutOverlap(updateFavorites);

/** Updates the favorites and their images: by these changes of those of a user, or else from the server. */
function keepFavorites({changes, user} = {}) {
  if (changes) told.push(...changes.map((change) => ({...change, user})));
  else isAskDue = true;
  return keepFavoritesInTurn();
}

async function updateOnce(_, reads) {
  const rest = updatedAt + UPDATE_INTERVAL - Date.now();
  if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
  const since = reads();
  updatedAt = Date.now();
  if (Date.now() < retryAt || !(await openData(FEED_DATA))) return;
  const {list, offers} = await readFeedData();
  const answer = await fetch(addressOf("/api/v1/offline"), {headers: list ? {"If-None-Match": list.tag} : {}});
  if (isLogin(answer)) return forget();
  if (await isOfAnother(answer) || answer.status !== 200) return;
  const next = await answer.json();
  const wanted = next.offers.slice(0, MOST_OFFERS);
  const changed = wanted.filter(([ref, hash]) => offers.get(ref)?.hash !== hash);
  for (const refs of batches(changed.map(([ref]) => ref))) {
    const found = await fetchOffers(refs);
    if (!found || since !== forgotten) return;
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
  if (!list || list.refs.some((ref) => !known.has(ref))) {
    areFavoritesDue = true;
    await keepFavorites();
  }
}

/** Runs writes of feed data in one transaction. Returns whether there was room for them. */
async function writeOffers(run) {
  try {
    await transact(FEED_DATA, "readwrite", run);
    return true;
  } catch {
    retryAt = Date.now() + 600_000;
    return false;
  }
}

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

// The time of the last failed request by URL. The URL is not requested again for ten minutes.
const missed = new Map();

// The changes of favorites that pages were told and that are not stored yet.
const told = [];
// Whether the favorites must be requested, because more of them may have changed.
let isAskDue = false;
// Whether the favorites must be read although their list is unchanged: other offers are stored now.
let areFavoritesDue = false;

/** Stores the list of favorites, those that are no current offers, and images of favorites. */
async function updateFavorites(since) {
  const changes = told.splice(0);
  const mustAsk = isAskDue || areFavoritesDue;
  isAskDue = false;
  let isStored = false;
  try {
    isStored = await storeFavorites(changes, mustAsk, since);
  } finally {
    // After a failure the next update requests the favorites from the server.
    if (!isStored) isAskDue = true;
  }
}

/** Stores the favorites: those of the server, or the stored ones with some changes. Returns false if that failed. */
async function storeFavorites(changes, mustAsk, since) {
  const old = await readValue(OWN_DATA, "favorites");
  if (!mustAsk && (await storeChanges(changes, old, since))) return true;
  const headers = old?.isWhole && old.tag && !areFavoritesDue ? {"If-None-Match": old.tag} : {};
  const answer = await fetch(addressOf("/api/v1/favorites"), {headers, cache: "no-store"});
  if (isLogin(answer)) {
    await forget();
    return false;
  }
  if (answer.status === 304) return true;
  if (await isOfAnother(answer) || answer.status !== 200) return false;
  const refs = (await answer.json()).favorites;
  const favorites = {tag: answer.headers.get("ETag"), refs, isWhole: false};
  await writeValue(OWN_DATA, "favorites", favorites);
  const {list, offers} = await readFeedData();
  if (!list) return false;
  const others = [];
  const missing = refs.filter((ref) => !list.known.has(ref)).slice(0, MOST_FAVORITES);
  let room = MOST_FAVORITE_BYTES;
  for (const batch of batches(missing)) {
    const found = await fetchOffers(batch);
    if (!found || since !== forgotten) return false;
    room -= JSON.stringify(found).length;
    if (room < 0) break;
    others.push(...found);
  }
  await transact(OWN_DATA, "readwrite", ({favorites: store, values}) => {
    store.clear();
    for (const offer of others) store.put(offer);
    values.put({...favorites, isWhole: true}, "favorites");
  });
  areFavoritesDue = false;
  const rest = new Map(others.map((offer) => [offer.ref, offer]));
  const images = refs.map((ref) => (offers.get(ref) ?? rest.get(ref))?.card.image).filter(Boolean);
  await keepImages(images.slice(-FAVORITE_IMAGES));
  return true;
}

/** Stores changes of the favorites. Returns false if an offer is not stored, so that the server must be asked. */
async function storeChanges(changes, old, since) {
  const {list, offers} = await readFeedData();
  const person = await readUser();
  const canStore = ({ref, user}) => user === person && list.known.has(ref);
  if (!old?.isWhole || !list || !changes.every(canStore)) return false;
  const refs = new Set(old.refs);
  for (const {ref, favorite} of changes) {
    if (favorite) refs.add(ref);
    else refs.delete(ref);
  }
  if (since !== forgotten) return true;
  await writeValue(OWN_DATA, "favorites", {tag: null, refs: [...refs], isWhole: true});
  const starred = changes.filter(({favorite}) => favorite);
  await keepImages(starred.map(({ref}) => offers.get(ref)?.card.image).filter(Boolean));
  return true;
}

/** Stores images that are not stored yet. */
async function keepImages(paths) {
  const cache = await caches.open(IMAGES);
  for (const path of paths.map(addressOf)) {
    if (Date.now() - missed.get(path) < 600_000 || (await cache.match(path))) continue;
    const found = await fetch(path);
    if (found.ok && !found.redirected) await putImage(new Request(path), found);
    else missed.set(path, Date.now());
  }
}
