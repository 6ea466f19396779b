// The entry point of the scripts of every page. Without scripts the pages work by links and forms.

import {on, start} from "./events.js?v=__VERSION__";
import {say, toast} from "./messages.js?v=__VERSION__";
import {compare, send} from "./stars.js?v=__VERSION__";
import "./lists.js?v=__VERSION__";
import "./refresh.js?v=__VERSION__";
import "./search.js?v=__VERSION__";

const offline = document.querySelector("[data-offline]");
on("state", (isUp) => {
  offline.hidden = isUp;
  say(isUp ? "The server answers again." : offline.textContent.trim());
});

if (document.querySelector("[data-map]")) import("./map.js?v=__VERSION__").then((map) => map.drawMap());
if (document.querySelector("[data-add-feed]")) import("./add-feed.js?v=__VERSION__");
if (document.querySelector("[data-browser]")) import("./web.js?v=__VERSION__");

if ("serviceWorker" in navigator) {
  navigator.serviceWorker.register("/sw.js", {scope: "/"}).catch(() => {
    // Service workers require HTTPS or localhost. Without one, the pages work online only.
  });
  const forget = document.querySelector("[data-forget]");
  if (forget && "caches" in self) {
    forget.hidden = false;
    forget.addEventListener("click", async () => {
      const names = await caches.keys();
      await Promise.all(names.filter((name) => /pages|images|favorites/.test(name)).map((name) => caches.delete(name)));
      toast("The stored pages are deleted.");
    });
  }
}

start();
compare().then(send);
