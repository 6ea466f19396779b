// The badge on the entry “New”: how many changes the user has not seen yet, on any device.

import {on} from "./events.js?v=__VERSION__";

const badge = document.querySelector("[data-news-count]");
let running = null;
let isDue = false;
// The last change that the server was told about as seen.
let told = -1;

function show(text) {
  badge.hidden = !text;
  badge.textContent = text ?? "";
  if (!text) return;
  const words = document.createElement("span");
  words.className = "hidden-heading";
  words.textContent = " not seen yet";
  badge.append(words);
}

/** Asks for the number. What the page of changes shows has been seen. */
async function ask() {
  const response = await fetch("/api/v1/news").catch(() => null);
  if (!response?.ok) return;
  const news = await response.json();
  const latest = Number(document.querySelector("[data-latest]")?.dataset.latest ?? -1);
  let text = news.has_more ? `${news.count}+` : String(news.count || "");
  if (text && latest > told && document.visibilityState === "visible") {
    const answer = await fetch("/api/v1/news/seen", {
      method: "PUT", headers: {"Content-Type": "application/json"}, body: JSON.stringify({latest}),
    }).catch(() => null);
    if (answer?.ok) {
      told = latest;
      if (latest >= news.latest) text = "";
    }
  }
  sessionStorage.setItem("news", text);
  show(text);
}

function askSoon() {
  isDue = true;
  running ??= (async () => {
    while (isDue) {
      isDue = false;
      await ask();
    }
  })().finally(() => {
    running = null;
  });
}

if (badge) {
  // The last number is shown until the server has answered.
  show(sessionStorage.getItem("news"));
  on("changed", askSoon);
  document.addEventListener("renewed", askSoon);
  document.addEventListener("visibilitychange", askSoon);
  askSoon();
}
