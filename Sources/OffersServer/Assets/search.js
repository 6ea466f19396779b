// The search boxes, which show the recent searches on focus.

import {isReachable} from "./server-events.js?v=__VERSION__";
import {alertBox, problemIn, say, unreachable} from "./messages.js?v=__VERSION__";
import {icon, make} from "./elements.js?v=__VERSION__";
import {send} from "./requests.js?v=__VERSION__";
import {addressOf} from "./base-path.js?v=__VERSION__";

let number = 0;

function enhance(input) {
  const id = `suggestions-${++number}`;
  const list = make("div", {id, className: "suggestions", role: "listbox", "aria-label": "Recent searches", hidden: true});
  input.parentElement.append(list);
  input.removeAttribute("list");
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-expanded", "false");
  input.setAttribute("aria-controls", id);
  input.setAttribute("aria-autocomplete", "list");
  let searches = [];
  let chosen = -1;

  function close() {
    list.hidden = true;
    chosen = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function pick(words) {
    input.value = words;
    close();
    input.form.requestSubmit();
  }

  function show() {
    const typed = input.value.trim().toLowerCase();
    const isAsked = input.value === input.defaultValue;
    const fitting = searches.filter((words) => isAsked || words.toLowerCase().includes(typed));
    list.replaceChildren(
      ...fitting.map((words, index) =>
        make(
          "div", {
            id: `${id}-${index}`, role: "option", "aria-selected": "false", onclick: () => pick(words),
            // A press would move the focus away from the box, which hides the list.
            onpointerdown: (event) => event.preventDefault(),
          },
          icon("i-clock", "icon small"), make("bdi", {textContent: words}))),
    );
    list.hidden = fitting.length === 0;
    chosen = -1;
    input.setAttribute("aria-expanded", String(fitting.length > 0));
    input.removeAttribute("aria-activedescendant");
  }

  function choose(step) {
    const options = [...list.children];
    if (list.hidden || options.length === 0) return false;
    chosen = (chosen + step + options.length + (chosen < 0 && step < 0 ? 1 : 0)) % options.length;
    options.forEach((option, index) =>
      option.setAttribute("aria-selected", String(index === chosen)),
    );
    input.setAttribute("aria-activedescendant", options[chosen].id);
    options[chosen].scrollIntoView({block: "nearest"});
    return true;
  }

  input.addEventListener("focus", async () => {
    try {
      const response = await fetch(addressOf("/api/v1/searches"));
      if (!response.ok) return;
      const feed = input.dataset.suggest;
      const all = (await response.json()).searches ?? [];
      const words = all.filter((each) => !feed || each.feed === feed).map((each) => each.words);
      searches = [...new Set(words)].slice(0, 10);
      if (document.activeElement === input) show();
    } catch {
      // If the recent searches cannot be fetched, there is no list.
    }
  });
  input.addEventListener("input", show);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (list.hidden) show();
      if (choose(event.key === "ArrowDown" ? 1 : -1)) event.preventDefault();
    } else if (event.key === "Enter" && chosen >= 0) {
      event.preventDefault();
      pick(list.children[chosen].textContent);
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    }
  });
}

/** Adds the list of recent searches to the search boxes below `root` that have none yet. */
export function enhanceBoxes(root) {
  for (const input of root.querySelectorAll("[data-suggest]:not([role=combobox])")) enhance(input);
}

enhanceBoxes(document);

// A recent search is removed in place. Without scripts, the page is shown anew.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!("forgetSearch" in form.dataset) || !isReachable()) return;
  event.preventDefault();
  const {words, feed} = form.elements;
  const query = new URLSearchParams({words: words.value, ...(feed.value && {feed: feed.value})});
  const response = await send("DELETE", `/searches?${query}`).catch(() => null);
  if (!response?.ok) return alertBox("The search was not removed", response ? await problemIn(response) : unreachable);
  const row = form.closest("li");
  const next = (row.nextElementSibling ?? row.previousElementSibling)?.querySelector("button");
  say(`Removed: ${words.value}`);
  // The service worker keeps the list for the time without the server, and makes a page of it then.
  await fetch(addressOf("/api/v1/searches")).catch(() => {});
  if (!next) return location.reload();
  row.remove();
  next.focus();
});
