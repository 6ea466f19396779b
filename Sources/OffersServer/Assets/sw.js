// Keeps what was seen, so that it can be read when the server is stopped.
//
// Pages come from the server as long as it answers. Files of a version never change and come from
// here. Every cache is bounded, and those of older versions go when a new one takes over.

const VERSION = "__VERSION__";
const FILES = `offers-files-${VERSION}`;
// Their form, not the version of the program: what was seen stays readable after an update.
const PAGES = "offers-pages-1";
const IMAGES = "offers-images-1";
const LIMITS = {[PAGES]: 120, [IMAGES]: 240};

const files = [
  "app.css", "pages.css", "app.js", "events.js", "lists.js", "map.js", "messages.js", "refresh.js",
  "search.js", "stars.js", "web.js", "icon.svg", "icon-192.png",
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
      const current = new Set([FILES, PAGES, IMAGES]);
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
    event.respondWith(fresh(request, PAGES));
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

/** From the server, and kept; from here when it does not answer. */
async function fresh(request, name) {
  try {
    const answer = await fetch(request);
    if (answer.ok && !answer.redirected) await put(name, request, answer.clone());
    return answer;
  } catch (error) {
    const kept = await caches.match(request, {ignoreVary: true});
    if (kept) return kept;
    throw error;
  }
}

async function page(request) {
  try {
    return await fresh(request, PAGES);
  } catch (error) {
    if (request.mode !== "navigate" && !request.headers.get("Accept")?.includes("text/html")) throw error;
    const url = new URL(request.url);
    // Another order or filter of a list that was seen is better than nothing.
    const other = request.mode === "navigate" && url.search && url.pathname !== "/search"
      && url.pathname !== "/web" ? await caches.match(url.pathname) : null;
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

/** Keeps the favorites, each with its page and its image, also those that were never opened. */
async function keepFavorites() {
  try {
    const answer = await fetch("/api/v1/favorites");
    if (!answer.ok) return;
    await put(PAGES, "/api/v1/favorites", answer.clone());
    const list = await fetch("/favorites");
    if (list.ok) await put(PAGES, "/favorites", list);
    const pages = await caches.open(PAGES);
    const images = await caches.open(IMAGES);
    for (const ref of (await answer.json()).favorites.slice(0, 50)) {
      const name = nameOf(ref);
      if (!(await pages.match(`/offers/${name}`))) await keep(PAGES, `/offers/${name}`);
      if (!(await images.match(`/api/v1/images/${name}`))) await keep(IMAGES, `/api/v1/images/${name}`);
    }
  } catch {
    // The server is away; what is here stays.
  }
}

/** An offer's name in a path, as the server writes it. */
function nameOf(ref) {
  const name = encodeURIComponent(ref).replace(/%3A/g, ":");
  return name.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

async function keep(name, path) {
  const answer = await fetch(path);
  if (answer.ok) await put(name, path, answer);
}
