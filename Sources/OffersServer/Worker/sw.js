// The service worker. It makes the pages readable while the server is stopped.
//
// One rule for pages: the server is asked first. If it does not answer in time, the page is made from
// the stored offers (offline-pages.js); a page that is not made of them, such as the settings, comes
// from the cache of visited pages. Assets are read from the cache first, because the content behind
// the URL of a version never changes. Everything that is stored has a limit. A new version of the
// worker deletes the cached assets of older versions.

const VERSION = "__VERSION__";
// The path of the server, at which this file is; empty at the root of its host.
const BASE = new URL(".", self.location).pathname.slice(0, -1);
// All paths of a host share one cache storage, so the names of this server's caches begin with its path. The colon
// ends the path, because no path has one.
const PREFIX = BASE ? `offers${BASE}:` : "offers-";
const FILES = `${PREFIX}files-${VERSION}`;
// The number in these names is the format of the cache and not the version of the program, so that
// stored pages survive an update.
const PAGES = `${PREFIX}pages-1`;
const IMAGES = `${PREFIX}images-2`;
// The number of the user whose data is stored. Not in IndexedDB, which a page can block.
const USER = `${PREFIX}user-1`;
// The entry of FILES that says that the stored data was deleted by a logout.
const LOGGED_OUT = "/logged-out";
// The maximum number of visited pages; the oldest are evicted.
const MOST_PAGES = 120;
// The maximum number of images. The newest FAVORITE_IMAGES images of favorites are not evicted; of the
// others the least recently used one is evicted first. The server's image store has the same limits.
const MOST_IMAGES = 50;
const FAVORITE_IMAGES = 30;
// The timeout of a request whose answer is also stored here, in milliseconds. On a network without
// the server, a connection attempt takes minutes to fail.
const PATIENCE = 5000;
// The timeout of a search on a feed's server, whose response time is added to ours.
const SEARCH_PATIENCE = 15_000;
// The timeout of all these requests in the half minute after one has timed out.
const LITTLE_PATIENCE = 400;
// The statuses with which a proxy says that the server does not answer.
const GATEWAY_ERRORS = new Set([502, 503, 504]);

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
  "offline-search.js", "offline-texts.js", "offline-values.js",
];
importScripts(...parts.map((name) => addressOf(`/assets/${name}?v=${VERSION}`)));

// The server replaces the placeholder by the names of all assets but this file and the icons of the app.
const files = "__FILES__".split(" ").filter((name) => !parts.includes(name))
  .map((name) => addressOf(`/assets/${name}?v=${VERSION}`));

const mapFiles = ["leaflet.css", "leaflet.min.js", "leaflet.markercluster.min.js"]
  .map((name) => addressOf(`/map/${name}?v=${VERSION}`));

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(FILES)
      .then(async (cache) => {
        await cache.addAll([...files, addressOf("/offline"), addressOf("/manifest.webmanifest")]);
        // The map library may be missing on the server.
        await cache.addAll(mapFiles).catch(() => {});
      })
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      const current = new Set([FILES, PAGES, IMAGES, USER]);
      for (const name of await caches.keys()) {
        if (name.startsWith(PREFIX) && !current.has(name)) await caches.delete(name);
      }
      // The open pages, and the start page of the installed app, were loaded before this worker
      // could store them.
      await storeFirstPages();
      await self.clients.claim();
    })(),
  );
});

/** Stores the start page and the pages that are open. */
async function storeFirstPages() {
  const windows = await self.clients.matchAll({type: "window", includeUncontrolled: true});
  const paths = new Set(["/"]);
  for (const {url} of windows.slice(0, 10)) {
    const {pathname, search} = ownURL(url) ?? {};
    if (!pathname) continue;
    // A search and a site would take effect again.
    const hasEffect = ["/search", "/web", "/login", "/pair", "/welcome"].includes(pathname) || pathname.startsWith("/login/");
    if (!hasEffect) paths.add(pathname + search);
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
    event.waitUntil(Promise.all([self.clients.claim(), keepFavorites(), updateOffers()]));
  }
  if (kind === "forget") event.waitUntil(forget({isLoggedOut: false}));
});

self.addEventListener("fetch", (event) => {
  const request = event.request;
  const path = ownURL(request.url)?.pathname;
  if (!path) return;
  if (request.method === "POST" && path === "/logout") return event.respondWith(logOut(request));
  if (request.method !== "GET") return;
  if (path.startsWith("/assets/") || path.startsWith("/map/")) {
    event.respondWith(cacheFirst(request));
  } else if (path === "/manifest.webmanifest") {
    // The manifest requires no token, so that it is kept when the stored pages are deleted.
    event.respondWith(networkFirst(request, FILES));
  } else if (path.startsWith("/api/v1/images/")) {
    event.respondWith(networkFirst(request, IMAGES));
  } else if (path === "/api/v1/favorites" || path === "/api/v1/searches") {
    event.respondWith(ownList(request, path.split("/").at(-1)));
  } else if (["/api/", "/login/"].some((start) => path.startsWith(start)) || ["/login", "/pair", "/sw.js"].includes(path)) {
    return;
  } else {
    event.respondWith(page(request));
  }
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
  const kept = await caches.match(request, {ignoreVary: true});
  if (!kept) return asked;
  // The use makes the image the most recently used one.
  if (name === IMAGES) putImage(request, kept.clone());
  return kept;
}

/** Answers a request from the server, and stores the response in the cache `name` unless null. */
async function fromServer(request, name) {
  let since = forgotten;
  const answer = await fetch(request);
  if (isLogin(answer)) await forget();
  else if (await isOfAnother(answer)) since = forgotten;
  if (!isLogin(answer) && name && answer.ok && !answer.redirected) {
    const copy = answer.clone();
    await (name === IMAGES ? putImage(request, copy) : put(name, request, copy));
    if (since !== forgotten) await erase();
  }
  return answer;
}

// Until when the server is known to be slow.
let slowUntil = -Infinity;

/** Fulfills with null for no answer, and for one that takes longer than a person waits. */
async function patient(asked, patience = PATIENCE) {
  const isSlow = Date.now() < slowUntil;
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, isSlow ? LITTLE_PATIENCE : patience, undefined);
  });
  const answer = await Promise.race([asked.catch(() => null), late]);
  clearTimeout(timer);
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
 * Answers a request for the favorites or the recent searches, and stores the list. The header
 * `X-Kept` marks a stored list, so that pages can recognize it.
 */
async function ownList(request, name) {
  const since = forgotten;
  const asked = fetch(request);
  const answer = await patient(asked);
  if (answer && !isLogin(answer)) await isOfAnother(answer);
  if (!answer) {
    const kept = await readValue(OWN_DATA, name);
    return kept ? Response.json({[name]: kept.refs ?? kept}, {headers: {"X-Kept": "1"}}) : asked;
  }
  if (isLogin(answer)) await forget();
  else if (answer.status === 200 && name === "searches") {
    await writeValue(OWN_DATA, name, (await answer.clone().json()).searches);
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
  if (user === null) return false;
  const known = await readUser();
  if (known === user) return false;
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
  const answer = await fetch(request);
  if (answer.type === "opaqueredirect" || answer.redirected) {
    await forget();
    await eraseData({keepsStars: false});
  }
  return answer;
}

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
  return (await offlinePage(url).catch(() => null)) ?? (await caches.match(addressOf("/offline"))) ?? Response.error();
}

/** The page that says that nothing is stored; undefined if something is. */
async function offlinePage(url) {
  if ((await readData()) || (await (await caches.open(PAGES)).keys()).length > 0) return undefined;
  return makeEmptyPage(url, Boolean(await (await caches.open(FILES)).match(LOGGED_OUT)));
}

/** Stores a response as the newest entry of a cache, and evicts the oldest visited pages. */
async function put(name, request, answer) {
  const cache = await caches.open(name);
  if (name === PAGES) await cache.delete(request);
  await cache.put(request, answer);
  if (name !== PAGES) return;
  const keys = await cache.keys();
  for (const key of keys.slice(0, Math.max(0, keys.length - MOST_PAGES))) await cache.delete(key);
}

let imageTurn = Promise.resolve();

/** Stores an image as the most recently used one. One is stored at a time, so that the limit holds. */
function putImage(request, answer) {
  imageTurn = imageTurn.then(async () => {
    const cache = await caches.open(IMAGES);
    await cache.delete(request);
    const keys = await cache.keys();
    const favorites = new Set((await readValue(OWN_DATA, "favorites"))?.refs.map(encodeRef));
    const ofFavorites = keys.filter(({url}) => favorites.has(new URL(url).pathname.split("/").at(-1)));
    const exempt = new Set(ofFavorites.slice(-FAVORITE_IMAGES));
    const evicted = keys.filter((key) => !exempt.has(key));
    for (const key of evicted.slice(0, Math.max(0, keys.length + 1 - MOST_IMAGES))) {
      await cache.delete(key);
    }
    await cache.put(request, answer);
  }).catch(() => {
    // An image that cannot be stored is shown all the same.
  });
  return imageTurn;
}
