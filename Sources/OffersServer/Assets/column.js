// Wide screens: an offer opens in a column beside its list. The column has the offer's address: Back leads
// to what was shown before, a reload shows the page of the offer, and a press with a key or another button
// opens it elsewhere.

import {addOpener, fetchPage, icon, isPlainPress, openDialog, setBeside} from "./over.js?v=__VERSION__";
import {tidy} from "./lists.js?v=__VERSION__";
import {say} from "./messages.js?v=__VERSION__";
import {showSharing} from "./share.js?v=__VERSION__";
import {showStars} from "./stars.js?v=__VERSION__";

const wide = matchMedia("(min-width: 1440px)");
const own = location.href;
const title = document.title;
const isOffer = (path) => path.startsWith("/offers/");
const hasList = !isOffer(location.pathname) && document.querySelector("main [data-list], main .changes");
let column = null;
// The number of entries of the history since the list, so that closing leads back to it.
let depth = 0;
let asked = 0;

const cardOf = (path) => document.querySelector(`main a.card-link[href="${CSS.escape(path)}"]`);

/** Changes the width of the list, and keeps a card where it is on the screen. */
function keeping(card, change) {
  const before = card?.getBoundingClientRect().top;
  change();
  if (card) scrollBy({top: card.getBoundingClientRect().top - before, behavior: "instant"});
}

function mark(path) {
  document.querySelector(".card.is-open")?.classList.remove("is-open");
  const card = path && cardOf(path);
  card?.closest(".card").classList.add("is-open");
  return card;
}

function makeColumn() {
  const made = document.createElement("aside");
  made.className = "column";
  made.tabIndex = -1;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "round column-close";
  close.setAttribute("aria-label", "Close");
  close.append(icon("i-close"));
  close.addEventListener("click", leave);
  const body = document.createElement("div");
  body.className = "column-body";
  made.append(close, body);
  return made;
}

/** Shows a skeleton in place of the offer, until it has arrived. */
function showWaiting(body) {
  const waiting = document.createElement("div");
  waiting.className = "skeleton";
  waiting.setAttribute("aria-hidden", "true");
  for (const part of ["picture", "line", "line", "short"]) {
    const bone = document.createElement("span");
    bone.className = `bone bone-${part}`;
    waiting.append(bone);
  }
  body.replaceChildren(waiting);
}

/**
 * Shows an offer in the column. `how` says what becomes of the address: "push", "replace", or nothing if
 * the address is the offer's already. Goes to the page of the offer if it cannot be fetched.
 */
async function open(address, how, isFocused = true) {
  const mine = (asked += 1);
  const path = new URL(address, own).pathname;
  const card = mark(path);
  // The list keeps its place by itself: it has another width on the way back.
  if (how === "push") history.scrollRestoration = "manual";
  if (how === "push") history.pushState({depth: (depth += 1)}, "", address);
  else if (how === "replace") history.replaceState({depth}, "", address);
  if (!column) {
    column = makeColumn();
    setBeside(own);
    keeping(card, () => {
      document.body.append(column);
      document.body.classList.add("has-column");
    });
  }
  const body = column.querySelector(".column-body");
  const soon = setTimeout(showWaiting, 150, body);
  try {
    const page = await fetchPage(address);
    if (mine !== asked) return;
    const article = page.querySelector("article.offer");
    if (!article) throw new Error("The response is not the page of an offer.");
    clearTimeout(soon);
    document.title = page.title;
    column.setAttribute("aria-label", page.title.replace(/ – offers$/, ""));
    body.replaceChildren(document.adoptNode(article));
    body.scrollTop = 0;
    tidy(body);
    showStars(body);
    showSharing(body);
    if (isFocused) column.focus({preventScroll: true});
    else say(column.getAttribute("aria-label"));
    if (body.querySelector("[data-small-map]")) (await import("./map.js?v=__VERSION__")).showMaps(body);
  } catch {
    if (mine === asked) location.replace(address);
  } finally {
    clearTimeout(soon);
  }
}

/** Takes the column away. The card of the offer gets the focus back. */
function close() {
  if (!column) return;
  asked += 1;
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

/** Opens a card as a press would. In place of an offer that is shown already, Back does not lead to it. */
export function openCard(card, {isFocused = true} = {}) {
  if (!hasList || !wide.matches || openDialog()) return card.click();
  open(card.href, column && !isFocused ? "replace" : "push", isFocused);
}

export const isColumnOpen = () => Boolean(column);

if (hasList) {
  // The other scripts that open offers come later, since this one captures the event, and leave alone what
  // is prevented here.
  document.addEventListener("click", (event) => {
    const card = event.target.closest?.("main a.card-link");
    if (!card || !wide.matches || !isPlainPress(event) || openDialog()) return;
    if (!isOffer(card.pathname)) return;
    event.preventDefault();
    const isShown = column && card.href === location.href;
    if (!isShown) open(card.href, "push");
  }, true);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && column && !event.defaultPrevented && !document.querySelector("dialog[open], :popover-open")) leave();
  });
  document.addEventListener("renewed", () => {
    if (column) mark(location.pathname);
  });
  addOpener(({pathname, href}) => {
    depth = history.state?.depth ?? 0;
    if (isOffer(pathname) && (column || wide.matches)) {
      open(href, null, false);
      return true;
    }
    const wasOpen = Boolean(column);
    close();
    return wasOpen && href === own;
  });
}
