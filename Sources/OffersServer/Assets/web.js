// The page “Web”, which shows other sites: an address bar, a history of its own and a home page.
// Sites are shown in a sandboxed frame, which has no access to this origin.

const root = document.querySelector("[data-browser]");
const site = root.querySelector("[data-site]");
const form = root.querySelector("form");
const field = form.elements.url;
const start = root.querySelector("[data-web-start]");
const card = root.querySelector("[data-site-card]");
const open = root.querySelector("[data-web-open]");
const problem = root.querySelector("[data-web-problem]");
const host = root.querySelector("[data-web-host]");
const dismiss = root.querySelector("[data-web-dismiss]");
const setHome = root.querySelector("[data-web-set-home]");
const [back, next, refresh, home] = ["back", "next", "refresh", "home"].map((name) =>
  root.querySelector(`[data-web-${name}]`),
);
const homeKey = "web-home";
const pastKey = "web-history";
let past = read();
let timer;

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
  clearTimeout(timer);
  site.querySelector("iframe")?.remove();
  problem.hidden = true;
  start.hidden = url !== null;
  card.hidden = url === null;
  quiet();
  field.value = url ?? "";
  if (url === null) return update();
  open.href = url;
  host.textContent = new URL(url).host;
  const frame = document.createElement("iframe");
  frame.title = new URL(url).host;
  frame.setAttribute(
    "sandbox", "allow-forms allow-popups allow-popups-to-escape-sandbox allow-scripts");
  frame.referrerPolicy = "no-referrer";
  frame.src = url;
  // A script cannot detect a site that refuses to be framed or does not answer: the browser loads
  // its own error page into the frame. The card below the frame is therefore emphasized until the
  // person dismisses it or uses the site.
  timer = setTimeout(ask, 6000);
  frame.addEventListener("load", ask, {once: true});
  site.prepend(frame);
  update();
}

function ask() {
  clearTimeout(timer);
  card.classList.add("is-loud");
  dismiss.hidden = false;
}

function quiet() {
  card.classList.remove("is-loud");
  dismiss.hidden = true;
}

dismiss.addEventListener("click", () => {
  quiet();
  field.focus();
});
// The focus moves into the frame when the person uses the site.
addEventListener("blur", () => {
  if (document.activeElement === site.querySelector("iframe")) quiet();
});

function update() {
  sessionStorage.setItem(pastKey, JSON.stringify(past));
  const url = past.list[past.place] ?? null;
  const homeURL = localStorage.getItem(homeKey);
  back.disabled = past.place <= 0;
  next.disabled = past.place >= past.list.length - 1;
  refresh.disabled = url === null;
  home.disabled = url === null ? !homeURL : url === homeURL;
  setHome.hidden = url === null;
  const isHome = url !== null && url === homeURL;
  setHome.textContent = isHome ? "Unset home page" : "Set as home page";
  setHome.dataset.isHome = isHome ? "yes" : "";
  const path = url === null ? "/web" : `/web?url=${encodeURIComponent(url)}`;
  history.replaceState(null, "", path);
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
back.addEventListener("click", () => step(-1));
next.addEventListener("click", () => step(1));
refresh.addEventListener("click", () => show(past.list[past.place]));
home.addEventListener("click", () => {
  const url = address(localStorage.getItem(homeKey) ?? "");
  if (url) return go(url);
  past = {list: [], place: -1};
  show(null);
});
setHome.addEventListener("click", () => {
  if (setHome.dataset.isHome) localStorage.removeItem(homeKey);
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
  const url = address(localStorage.getItem(homeKey) ?? "");
  if (url) go(url);
  else update();
}
