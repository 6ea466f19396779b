// The entry point of the scripts of every page. Without scripts the pages work by links and forms.

import {isLoggedOut, isReachable, on, start} from "./server-events.js?v=__VERSION__";
import {loggedOut, loginAddress, say, toast} from "./messages.js?v=__VERSION__";
import {note} from "./dialogs.js?v=__VERSION__";
import {showStars} from "./stars.js?v=__VERSION__";
import "./lists.js?v=__VERSION__";
import "./news.js?v=__VERSION__";
import "./list-position.js?v=__VERSION__";
import "./feed-refresh.js?v=__VERSION__";
import "./search.js?v=__VERSION__";
import "./share-link.js?v=__VERSION__";
import "./offer-sheet.js?v=__VERSION__";
import "./hide.js?v=__VERSION__";
import "./slow-pages.js?v=__VERSION__";
import {addressOf, ownName} from "./base-path.js?v=__VERSION__";

// Screens with room for a column beside the list, and the keys, which open offers in it.
const hasRoom = matchMedia("(min-width: 900px)");
const openRoom = () => hasRoom.matches && import("./keyboard.js?v=__VERSION__");
hasRoom.addEventListener("change", openRoom);
openRoom();

const offline = document.querySelector("[data-offline]");
const offlineText = offline.querySelector("[data-offline-text]");
const loginLink = offline.querySelector("[data-login]");
const isUnreachable = offlineText.textContent;
let telling;
on("state", () => {
  clearTimeout(telling);
  // A connection that ends is usually replaced within a second.
  telling = setTimeout(tell, isReachable() || isLoggedOut() ? 0 : 1000);
});
function tell() {
  const isUp = isReachable();
  const text = isLoggedOut() ? loggedOut : isUnreachable;
  if (offline.hidden === isUp && (isUp || offlineText.textContent === text)) return;
  offline.hidden = isUp;
  if (isUp) return say("The server answers again.");
  offlineText.textContent = text;
  loginLink.hidden = !isLoggedOut();
  loginLink.href = loginAddress();
  say(text);
}

// A form that no script sends leaves the page. Without the server it would lead to an error of the browser.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method !== "post" || isReachable()) return;
  event.preventDefault();
  if (isLoggedOut()) toast(loggedOut, {label: "Log in", run: () => location.assign(loginAddress())});
  else toast("The server does not answer. Try this again when it does.");
});

// The outcome of a form is told once: a reload does not tell it again.
const done = document.querySelector("[data-done]");
if (done) {
  say(done.textContent);
  note(history.state, location.pathname + location.hash);
}

// Visited sites and counts that this browser stored for another user are removed.
const {user} = document.body.dataset;
for (const storage of user ? [sessionStorage, localStorage] : []) {
  const key = ownName("user");
  if ((storage.getItem(key) ?? user) !== user) forgetTraces(storage);
  storage.setItem(key, user);
}

if (document.querySelector(`a[href='${addressOf("/household")}'], [data-household]`)) import("./household.js?v=__VERSION__");
if (document.querySelector("[data-map-link], [data-small-map]")) import("./map.js?v=__VERSION__");
if (document.querySelector("[data-add-feed]")) import("./add-feed.js?v=__VERSION__");
if (document.querySelector("[data-push]")) import("./push.js?v=__VERSION__");
if (document.querySelector("[data-browser]")) import("./web.js?v=__VERSION__");

/** Removes the visited sites and the home page of the page “Web”, the numbers of the badges and the choice of streets. */
function forgetTraces(...storages) {
  for (const storage of storages) {
    for (const name of ["web-history", "web-home", "news", "notices", "streets"]) storage.removeItem(ownName(name));
  }
}
document.querySelector(`form[action='${addressOf("/logout")}']`)?.addEventListener("submit", () => {
  forgetTraces(sessionStorage, localStorage);
});

if ("serviceWorker" in navigator) {
  // The worker stores all files at its installation, which must not delay the pictures of the first page.
  const register = () => navigator.serviceWorker.register(addressOf("/sw.js"), {scope: addressOf("/")}).catch(() => {
    // Service workers require HTTPS or localhost. Without one, the pages work online only.
  });
  if (document.readyState === "complete") register();
  else addEventListener("load", register);
  const tell = (kind) => navigator.serviceWorker.ready.then(({active}) => active?.postMessage({kind}));
  on("changed", () => tell("update"));
  const forget = document.querySelector("[data-forget]");
  if (forget && "caches" in self) {
    forget.hidden = false;
    forget.addEventListener("click", async () => {
      forgetTraces(sessionStorage, localStorage);
      await tell("forget");
      toast("The stored offers and pages are deleted.");
    });
  }
}

const bar = document.querySelector(".bar");
const head = () => document.querySelector("main > .head");
// On a phone the heading is the bar, and does not scroll away.
const isPhone = matchMedia("(max-width: 899px)");
function showTitle() {
  const isAway = isPhone.matches ? scrollY > 12 : head()?.getBoundingClientRect().bottom < bar.offsetHeight;
  document.body.classList.toggle("is-scrolled", isAway);
}
addEventListener("scroll", showTitle, {passive: true});
showTitle();

start();
showStars(document);
