// The pill “2 changed – Show”, which tells that offers of this page have changed since it was shown, by
// whichever process. A press renews the page.

import {on} from "./events.js?v=__VERSION__";
import {say} from "./messages.js?v=__VERSION__";

const {classList} = document.body;
const follows = ["offers", "feed", "offer", "changes"].some((kind) => classList.contains(`page-${kind}`));
/** The changes of offers, of which a page of another kind shows none. */
const fields = {kind: "new,up,down,changed,gone,back", limit: "200"};
const feed = document.querySelector("[data-feed-page]")?.dataset.feedPage;
if (feed) fields.feed = feed;
if (document.querySelector("[data-favorites]")) fields.favorites = "true";
const own = classList.contains("page-offer") ? document.querySelector("[data-ref]")?.dataset.ref : null;

let cursor = null;
let running = null;
let isDue = false;
// The page shows all changes that the next request finds.
let isRenewed = false;
let isRenewing = false;
const changed = new Set();

/** Asks for the changes since the last call; the first call only finds out where the list ends. */
async function ask() {
  for (let hasMore = true; hasMore;) {
    const from = cursor ? {cursor} : {since: new Date().toISOString().replace(/\.\d+/, "")};
    const response = await fetch(`/api/v1/changes?${new URLSearchParams({...fields, ...from})}`).catch(() => null);
    if (!response?.ok) return;
    const page = await response.json();
    hasMore = page.has_more && changed.size < 1000;
    if (cursor) for (const {ref} of page.changes) if (!own || ref === own) changed.add(ref);
    cursor = page.next_cursor;
  }
  document.documentElement.dataset.follows = "";
}

/** Shows the changes that another request has not shown yet. A refresh of this tab shows its own. */
function follow() {
  isDue = true;
  running ??= (async () => {
    while (isDue) {
      const areShown = isRenewed;
      isDue = isRenewed = false;
      await ask();
      if (areShown) changed.clear();
      while (document.querySelector("[data-refresh][aria-busy=true]")) {
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    }
    show();
  })().finally(() => {
    running = null;
  });
}

function show() {
  if (isRenewing) return;
  let pill = document.querySelector(".news-pill");
  if (changed.size === 0) return pill?.remove();
  const text = own ? "Changed – Show" : `${changed.size.toLocaleString("en")} changed – Show`;
  if (pill?.textContent === text) return;
  if (!pill) {
    pill = document.createElement("button");
    pill.type = "button";
    pill.className = "news-pill";
    pill.addEventListener("click", async () => {
      isRenewing = true;
      pill.remove();
      try {
        await (await import("./renew.js?v=__VERSION__")).renew();
      } finally {
        isRenewing = false;
        // The pill is back if the page could not be renewed.
        show();
      }
      scrollTo({top: 0});
    });
    document.querySelector(".bar").append(pill);
  }
  pill.textContent = text;
  say(text);
}

if (follows) {
  on("changed", follow);
  document.addEventListener("renewed", () => {
    isRenewed = true;
    changed.clear();
    show();
    follow();
  });
  follow();
}
