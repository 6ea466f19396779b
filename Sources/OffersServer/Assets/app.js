// The entry point of the scripts of every page. Without scripts the pages work by links and forms.

import {on, start} from "./events.js?v=__VERSION__";
import {say, toast} from "./messages.js?v=__VERSION__";
import "./household.js?v=__VERSION__";
import {compare, send} from "./stars.js?v=__VERSION__";
import "./lists.js?v=__VERSION__";
import "./refresh.js?v=__VERSION__";
import "./search.js?v=__VERSION__";
import "./share.js?v=__VERSION__";
import "./sheet.js?v=__VERSION__";

const offline = document.querySelector("[data-offline]");
let telling;
on("state", (isUp) => {
  clearTimeout(telling);
  // A connection that ends is usually replaced within a second.
  telling = setTimeout(() => tell(isUp), isUp ? 0 : 1000);
});
function tell(isUp) {
  if (offline.hidden === isUp) return;
  offline.hidden = isUp;
  say(isUp ? "The server answers again." : offline.textContent.trim());
}

// The sites that another user visited with this browser are theirs.
const {user} = document.body.dataset;
for (const storage of user ? [sessionStorage, localStorage] : []) {
  if ((storage.getItem("user") ?? user) !== user) forgetSites(storage);
  storage.setItem("user", user);
}

if (document.querySelector("[data-map-link], [data-small-map]")) import("./map.js?v=__VERSION__");
if (document.querySelector("[data-add-feed]")) import("./add-feed.js?v=__VERSION__");
if (document.querySelector("[data-browser]")) import("./web.js?v=__VERSION__");

/** Removes the visited sites and the home page of the page “Web”. */
function forgetSites(...storages) {
  for (const storage of storages) {
    for (const key of Object.keys(storage)) if (key.startsWith("web-")) storage.removeItem(key);
  }
}
document.querySelector("form[action='/logout']")?.addEventListener("submit", () => {
  forgetSites(sessionStorage, localStorage);
});

if ("serviceWorker" in navigator) {
  navigator.serviceWorker.register("/sw.js", {scope: "/"}).catch(() => {
    // Service workers require HTTPS or localhost. Without one, the pages work online only.
  });
  const tell = (kind) => navigator.serviceWorker.ready.then(({active}) => active?.postMessage({kind}));
  tell("update");
  on("changed", () => tell("update"));
  const forget = document.querySelector("[data-forget]");
  if (forget && "caches" in self) {
    forget.hidden = false;
    forget.addEventListener("click", async () => {
      forgetSites(sessionStorage, localStorage);
      await tell("forget");
      toast("The stored offers and pages are deleted.");
    });
  }
}

const bar = document.querySelector(".bar");
function showTitle() {
  const heading = document.querySelector("main .head h1");
  const isAway = Boolean(heading) && heading.getBoundingClientRect().bottom < bar.offsetHeight;
  document.body.classList.toggle("is-scrolled", isAway);
}
addEventListener("scroll", showTitle, {passive: true});
showTitle();

start();
compare().then(send);
