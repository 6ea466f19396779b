// Single keys: / j k s o ?. They do nothing while a person types, and can be switched off in the settings.

import {isColumnOpen, openCard} from "./offer-column.js?v=__VERSION__";
import {make} from "./elements.js?v=__VERSION__";
import {openDialog} from "./dialogs.js?v=__VERSION__";
import {addressOf} from "./base-path.js?v=__VERSION__";

const keys = [
  ["/", "Search"], ["j", "Next offer"], ["k", "Previous offer"], ["o", "Open the offer"],
  ["s", "Star the offer, or take the star away"], ["Esc", "Close what is open"], ["?", "Show these keys"],
];
const areOff = () => localStorage.getItem("keys") === "off";

/** The card that the keys are at; null for none. */
let at = null;

const cards = () => [...document.querySelectorAll("main .card > .card-link")].filter((each) => each.offsetParent);

function step(way) {
  const all = cards();
  if (all.length === 0) return;
  const from = all.indexOf(current());
  // From nowhere, the first offer on the screen is the next one.
  const first = all.findIndex((each) => each.getBoundingClientRect().bottom > 80);
  at = all[from < 0 ? Math.max(0, first) : Math.min(all.length - 1, Math.max(0, from + way))];
  at.focus({preventScroll: true});
  at.scrollIntoView({block: "nearest"});
  if (isColumnOpen()) openCard(at, {isFocused: false});
}

/** The card with the focus, else the last one that the keys were at. */
function current() {
  const focused = document.activeElement.closest?.("main .card")?.querySelector(".card-link");
  return focused ?? (at?.isConnected ? at : null);
}

function search() {
  const box = [...document.querySelectorAll("input[type=search]")].find((each) => each.offsetParent && getComputedStyle(each).visibility === "visible");
  if (!box) return location.assign(addressOf("/search"));
  box.focus();
  box.select();
}

function star() {
  const place = openDialog() ?? document.querySelector(".column") ?? current()?.closest(".card") ?? document.querySelector("article.offer");
  place?.querySelector("[data-star]")?.click();
}

let help = null;

function showHelp() {
  const rows = keys.map(([key, text]) =>
    make("div", {}, make("dt", {}, make("kbd", {textContent: key})), make("dd", {textContent: text})));
  help ??= make(
    "dialog", {className: "alert-box keys-box", "aria-labelledby": "keys-heading"},
    make("h2", {id: "keys-heading", textContent: "Keys"}), make("dl", {}, ...rows),
    make("button", {type: "button", className: "button primary", textContent: "Close", onclick: () => help.close()}));
  document.body.append(help);
  help.showModal();
}

const actions = {
  "/": search, "?": showHelp, j: () => step(1), k: () => step(-1), s: star,
  o: () => {
    const card = current();
    if (card) openCard(card);
  },
};

document.addEventListener("keydown", (event) => {
  const action = Object.hasOwn(actions, event.key) ? actions[event.key] : null;
  if (!action || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || areOff()) return;
  if (event.target.closest?.("input, select, textarea, [contenteditable]")) return;
  // In a dialog with an offer only the star has a key.
  const layers = [...document.querySelectorAll("dialog[open], :popover-open")];
  if (layers.length > 0 && (event.key !== "s" || layers.some((each) => each !== openDialog()))) return;
  event.preventDefault();
  action();
});

const setting = document.querySelector("[data-keys-setting]");
if (setting) {
  setting.hidden = false;
  const box = setting.querySelector("[data-keys-switch]");
  box.checked = !areOff();
  box.addEventListener("change", () => {
    if (box.checked) localStorage.removeItem("keys");
    else localStorage.setItem("keys", "off");
  });
}
