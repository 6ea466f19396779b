// The data that the service worker stores in IndexedDB, in two databases: the offers of the feeds, which
// are the same for all users, and a person's own favorites, searches and unsent stars.

/** The current offers of the feeds, and the value `list`: their order and the frames of the user's pages. */
const FEED_DATA = new LocalData(`offers-feeds${BASE}`, 1, {offers: {keyPath: "ref"}, values: {}});
const OWN_DATA = openOwnData(BASE);
/** The maximum numbers of offers and of favorites that are stored, and the size of the latter. */
const MOST_OFFERS = 5000;
const MOST_FAVORITES = 2000;
const MOST_FAVORITE_BYTES = 8_000_000;

/** Deletes all feed data and the person's own data; the stars that were not sent on request only. */
async function eraseData({keepsStars}) {
  feedData = null;
  await FEED_DATA.transact("readwrite", (stores) => {
    for (const store of Object.values(stores)) store.clear();
  });
  await OWN_DATA.transact("readwrite", ({stars, favorites, values}) => {
    favorites.clear();
    values.clear();
    if (!keepsStars) stars.clear();
  });
}

// The feed data in memory, as long as the service worker runs; null if it must be read.
let feedData = null;

/** Reads the feed data: the list and the offers by reference. */
function readFeedData() {
  feedData ??= Promise.all([FEED_DATA.read("list"), FEED_DATA.all("offers")]).then(
    ([list, offers]) => ({list, offers: new Map(offers.map((offer) => [offer.ref, offer]))}),
  );
  return feedData;
}

/** Reads all data that pages are made of; null before the first update is complete. */
async function readData() {
  const [{list, offers}, stars, others, favorites, searches, person] = await Promise.all([
    readFeedData(), OWN_DATA.all("stars"), OWN_DATA.all("favorites"),
    OWN_DATA.read("favorites"), OWN_DATA.read("searches"), readUser(),
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
