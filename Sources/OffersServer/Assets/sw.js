// Keeps what was seen, so that it can be read when the server is stopped.
//
// Pages come from the server as long as it answers. Files of a version never change and come from
// here. Every cache is bounded, and those of older versions go when a new one takes over.

const VERSION = "__VERSION__";
const FILES = `offers-files-${VERSION}`;
// Their form, not the version of the program: what was seen stays readable after an update.
const PAGES = "offers-pages-1";
const IMAGES = "offers-images-1";
// The favorites, with their lists, pages and images, whatever else is looked at meanwhile.
const FAVORITES = "offers-favorites-1";
const LIMITS = {[PAGES]: 120, [IMAGES]: 240};
// More of them than this are not kept.
const MOST_FAVORITES = 2000;
const MOST_LISTS = 100;

const files = [
  "app.css", "controls.css", "pages.css", "app.js", "events.js", "lists.js", "map.js", "messages.js", "refresh.js",
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
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  const path = url.pathname;
  if (path.startsWith("/assets/") || path.startsWith("/map/")) {
    event.respondWith(file(request));
  } else if (path.startsWith("/api/v1/images/")) {
    event.respondWith(fresh(request, IMAGES));
  } else if (path === "/api/v1/favorites" || path === "/api/v1/searches") {
    event.respondWith(fresh(request, path === "/api/v1/favorites" ? FAVORITES : PAGES));
  } else if (path.startsWith("/api/") || path === "/login" || path === "/sw.js") {
    return;
  } else {
    event.respondWith(page(request));
  }
});

/** A file: from here, else from the server. */
async function file(request) {
  const kept = await caches.match(request);
  if (kept) return kept;
  try {
    const answer = await fetch(request);
    if (answer.ok) await put(FILES, request, answer.clone());
    return answer;
  } catch (error) {
    // A page of an older version asks for files of its own.
    const other = await caches.match(request, {ignoreSearch: true});
    if (other) return other;
    throw error;
  }
}

/** From the server, and kept; from here when it does not answer. `name`: null keeps nothing. */
async function fresh(request, name) {
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

/** An answer that was kept, told from one that the server gives. */
function marked(kept) {
  const headers = new Headers(kept.headers);
  headers.set("X-Kept", "1");
  return new Response(kept.body, {status: kept.status, statusText: kept.statusText, headers});
}

/** What is kept under an address: a favorite's is the newest. */
async function match(request) {
  const options = {ignoreVary: true};
  const favorites = await caches.open(FAVORITES);
  return (await favorites.match(request, options)) ?? caches.match(request, options);
}

/** The cache of an address: what is kept with the favorites stays there. */
async function home(request, name) {
  return (await (await caches.open(FAVORITES)).match(request)) ? FAVORITES : name;
}

/** Whether the server wants to be shown the token again. */
function isLogin(answer) {
  // Where a page asks for another page, browsers do not say where they are led; that is nowhere else.
  return answer.status === 401 || answer.type === "opaqueredirect"
    || (answer.redirected && new URL(answer.url).pathname === "/login");
}

// How often all was forgotten: what was under way meanwhile is not kept either.
let forgotten = 0;

/** Forgets what only somebody with the token may see. */
async function forget() {
  forgotten += 1;
  whole = {tag: null, at: 0};
  await erase();
}

async function erase() {
  await Promise.all([PAGES, IMAGES, FAVORITES].map((name) => caches.delete(name)));
}

async function page(request) {
  const url = new URL(request.url);
  // The further parts of long lists would drive out what somebody looked at.
  const isPart = request.mode !== "navigate" && url.searchParams.has("page");
  try {
    return await fresh(request, isPart ? null : PAGES);
  } catch (error) {
    if (request.mode !== "navigate" && !request.headers.get("Accept")?.includes("text/html")) throw error;
    // Another order or filter of a list that was seen is better than nothing.
    const other = request.mode === "navigate" && url.search && url.pathname !== "/search"
      && url.pathname !== "/web" ? await match(url.pathname) : null;
    return other ?? (await caches.match("/offline")) ?? Response.error();
  }
}

/** Puts an answer last, and lets the first ones go where there are too many. */
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
// When an address of a favorite could not be had: it is not asked for again before ten minutes.
const missed = new Map();
// What the server named the favorites that are all kept, and when they were.
let whole = {tag: null, at: 0};

/** Keeps the favorites, one time after the other. */
function keepFavorites() {
  isAskedAgain = keeping !== null;
  const since = forgotten;
  keeping ??= keepAll()
    .catch(() => {
      // The server is away; what is here stays.
    })
    .then(async () => {
      keeping = null;
      if (since !== forgotten) await erase();
      if (isAskedAgain) return keepFavorites();
    });
  return keeping;
}

/** Keeps their list, and each with its page and its image, also those that were never opened. */
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
  // Few at a time: the server has others to answer.
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

/** Lets go of what is no favorite any more; its page is one that was seen, as others. */
async function release(cache, key) {
  const kept = await cache.match(key);
  await cache.delete(key);
  if (kept && new URL(key.url).pathname.startsWith("/offers/")) await put(PAGES, key, kept);
}

/** An offer's name in a path, as the server writes it. */
function nameOf(ref) {
  const name = encodeURIComponent(ref).replace(/%3A/g, ":");
  return name.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
