// The search boxes, which show the recent searches on focus.

import {isReachable} from "./server-events.js?v=__VERSION__";
import {alertBox, attempt, say} from "./messages.js?v=__VERSION__";
import {icon, make} from "./elements.js?v=__VERSION__";
import {send} from "./requests.js?v=__VERSION__";
import {addressOf} from "./base-path.js?v=__VERSION__";

let number = 0;

function enhance(input) {
  const id = `suggestions-${++number}`;
  const list = make("div", {id, className: "suggestions", role: "listbox", "aria-label": "Recent searches", hidden: true});
  input.parentElement.append(list);
  const states = {role: "combobox", "aria-expanded": false, "aria-controls": id, "aria-autocomplete": "list"};
  for (const [name, value] of Object.entries(states)) input.setAttribute(name, value);
  let searches = [];

  /** Lists some searches, none of them chosen. */
  function offer(words) {
    list.replaceChildren(...words.map((text, index) => make(
      "div", {
        id: `${id}-${index}`, role: "option", "aria-selected": "false", onclick: () => pick(text),
        // A press would move the focus away from the box, which hides the list.
        onpointerdown: (event) => event.preventDefault(),
      },
      icon("i-clock", "icon small"), make("bdi", {textContent: text}))));
    list.hidden = words.length === 0;
    input.setAttribute("aria-expanded", !list.hidden);
    input.removeAttribute("aria-activedescendant");
  }

  function pick(words) {
    input.value = words;
    offer([]);
    input.form.requestSubmit();
  }

  /** Lists the searches that contain what is typed; all of them before anything is. */
  function show() {
    const typed = input.value === input.defaultValue ? "" : input.value.trim().toLowerCase();
    offer(searches.filter((words) => words.toLowerCase().includes(typed)));
  }

  const chosen = () => list.querySelector("[aria-selected=true]");

  function choose(step) {
    const options = [...list.children];
    const from = options.indexOf(chosen());
    const next = options.at((from < 0 && step < 0 ? step : from + step) % options.length);
    for (const option of options) option.setAttribute("aria-selected", option === next);
    input.setAttribute("aria-activedescendant", next.id);
    next.scrollIntoView({block: "nearest"});
  }

  input.addEventListener("focus", async () => {
    const response = await fetch(addressOf("/api/v1/searches")).catch(() => null);
    if (!response?.ok) return;
    const feed = input.dataset.suggest;
    const all = (await response.json()).searches ?? [];
    searches = [...new Set(all.filter((each) => !feed || each.feed === feed).map(({words}) => words))].slice(0, 10);
    if (document.activeElement === input) show();
  });
  input.addEventListener("input", show);
  input.addEventListener("blur", () => offer([]));
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (list.hidden) show();
      if (list.hidden) return;
      choose(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && chosen()) {
      pick(chosen().textContent);
    } else if (event.key === "Escape" && !list.hidden) {
      offer([]);
    } else {
      return;
    }
    event.preventDefault();
  });
}

/** Adds the list of recent searches to the search boxes below `root` that have none yet. */
export function enhanceBoxes(root) {
  for (const input of root.querySelectorAll("[data-suggest]:not([role=combobox])")) enhance(input);
}

enhanceBoxes(document);

// Somebody who searched and did not get what was asked for is told in a dialog; Back and a reload do not repeat it.
const told = document.querySelector("main > [role=alert]");
if (told && performance.getEntriesByType("navigation")[0]?.type === "navigate") {
  told.removeAttribute("role");
  const text = (part) => told.querySelector(part)?.textContent;
  const again = told.matches(".problem") && told.querySelector(".buttons a");
  alertBox(text("h2"), {text: text("p"), details: text(".technical p")}, again && (() => location.assign(again.href)));
}

// A recent search is removed in place. Without scripts, the page is shown anew.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!("forgetSearch" in form.dataset) || !isReachable()) return;
  event.preventDefault();
  const {words, feed} = form.elements;
  const query = new URLSearchParams({words: words.value, ...(feed.value && {feed: feed.value})});
  if (!(await attempt("The search was not removed", send("DELETE", `/searches?${query}`)))) return;
  const row = form.closest("li");
  const next = (row.nextElementSibling ?? row.previousElementSibling)?.querySelector("button");
  say(`Removed: ${words.value}`);
  // The service worker keeps the list for the time without the server, and makes a page of it then.
  await fetch(addressOf("/api/v1/searches")).catch(() => {});
  if (!next) return location.reload();
  row.remove();
  next.focus();
});
