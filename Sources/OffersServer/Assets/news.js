// The badges on the navigation entry “New” and on the bell, with the numbers of changes and of notices that the user
// has not seen yet on any device; and the pill “2 changed – Show”, which tells that offers of this page have changed
// since it was shown, by whichever process. A press on the pill renews the page.

import {make} from "./elements.js?v=__VERSION__";
import {on} from "./server-events.js?v=__VERSION__";
import {say} from "./messages.js?v=__VERSION__";
import {inTurn, send} from "./requests.js?v=__VERSION__";
import {addressOf, ownName} from "./base-path.js?v=__VERSION__";

// What is counted, with the page that shows it.
const kinds = {news: "changes", notices: "notices"};
const badgeOf = (kind) => document.querySelector(`[data-${kind}-count]`);
// The last change and the last notice that the server was told about as seen.
const told = {news: -1, notices: -1};

function showBadge(kind, text) {
  const badge = badgeOf(kind);
  badge.hidden = !text;
  badge.textContent = text ?? "";
  if (text) badge.append(make("span", {className: "hidden-heading", textContent: " not seen yet"}));
}

/** Shows a number. What the page of changes, or of notices, shows has been seen. */
async function note(kind, {count, has_more: hasMore, latest: last}) {
  const latest = Number(document.querySelector(`.page-${kinds[kind]} [data-latest]`)?.dataset.latest ?? -1);
  let text = hasMore ? `${count}+` : String(count || "");
  if (text && latest > told[kind] && document.visibilityState === "visible") {
    const answer = await send("PUT", `/${kind}/seen`, {latest}).catch(() => null);
    if (answer?.ok) {
      told[kind] = latest;
      if (latest >= last) text = "";
    }
  }
  sessionStorage.setItem(ownName(kind), text);
  showBadge(kind, text);
}

const askForNumbers = inTurn(async () => {
  const response = await fetch(addressOf("/api/v1/news")).catch(() => null);
  if (!response?.ok) return;
  const news = await response.json();
  await note("news", news);
  await note("notices", news.notices);
});

if (badgeOf("news")) {
  // The last numbers are shown until the server has answered.
  for (const kind of Object.keys(kinds)) showBadge(kind, sessionStorage.getItem(ownName(kind)));
  on("changed", askForNumbers);
  document.addEventListener("renewed", askForNumbers);
  document.addEventListener("visibilitychange", askForNumbers);
}

const {classList} = document.body;
const follows = ["today", "offers", "feed", "offer", "changes"].some((kind) => classList.contains(`page-${kind}`));
/** The changes of offers, of which a page of another kind shows none. */
const fields = {kind: "new,up,down,changed,gone,back", limit: "200"};
const feed = document.querySelector("[data-feed-page]")?.dataset.feedPage;
if (feed) fields.feed = feed;
if (document.querySelector("[data-favorites]")) fields.favorites = "true";
const own = classList.contains("page-offer") ? document.querySelector("[data-ref]")?.dataset.ref : null;

let cursor = null;
// The page shows all changes that the next request finds.
let isRenewed = false;
let isRenewing = false;
const changed = new Set();

/** Asks for the changes since the last call; the first call only finds out where the list ends. */
async function ask() {
  for (let hasMore = true; hasMore;) {
    const from = cursor ? {cursor} : {since: new Date().toISOString().replace(/\.\d+/, "")};
    const response = await fetch(addressOf(`/api/v1/changes?${new URLSearchParams({...fields, ...from})}`)).catch(() => null);
    if (!response?.ok) return;
    const page = await response.json();
    hasMore = page.has_more && changed.size < 1000;
    if (cursor) for (const {ref} of page.changes) if (!own || ref === own) changed.add(ref);
    cursor = page.next_cursor;
  }
  document.documentElement.dataset.follows = "";
}

/** Shows the changes that another request has not shown yet. A refresh of this tab shows its own. */
const follow = inTurn(async () => {
  const areShown = isRenewed;
  isRenewed = false;
  await ask();
  if (areShown) changed.clear();
  while (document.querySelector("[data-refresh][aria-busy=true]")) {
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  showPill();
});

async function renewPage() {
  isRenewing = true;
  document.querySelector(".news-pill").remove();
  try {
    await (await import("./page-update.js?v=__VERSION__")).renew();
  } finally {
    isRenewing = false;
    // The pill is back if the page could not be renewed.
    showPill();
  }
  scrollTo({top: 0});
}

function showPill() {
  if (isRenewing) return;
  let pill = document.querySelector(".news-pill");
  if (changed.size === 0) return pill?.remove();
  const text = own ? "Changed – Show" : `${changed.size.toLocaleString("en")} changed – Show`;
  if (pill?.textContent === text) return;
  pill ??= make("button", {type: "button", className: "button primary news-pill", onclick: renewPage});
  pill.textContent = text;
  document.querySelector(".bar").append(pill);
  say(text);
}

if (follows) {
  on("changed", follow);
  document.addEventListener("renewed", () => {
    isRenewed = true;
    changed.clear();
    showPill();
    follow();
  });
}
