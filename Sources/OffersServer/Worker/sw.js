// The service worker. It makes the pages readable while the server is stopped.
//
// The server is asked for a page first. If it does not answer in time, the page is made from the stored offers
// (offline-pages.js); one that is not made of them, such as the settings, comes from the cache of visited pages.
// Assets are read from the cache first, because the content behind the URL of a version never changes. Everything
// that is stored has a limit.

const VERSION = "__VERSION__";
// The path of the server, at which this file is; empty at the root of its host.
const BASE = new URL(".", self.location).pathname.slice(0, -1);
// All paths of a host share one cache storage, so the names of this server's caches begin with its path.
const PREFIX = BASE ? `offers${BASE}:` : "offers-";
const FILES = `${PREFIX}files-${VERSION}`;
// The number in these names is the format of the cache, so that stored pages survive an update of the program.
const PAGES = `${PREFIX}pages-1`;
const IMAGES = `${PREFIX}images-2`;
// The number of the user whose data is stored. Not in IndexedDB, which a page can block.
const USER = `${PREFIX}user-1`;
// The entry of FILES that says that the stored data was deleted by a logout.
const LOGGED_OUT = "/logged-out";
// The maximum number of visited pages; the oldest are evicted.
const MOST_PAGES = 120;
// The maximum number of images, and of those of favorites that are not evicted. The server has the same limits.
const MOST_IMAGES = 50;
const FAVORITE_IMAGES = 30;
// The timeouts of requests whose answers are also stored here, in milliseconds: usually, of a search on a feed's
// server, and of all in the half minute after one has timed out.
const PATIENCE = 5000;
const SEARCH_PATIENCE = 15_000;
const LITTLE_PATIENCE = 400;
// The statuses with which a proxy says that the server does not answer.
const GATEWAY_ERRORS = new Set([502, 503, 504]);

// The server of map tiles: its template and its notice; null for none. A page asks for a tile once a person has
// chosen streets on a map.
const TILES = __TILES__;
const TILE_ORIGIN = TILES && new URL(TILES.tileTemplate).origin;

/** The address of a path of the server, such as `/feeds/ibotta`. */
function addressOf(path) {
  return BASE + path;
}

/** The URL without the path of the server, as its pages know it; null for one that is not below it. */
function ownURL(address) {
  const url = new URL(address);
  if (url.origin !== self.location.origin || !url.pathname.startsWith(`${BASE}/`)) return null;
  url.pathname = url.pathname.slice(BASE.length);
  return url;
}

const parts = [
  "mustache.js", "offline-data.js", "offline-fetch.js", "offline-lists.js", "offline-pages.js",
  "offline-search.js", "offline-selection.js", "offline-texts.js", "offline-values.js", "push-events.js",
];
importScripts(...["shared.js", ...parts].map((name) => addressOf(`/assets/${name}?v=${VERSION}`)));

// The server replaces the placeholder by the names of all assets but this file and the icons of the app.
const files = "__FILES__".split(" ").filter((name) => !parts.includes(name))
  .map((name) => addressOf(`/assets/${name}?v=${VERSION}`));

const OFFLINE = addressOf("/offline");
const mapFiles = ["leaflet.css", "leaflet.esm.min.js"]
  .map((name) => addressOf(`/map/${name}?v=${VERSION}`));

self.addEventListener("install", (event) => {
  event.waitUntil(storeFiles().then(() => self.skipWaiting()));
});

/** Stores the files of this version. */
async function storeFiles() {
  const cache = await caches.open(FILES);
  await cache.addAll([...files, OFFLINE, addressOf("/manifest.webmanifest")]);
  // The map library may be missing on the server.
  await cache.addAll(mapFiles).catch(() => {});
}

/** Stores the files again where the browser has removed them, as WebKit does in a private window without an open page. */
async function restoreFiles() {
  if (!(await caches.match(OFFLINE, {cacheName: FILES}))) await storeFiles();
}

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith(PREFIX) && ![FILES, PAGES, IMAGES, USER].includes(name)) await caches.delete(name);
    }
    await storeFirstPages();
    await self.clients.claim();
  })());
});

/** Stores the start page, the settings that are not made of stored data, and the open pages, which were loaded before. */
async function storeFirstPages() {
  const windows = await self.clients.matchAll({type: "window", includeUncontrolled: true});
  const paths = new Set(["/", ...["feeds", "people", "devices"].map((section) => `/settings/${section}`)]);
  for (const {url} of windows.slice(0, 10)) {
    const {pathname, search} = ownURL(url) ?? {};
    // A search and a site would take effect again.
    if (pathname && !/^\/(search|web|login|pair|welcome)(\/|$)/.test(pathname)) paths.add(pathname + search);
  }
  for (const path of paths) {
    const headers = {Accept: "text/html"};
    await networkFirst(new Request(addressOf(path), {headers, redirect: "manual"}), PAGES).catch(() => {
      // The server does not answer; the page is stored when it is visited.
    });
  }
}

self.addEventListener("message", (event) => {
  const {kind} = event.data ?? {};
  if (kind === "favorites") event.waitUntil(keepFavorites(event.data));
  if (kind === "update") {
    // A page that was loading while this worker became active is not among those that it claimed.
    event.waitUntil(Promise.all([self.clients.claim(), restoreFiles(), updateOffers()]));
  }
  if (kind === "forget") event.waitUntil(forget({isLoggedOut: false}));
});

self.addEventListener("fetch", (event) => {
  const request = event.request;
  if (new URL(request.url).origin === TILE_ORIGIN) return event.respondWith(tile(request));
  const path = ownURL(request.url)?.pathname;
  if (!path) return;
  if (request.method === "POST" && path === "/logout" && isOwnForm(request)) return event.respondWith(logOut(request));
  if (request.method !== "GET") return;
  if (/^\/(assets|map)\//.test(path)) event.respondWith(cacheFirst(request));
  // The manifest requires no token, so that it is kept when the stored pages are deleted.
  else if (path === "/manifest.webmanifest") event.respondWith(networkFirst(request, FILES));
  else if (path.startsWith("/api/v1/images/")) event.respondWith(networkFirst(request, IMAGES));
  else if (path === "/api/v1/favorites") event.respondWith(ownList(request, "favorites"));
  else if (path === "/api/v1/searches") event.respondWith(ownList(request, "searches"));
  else if (!/^\/(api\/|login(\/|$)|pair$|sw\.js$)/.test(path)) event.respondWith(page(request));
});

/** Answers a request for an asset from the cache, or else from the server. */
async function cacheFirst(request) {
  const kept = await caches.match(request);
  if (kept) return kept;
  try {
    const answer = await fetch(request);
    // Only addresses of this version are stored.
    if (answer.ok && request.url.endsWith(`?v=${VERSION}`)) {
      await put(FILES, request, answer.clone());
    }
    return answer;
  } catch (error) {
    // A stored page of an older version requests the assets of that version. The cached assets of
    // this version replace them.
    const other = await caches.match(request, {ignoreSearch: true});
    if (other) return other;
    throw error;
  }
}

/** Answers a request from the server, or from the caches if the server does not answer in time. */
async function networkFirst(request, name) {
  const asked = fromServer(request, name);
  const answer = await patient(asked);
  if (answer) return answer;
  const isImage = name === IMAGES;
  const kept = (await caches.match(request, {ignoreVary: true}))
    // The picture in another size.
    ?? (isImage && (await caches.match(request, {ignoreVary: true, ignoreSearch: true, cacheName: IMAGES})));
  if (!kept) return asked;
  // The use makes the image the most recently used one.
  if (isImage) put(name, new Request(kept.url || request.url), kept.clone());
  return kept;
}

/** Answers a request from the server, and stores the response in the cache `name` unless null. */
async function fromServer(request, name) {
  let since = forgotten;
  const answer = await fetch(request);
  if (isLogin(answer)) {
    await forget();
    return answer;
  }
  if (await isOfAnother(answer)) since = forgotten;
  if (name && answer.ok && !answer.redirected) {
    await put(name, request, answer.clone());
    if (since !== forgotten) await erase();
  }
  return answer;
}

/** Answers a request for a map tile from its server, or else from the images, of which it is one. */
async function tile(request) {
  const since = forgotten;
  try {
    const {url, referrer, referrerPolicy} = request;
    // A CORS request, because the browser pads the size of an opaque response to megabytes in its storage quota.
    const answer = await fetch(url, {mode: "cors", credentials: "omit", referrer, referrerPolicy});
    if (answer.ok) {
      await put(IMAGES, request, answer.clone());
      if (since !== forgotten) await erase();
    }
    return answer;
  } catch {
    // Without the network, or from a server that does not let itself be read.
    return (await caches.match(request, {ignoreVary: true})) ?? fetch(request);
  }
}

// Until when the server is known to be slow.
let slowUntil = -Infinity;

/** Fulfills with null for no answer, and for one that takes longer than a person waits. */
async function patient(asked, patience = PATIENCE) {
  const isSlow = Date.now() < slowUntil;
  const late = new Promise((resolve) => setTimeout(resolve, isSlow ? LITTLE_PATIENCE : patience));
  const answer = await Promise.race([asked.catch(() => null), late]);
  if (answer === undefined) {
    if (!isSlow) slowUntil = Date.now() + 30_000;
    asked.then(() => {
      slowUntil = -Infinity;
    }, () => {
      // The next request finds out again.
    });
  }
  return !answer || GATEWAY_ERRORS.has(answer.status) ? null : answer;
}

/**
 * Answers a request for the favorites or the recent searches, of which the latter are stored. The header `X-Kept`
 * marks a stored list, so that pages can recognize it.
 */
async function ownList(request, name) {
  const since = forgotten;
  const asked = fetch(request);
  const answer = await patient(asked);
  if (!answer) {
    const kept = await OWN_DATA.read(name);
    return kept ? Response.json({[name]: kept.refs ?? kept}, {headers: {"X-Kept": "1"}}) : asked;
  }
  if (isLogin(answer)) await forget();
  else if (!(await isOfAnother(answer)) && answer.status === 200 && name === "searches") {
    await OWN_DATA.write(name, (await answer.clone().json()).searches);
    if (since !== forgotten) await erase();
  }
  return answer;
}

/**
 * Whether a response is for another user than the one whose data is stored. That data is then
 * deleted, with the stars that were not sent.
 */
async function isOfAnother(answer) {
  const user = answer.headers.get("X-Offers-User");
  const known = await readUser();
  if (user === null || known === user) return false;
  if (known !== undefined) {
    await forget();
    await eraseData({keepsStars: false});
  }
  knownUser = user;
  await (await caches.open(FILES)).delete(LOGGED_OUT);
  await (await caches.open(USER)).put("/user", new Response(user));
  return known !== undefined;
}

// The user whose data is stored, as long as the service worker runs; undefined if it must be read.
let knownUser;

/** The number of the user whose data is stored; undefined if there is none. */
async function readUser() {
  knownUser ??= await (await caches.match("/user", {cacheName: USER}))?.text();
  return knownUser;
}

/** Whether a response means that the server requires a login again. */
function isLogin(answer) {
  // The response to a navigation hides the target of a redirect (`opaqueredirect`). The server
  // redirects GET requests to the login page only.
  return answer.status === 401 || answer.type === "opaqueredirect"
    || (answer.redirected && ownURL(answer.url)?.pathname === "/login");
}

// The number of calls of `forget`. A fetch that began before the last one must not be stored.
let forgotten = 0;

/** Deletes all that requires a login: everything but the assets and the stars to be sent. */
async function forget({isLoggedOut = true} = {}) {
  forgotten += 1;
  // Nobody else who uses this browser is shown the notices of its user.
  if (isLoggedOut) await unsubscribe();
  await erase();
  if (isLoggedOut) await (await caches.open(FILES)).put(LOGGED_OUT, new Response());
}

async function erase() {
  knownUser = undefined;
  await Promise.all([PAGES, IMAGES, USER].map((name) => caches.delete(name)));
  await eraseData({keepsStars: true});
}

/**
 * Sends a logout. The server accepts it by a redirect. Then all stored data is deleted, and the
 * stars that were not sent as well.
 */
async function logOut(request) {
  // While the server still knows the user.
  await removeChannel();
  // In WebKit, a fetch that does not follow a redirect with Clear-Site-Data never ends.
  const answer = await fetch(new Request(request, {redirect: "follow"}));
  if (!answer.redirected) return answer;
  await forget();
  await eraseData({keepsStars: false});
  return Response.redirect(answer.url, 303);
}

/**
 * Whether a form was sent by a page of this server. The browser sends any other one by itself, since a request of this
 * worker would have this origin, whatever site it comes from.
 */
const isOwnForm = ({referrer}) => referrer !== "" && ownURL(referrer) !== null;

async function page(request) {
  const url = ownURL(request.url);
  // A script asks for the page as this device has it, with the stars that were not sent.
  if (request.headers.has("X-From-Store")) {
    return (await makePage(url).catch(() => null)) ?? Response.error();
  }
  // The pages that a script appends to a long list would evict the pages that people visited.
  const isPart = request.mode !== "navigate" && url.searchParams.has("page");
  // The server decides for each request anew whether it shows a site.
  const isSite = url.pathname === "/web" && url.search !== "";
  const asked = fromServer(request, isPart || isSite || url.pathname === "/welcome" ? null : PAGES);
  const isSearch = url.pathname === "/search" && url.searchParams.has("feed");
  const answer = await patient(asked, isSearch ? SEARCH_PATIENCE : PATIENCE);
  if (answer) return answer;
  const kept = (await makePage(url).catch(() => null)) ?? (await caches.match(request, {ignoreVary: true}));
  if (kept) return kept;
  const late = await asked.catch(() => null);
  if (late && !GATEWAY_ERRORS.has(late.status)) return late;
  if (request.mode !== "navigate" && !request.headers.get("Accept")?.includes("text/html")) {
    return asked;
  }
  return (await offlinePage(url).catch(() => null)) ?? (await caches.match(OFFLINE)) ?? Response.error();
}

/** The page that says that nothing is stored; undefined if something is. */
async function offlinePage(url) {
  if ((await readData()) || (await (await caches.open(PAGES)).keys()).length > 0) return undefined;
  return makeEmptyPage(url, Boolean(await (await caches.open(FILES)).match(LOGGED_OUT)));
}

const turns = {};

/**
 * Stores a response as the newest entry of a cache, and evicts the oldest visited pages, or the images that were used
 * least recently. One of a cache is stored at a time, so that the limits hold.
 */
function put(name, request, answer) {
  turns[name] = (turns[name] ?? Promise.resolve()).then(async () => {
    const cache = await caches.open(name);
    if (name !== FILES) {
      await cache.delete(request);
      const keys = await cache.keys();
      const exempt = name === IMAGES ? await exemptImages(keys) : new Set();
      const excess = keys.length + 1 - (name === IMAGES ? MOST_IMAGES : MOST_PAGES);
      const evicted = keys.filter((key) => !exempt.has(key)).slice(0, Math.max(0, excess));
      for (const key of evicted) await cache.delete(key);
    }
    await cache.put(request, answer);
  }).catch(() => {
    // The response is shown even if storing it failed.
  });
  return turns[name];
}

/** The newest images of favorites, which are not evicted. */
async function exemptImages(keys) {
  const favorites = new Set((await OWN_DATA.read("favorites"))?.refs.map(encodeRef));
  return new Set(keys.filter(({url}) => favorites.has(new URL(url).pathname.split("/").at(-1))).slice(-FAVORITE_IMAGES));
}
