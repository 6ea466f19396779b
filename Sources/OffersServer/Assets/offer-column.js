// Wide screens: an offer opens in a column beside its list. The column has the offer's address: Back leads
// to what was shown before, a reload shows the page of the offer, and a press with a key or another button
// opens it elsewhere.

import {addOpener, isPlainPress, note, openDialog, setBeside} from "./dialogs.js?v=__VERSION__";
import {fetchOffer, isOffer, prepare} from "./offer-detail.js?v=__VERSION__";
import {make, roundButton} from "./elements.js?v=__VERSION__";
import {say} from "./messages.js?v=__VERSION__";

const wide = matchMedia("(min-width: 1440px)");
const own = location.href;
const title = document.title;
const hasList = !isOffer(location.pathname) && document.querySelector("main :is([data-list], .changes, .rail)");
let column = null;
// The number of entries of the history since the list, so that closing leads back to it.
let depth = 0;
let asked = 0;

/** Changes the width of the list, and keeps a card where it is on the screen. */
function keeping(card, change) {
  const before = card?.getBoundingClientRect().top;
  change();
  if (card) scrollBy({top: card.getBoundingClientRect().top - before, behavior: "instant"});
}

function mark(path) {
  document.querySelector(".card.is-open")?.classList.remove("is-open");
  const card = path && document.querySelector(`main a.card-link[href="${CSS.escape(path)}"]`);
  card?.closest(".card").classList.add("is-open");
  return card;
}

/**
 * Shows an offer in the column. `how` says what becomes of the address: "push", "replace", or nothing if
 * the address is the offer's already. `delay` holds the request back, in milliseconds: a later call in that
 * time replaces it. Goes to the page of the offer if it cannot be fetched.
 */
async function open(address, how, {isFocused = true, delay = 0} = {}) {
  const mine = (asked += 1);
  const card = mark(new URL(address, own).pathname);
  if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
  if (mine !== asked) return;
  // The list keeps its place by itself: it has another width on the way back.
  if (how === "push") history.scrollRestoration = "manual";
  if (how) note({depth: how === "push" ? (depth += 1) : depth}, address, how);
  if (!column) {
    const close = roundButton("i-close", "Close", "column-close", leave);
    column = make("aside", {className: "column", tabIndex: -1}, close, make("div", {className: "column-body"}));
    setBeside(own);
    keeping(card, () => {
      document.body.append(column);
      document.body.classList.add("has-column");
    });
  }
  const body = column.querySelector(".column-body");
  try {
    const offer = await fetchOffer(address);
    if (mine !== asked) return;
    document.title = offer.pageTitle;
    column.setAttribute("aria-label", offer.title);
    body.replaceChildren(offer.article);
    body.scrollTop = 0;
    if (isFocused) column.focus({preventScroll: true});
    else say(offer.title);
    await prepare(body);
  } catch {
    if (mine === asked) location.replace(address);
  }
}

/** Takes the column away. The card of the offer gets the focus back. */
function close() {
  asked += 1;
  if (!column) return;
  const hadFocus = column.contains(document.activeElement);
  const card = document.querySelector(".card.is-open .card-link");
  mark(null);
  keeping(card, () => {
    column.remove();
    document.body.classList.remove("has-column");
  });
  column = null;
  setBeside(null);
  history.scrollRestoration = "auto";
  document.title = title;
  if (hadFocus) card?.focus({preventScroll: true});
}

/** Closes the column as a person asks for it: the address becomes that of the list again. */
function leave() {
  if (column) history.go(-depth);
}

/** The time in which a held key that goes through the list requests no offer, in milliseconds. */
const REST = 120;

/** Opens a card as a press would. In place of an offer that is shown already, Back does not lead to it. */
export function openCard(card, {isFocused = true} = {}) {
  if (!hasList || !wide.matches || openDialog()) return card.click();
  if (column && !isFocused) open(card.href, "replace", {isFocused, delay: REST});
  else open(card.href, "push", {isFocused});
}

export const isColumnOpen = () => Boolean(column);

if (hasList) {
  // The other scripts that open offers come later, since this one captures the event, and leave alone what
  // is prevented here.
  document.addEventListener("click", (event) => {
    const card = event.target.closest?.("main a.card-link");
    if (!card || !wide.matches || !isPlainPress(event) || openDialog() || !isOffer(card.pathname)) return;
    event.preventDefault();
    if (!column || card.href !== location.href) open(card.href, "push");
  }, true);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open], :popover-open")) leave();
  });
  document.addEventListener("renewed", () => {
    if (column) mark(location.pathname);
  });
  addOpener(({pathname, href}) => {
    depth = history.state?.depth ?? 0;
    if (isOffer(pathname) && (column || wide.matches)) {
      open(href, null, {isFocused: false});
      return true;
    }
    const wasOpen = Boolean(column);
    close();
    return wasOpen && href === own;
  });
}
