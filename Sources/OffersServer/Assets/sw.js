// The service worker. It stores visited pages, so that they can be read while the server is
// stopped.
//
// Pages are fetched from the server first, and read from the cache if it does not answer. Assets
// are read from the cache first, because the content behind the URL of a version never changes.
// Every cache is bounded. A new version of the worker deletes the cached assets of older versions.

const VERSION = "__VERSION__";
const FILES = `offers-files-${VERSION}`;
// The number in these names is the format of the cache and not the version of the program, so that
// stored pages survive an update.
const PAGES = "offers-pages-1";
const IMAGES = "offers-images-1";
// The favorites with their lists, pages and images. Visits to other pages do not evict them.
const FAVORITES = "offers-favorites-1";
// The maximum number of entries of a cache; the oldest are evicted.
const LIMITS = {[PAGES]: 120, [IMAGES]: 240};
// The maximum numbers of favorites and of pages of the list of favorites that are stored.
const MOST_FAVORITES = 2000;
const MOST_LISTS = 100;

const files = [
  "app.css", "controls.css", "lists.css", "map.css", "offer.css", "pages.css",
  "add-feed.js", "app.js", "events.js", "lists.js", "map.js", "messages.js", "refresh.js",
  "renew.js", "search.js", "stars.js", "web.js", "wishes.js", "icon.svg", "icon-192.png",
].map((name) => `/assets/${name}?v=${VERSION}`);

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(FILES)
      .then((cache) => cache.addAll([...files, "/offline", "/manifest.webmanifest"]))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      const current = new Set([FILES, PAGES, IMAGES, FAVORITES]);
      for (const name of await caches.keys()) {
        if (name.startsWith("offers-") && !current.has(name)) await caches.delete(name);
      }
      await self.clients.claim();
      await keepFavorites();
    })(),
  );
});

self.addEventListener("message", (event) => {
  if (event.data?.kind === "favorites") event.waitUntil(keepFavorites());
});

self.addEventListener("fetch", (event) => {
  const request = event.request;
  const url = new URL(request.url);
  if (url.origin !== self.location.origin) return;
  const path = url.pathname;
  if (request.method === "POST" && path === "/logout") return event.respondWith(logOut(request));
  if (request.method !== "GET") return;
  if (path.startsWith("/assets/") || path.startsWith("/map/")) {
    event.respondWith(cacheFirst(request));
  } else if (path === "/manifest.webmanifest") {
    // It requires no token, so that it is kept when the stored pages are deleted.
    event.respondWith(networkFirst(request, FILES));
  } else if (path.startsWith("/api/v1/images/")) {
    event.respondWith(networkFirst(request, IMAGES));
  } else if (path === "/api/v1/favorites" || path === "/api/v1/searches") {
    event.respondWith(networkFirst(request, path === "/api/v1/favorites" ? FAVORITES : PAGES));
  } else if (path.startsWith("/api/") || path === "/login" || path === "/sw.js") {
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
    if (answer.ok) await put(FILES, request, answer.clone());
    return answer;
  } catch (error) {
    // A stored page of an older version requests the assets of that version. The cached assets of
    // this version replace them.
    const other = await caches.match(request, {ignoreSearch: true});
    if (other) return other;
    throw error;
  }
}

/**
 * Answers a request from the server. Stores the response in the cache `name` or in that of the
 * favorites (see `home`), or in none if `name` is null. Answers from any cache if the server does
 * not answer.
 */
async function networkFirst(request, name) {
  const since = forgotten;
  try {
    const answer = await fetch(request);
    if (isLogin(answer)) await forget();
    else if (name && answer.ok && !answer.redirected) {
      await put(await home(request, name), request, answer.clone());
      if (since !== forgotten) await erase();
    }
    return answer;
  } catch (error) {
    const kept = await match(request);
    if (kept) return new URL(request.url).pathname.startsWith("/api/") ? marked(kept) : kept;
    throw error;
  }
}

/** Marks a stored response of the API with the header `X-Kept`, so that pages can recognize it. */
function marked(kept) {
  const headers = new Headers(kept.headers);
  headers.set("X-Kept", "1");
  return new Response(kept.body, {status: kept.status, statusText: kept.statusText, headers});
}

/** Finds a stored response. The cache of favorites comes first, because its entries are newer. */
async function match(request) {
  const options = {ignoreVary: true};
  const favorites = await caches.open(FAVORITES);
  return (await favorites.match(request, options)) ?? caches.match(request, options);
}

/** The cache to store a response in: `FAVORITES` if it has an entry for the URL, else `name`. */
async function home(request, name) {
  return (await (await caches.open(FAVORITES)).match(request)) ? FAVORITES : name;
}

/** Whether a response means that the server requires the token again. */
function isLogin(answer) {
  // The response to a navigation hides the target of a redirect (`opaqueredirect`). The server
  // redirects GET requests to the login page only.
  return answer.status === 401 || answer.type === "opaqueredirect"
    || (answer.redirected && new URL(answer.url).pathname === "/login");
}

// The number of calls of `forget`. A fetch that began before the last one must not be stored.
let forgotten = 0;

/** Deletes all stored responses that require the token: all but the assets. */
async function forget() {
  forgotten += 1;
  whole = {tag: null, at: 0};
  await erase();
}

/**
 * Sends a logout. The server accepts it by a redirect. Then all stored data of the person is
 * deleted: the stored responses, and the stars that were not sent.
 */
async function logOut(request) {
  const answer = await fetch(request);
  if (answer.type === "opaqueredirect" || answer.redirected) await Promise.all([forget(), forgetStars()]);
  return answer;
}

/** Deletes the stars that were not sent. */
function forgetStars() {
  return new Promise((resolve) => {
    const request = indexedDB.open("offers", 1);
    // A database that does not exist is not created.
    request.onupgradeneeded = () => request.transaction.abort();
    request.onerror = resolve;
    request.onsuccess = () => {
      const transaction = request.result.transaction("stars", "readwrite");
      transaction.objectStore("stars").clear();
      transaction.oncomplete = transaction.onabort = () => {
        request.result.close();
        resolve();
      };
    };
  });
}

async function erase() {
  await Promise.all([PAGES, IMAGES, FAVORITES].map((name) => caches.delete(name)));
}

async function page(request) {
  const url = new URL(request.url);
  // The pages that a script appends to a long list would evict the pages that people visited.
  const isPart = request.mode !== "navigate" && url.searchParams.has("page");
  try {
    // The server decides for each request anew whether it shows a site.
    const isSite = url.pathname === "/web" && url.search !== "";
    return await networkFirst(request, isPart || isSite ? null : PAGES);
  } catch (error) {
    if (request.mode !== "navigate" && !request.headers.get("Accept")?.includes("text/html")) throw error;
    // The page without its query, such as a list without filters, replaces one that is not stored.
    const other = request.mode === "navigate" && url.search && url.pathname !== "/search"
      && url.pathname !== "/web" ? await match(url.pathname) : null;
    return other ?? (await caches.match("/offline")) ?? Response.error();
  }
}

/** Stores a response as the newest entry of a cache, and evicts the oldest ones over its limit. */
async function put(name, request, answer) {
  const cache = await caches.open(name);
  if (LIMITS[name]) await cache.delete(request);
  await cache.put(request, answer);
  if (!LIMITS[name]) return;
  const keys = await cache.keys();
  for (const key of keys.slice(0, Math.max(0, keys.length - LIMITS[name]))) await cache.delete(key);
}

let keeping = null;
let isAskedAgain = false;
// The time of the last failed request by URL. The URL is not requested again for ten minutes.
const missed = new Map();
// The ETag of the list of favorites when all of them were stored last, and the time of that.
let whole = {tag: null, at: 0};

/** Stores the favorites. Runs never overlap; a call during one causes one more run after it. */
function keepFavorites() {
  isAskedAgain = keeping !== null;
  const since = forgotten;
  keeping ??= keepAll()
    .catch(() => {
      // The server does not answer; the stored favorites stay.
    })
    .then(async () => {
      keeping = null;
      if (since !== forgotten) await erase();
      if (isAskedAgain) return keepFavorites();
    });
  return keeping;
}

/** Stores the list of favorites, and the page and the image of each, whether visited or not. */
async function keepAll() {
  const answer = await fetch("/api/v1/favorites");
  if (isLogin(answer)) return forget();
  if (!answer.ok) return;
  const cache = await caches.open(FAVORITES);
  const tag = answer.headers.get("ETag");
  const isWhole = tag !== null && tag === whole.tag && Date.now() - whole.at < 600_000;
  if (isWhole && (await cache.match("/favorites"))) return;
  await cache.put("/api/v1/favorites", answer.clone());
  const names = (await answer.json()).favorites.slice(0, MOST_FAVORITES).map(nameOf);
  const wanted = new Set(names.map((name) => `/offers/${name}`));
  const lists = new Set(["/api/v1/favorites"]);
  for (let next = "/favorites"; next && lists.size <= MOST_LISTS; ) {
    const list = await fetch(next);
    if (isLogin(list)) return forget();
    if (!list.ok) return;
    await cache.put(next, list.clone());
    lists.add(next);
    const text = await list.text();
    for (const [, image] of text.matchAll(/<img src="(\/api\/v1\/images\/[^"]+)"/g)) {
      if (wanted.size < 2 * MOST_FAVORITES) wanted.add(image);
    }
    next = text.match(/href="(\/favorites\?page=\d+)" data-more/)?.[1];
  }
  const missing = new Set(wanted);
  for (const key of await cache.keys()) {
    const {pathname, search} = new URL(key.url);
    if (!wanted.has(pathname + search) && !lists.has(pathname + search)) await release(cache, key);
    missing.delete(pathname + search);
  }
  const queue = [...missing].filter((path) => !(Date.now() - missed.get(path) < 600_000));
  // Four requests at a time leave capacity for other clients.
  await Promise.all(
    [1, 2, 3, 4].map(async () => {
      for (let path = queue.shift(); path; path = queue.shift()) {
        const found = await fetch(path);
        if (found.ok && !found.redirected) {
          await cache.put(path, found);
        } else {
          missed.set(path, Date.now());
        }
      }
    }),
  );
  whole = {tag, at: Date.now()};
}

/** Removes an entry that is no longer a favorite; its page moves to the visited pages. */
async function release(cache, key) {
  const kept = await cache.match(key);
  await cache.delete(key);
  if (kept && new URL(key.url).pathname.startsWith("/offers/")) await put(PAGES, key, kept);
}

/** Encodes the reference of an offer as a path segment, exactly as the server encodes it. */
function nameOf(ref) {
  const name = encodeURIComponent(ref).replace(/%3A/g, ":");
  return name.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
