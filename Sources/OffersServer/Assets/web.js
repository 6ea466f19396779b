// The page “Web”, which shows other sites: an address bar, a history of its own and a home page.
// Sites are shown in a sandboxed frame, which has no access to this origin.

import {make} from "./elements.js?v=__VERSION__";
import {note} from "./dialogs.js?v=__VERSION__";
import {send} from "./requests.js?v=__VERSION__";
import {addressOf, ownName} from "./base-path.js?v=__VERSION__";

const root = document.querySelector("[data-browser]");
const site = root.querySelector("[data-site]");
const form = root.querySelector("form");
const field = form.elements.url;
const start = root.querySelector("[data-web-start]");
const card = root.querySelector("[data-site-card]");
const open = root.querySelector("[data-web-open]");
const problem = root.querySelector("[data-web-problem]");
const host = root.querySelector("[data-web-host]");
const refused = root.querySelector("[data-web-refused]");
const help = root.querySelector("[data-web-help]");
const moved = root.querySelector("[data-web-moved]");
const setHome = root.querySelector("[data-web-set-home]");
const [back, next, refresh, home] = ["back", "next", "refresh", "home"].map((name) =>
  root.querySelector(`[data-web-${name}]`),
);
// A logout removes all keys with this prefix (app.js).
const homeKey = ownName("web-home");
const pastKey = ownName("web-history");
let past = read();
// Whether the frame shows another page than the one of the address, and how often a site was shown.
let isMoved = false;
let shown = 0;
// How many links were followed in the frame beyond the address, how many of them Back has left, and the
// step of Back or Next in the frame that has not arrived yet.
let depth = 0;
let ahead = 0;
let stepping = 0;
let late;

function read() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(pastKey));
    if (Array.isArray(kept?.list) && Number.isInteger(kept.place)) return kept;
  } catch {
    // An invalid history is replaced by an empty one.
  }
  return {list: [], place: -1};
}

/** The http or https URL for an address as people type it; null for any other text. */
function address(text) {
  const words = text.trim();
  const isWhole = /^https?:\/\//i.test(words);
  if (!isWhole && (!/^[^/?#:\s]+(:\d+)?([/?#]|$)/.test(words) || !/[.]|^localhost/.test(words))) return null;
  try {
    const url = new URL(isWhole ? words : `https://${words}`);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
  } catch {
    return null;
  }
}

/** Shows a site, or the start page for null. */
function show(url) {
  const mine = (shown += 1);
  site.querySelector("iframe")?.remove();
  problem.hidden = true;
  start.hidden = url !== null;
  card.hidden = url === null;
  hush();
  help.open = false;
  moved.hidden = true;
  clearTimeout(late);
  isMoved = false;
  depth = ahead = stepping = 0;
  field.value = url ?? "";
  if (url === null) return update();
  const name = new URL(url).host;
  open.href = url;
  open.textContent = "Open in a new tab";
  host.textContent = name;
  const frame = make("iframe", {
    title: name, sandbox: "allow-forms allow-popups allow-popups-to-escape-sandbox allow-scripts",
    referrerPolicy: "no-referrer", src: url,
  });
  // The first event belongs to the address. A further one means that the frame has left it. A link
  // adds an entry to the history; Back, a redirect and a reload do not.
  let count = null;
  const silence = `${name} has not answered for 5 seconds.`;
  const slow = setTimeout(() => explain(silence), 4500);
  frame.addEventListener("load", () => {
    if (refused.textContent === silence) hush();
    clearTimeout(slow);
    if (count !== null) arrive(url, name, history.length > count);
    count = history.length;
  });
  site.prepend(frame);
  update();
  if (isMixed(url)) {
    return explain(`${name} is not encrypted (http), so the browser blocks it inside this encrypted page.`);
  }
  ask(url).then(({refused: isRefused, answers}) => {
    if (mine !== shown || (answers !== false && !isRefused)) return;
    clearTimeout(slow);
    if (isRefused) return explain(`${name} refuses to be shown inside another page.`);
    // The browser would show its own error page.
    frame.remove();
    explain(`${name} does not answer. Refresh asks it again.`);
  });
}

/** Counts a page that has arrived in the frame. `isLink` tells that the history has grown. */
function arrive(url, name, isLink) {
  clearTimeout(late);
  if (stepping !== 0) {
    depth += stepping;
    ahead -= stepping;
  } else if (isLink || ahead > 0) {
    depth += 1;
    ahead = 0;
  }
  const isBack = stepping !== 0 && depth === 0;
  stepping = 0;
  if (!isBack) return leave(name, depth > 0);
  isMoved = false;
  moved.hidden = true;
  open.textContent = "Open in a new tab";
  update();
}

/** Goes back or forward within the frame. The address is shown again if nothing arrives. */
function stepInside(by) {
  stepping = by;
  history.go(by);
  late = setTimeout(() => step(0), 3000);
}

/**
 * Tells that the frame has left the page of the address, which stays as the last one known. Where the frame
 * went is hidden from this page: only that a link was followed is known, or not even that.
 */
function leave(name, isLink) {
  isMoved = true;
  moved.textContent = isLink
    ? `You followed a link in ${name}. This page cannot tell where it led: Refresh loads the address above. `
      + `Back returns to ${depth > 1 ? "the page before" : name}.`
    : `${name} may show another page than the one of its address. Back returns to that one.`;
  moved.hidden = false;
  open.textContent = `Open ${name} in a new tab`;
  update();
}

/** Whether browsers block a site as mixed content: an http page in an https page, but of this machine. */
function isMixed(url) {
  const {protocol, hostname} = new URL(url);
  const isOwnMachine = /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  return location.protocol === "https:" && protocol === "http:" && !isOwnMachine;
}

/**
 * Asks the server whether a site refuses to be framed, and whether it answers. A script cannot detect it: the
 * browser loads its own error page into the frame.
 */
async function ask(url) {
  try {
    const response = await send("POST", "/framing", {url});
    return response.ok ? await response.json() : {};
  } catch {
    return {};
  }
}

/** Says why a site is not shown. */
function explain(reason) {
  refused.textContent = reason;
  refused.hidden = false;
  help.hidden = true;
  card.classList.add("is-loud");
}

/** Takes back what explain() said. */
function hush() {
  refused.hidden = true;
  refused.textContent = "";
  help.hidden = false;
  card.classList.remove("is-loud");
}

/** The home page: the person's own, or else that of a feed; null for none. */
function homeAddress() {
  const own = localStorage.getItem(homeKey);
  return address(own ?? root.dataset.home ?? "");
}

function update() {
  sessionStorage.setItem(pastKey, JSON.stringify(past));
  const url = past.list[past.place] ?? null;
  const homeURL = homeAddress();
  back.disabled = past.place <= 0 && !isMoved;
  next.disabled = ahead === 0 && (past.place >= past.list.length - 1 || isMoved);
  refresh.disabled = url === null;
  home.disabled = url === null ? !homeURL : url === homeURL && !isMoved;
  setHome.hidden = url === null;
  const isHome = url !== null && url === homeURL;
  setHome.textContent = isHome ? "Unset home page" : "Set as home page";
  setHome.dataset.isHome = isHome ? "yes" : "";
  const path = url === null ? "/web" : `/web?url=${encodeURIComponent(url)}`;
  note(null, addressOf(path));
}

function go(url) {
  if (past.list[past.place] !== url) {
    past.list = past.list.slice(0, past.place + 1).concat(url).slice(-50);
    past.place = past.list.length - 1;
  }
  show(url);
}

function step(by) {
  past.place += by;
  show(past.list[past.place]);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const url = address(field.value);
  problem.hidden = url !== null;
  if (url !== null) go(url);
});
back.addEventListener("click", () => {
  if (stepping !== 0) return;
  if (depth > 0) stepInside(-1);
  else step(isMoved ? 0 : -1);
});
next.addEventListener("click", () => {
  if (stepping !== 0) return;
  if (ahead > 0) stepInside(1);
  else step(1);
});
refresh.addEventListener("click", () => {
  const url = past.list[past.place];
  const text = isMoved ? `Loaded again: ${url}, the last address known` : `Loaded again: ${url}`;
  show(url);
  moved.textContent = text;
  moved.hidden = false;
});
home.addEventListener("click", () => {
  const url = homeAddress();
  if (url) return go(url);
  past = {list: [], place: -1};
  show(null);
});
setHome.addEventListener("click", () => {
  // An empty text is the choice of no home page, also of none from a feed.
  if (setHome.dataset.isHome) localStorage.setItem(homeKey, "");
  else localStorage.setItem(homeKey, past.list[past.place]);
  update();
});
for (const button of [back, next, refresh, home]) button.hidden = false;

const asked = address(new URL(location.href).searchParams.get("url") ?? "");
const isRefused = !problem.hidden;
// An address that another site asked for is shown after the person has confirmed it, or again if it
// was the last one in this tab.
const isOffered = root.hasAttribute("data-offered") && past.list[past.place] !== asked;
if (isOffered) for (const button of [back, next, refresh]) button.disabled = true;
else if (asked) go(asked);
else if (isRefused) update();
else if (past.place >= 0) show(past.list[past.place]);
else {
  const url = homeAddress();
  if (url) go(url);
  else update();
}
