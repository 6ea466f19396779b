// Dialogs over the page that have an address of their own: the map of a list, and an offer over its
// list. The browser's Back closes them, as Escape, the button and a press beside them do; a reload
// shows the page of the address.

import {noteLoggedOut} from "./events.js?v=__VERSION__";

let current = null;

/** An icon of the page's sprite, as of the buttons in a dialog. */
export function icon(name, classes = "icon") {
  const space = "http://www.w3.org/2000/svg";
  const sign = document.createElementNS(space, "svg");
  sign.setAttribute("class", classes);
  sign.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", `#${name}`);
  sign.append(use);
  return sign;
}

// The address of the list beside an open column; null for none.
let beside = null;

/** Sets the address of the list beside the column that has the address of the browser; null for none. */
export function setBeside(address) {
  beside = address;
}

/** The address of the page below the open dialog or beside the open column, or of the page itself. */
export const pageAddress = () => current?.renewed ?? beside ?? location.href;

/** The open dialog; null for none. */
export const openDialog = () => current?.dialog ?? null;

/**
 * Opens a dialog. `address` is its own address, `under` that of the page below it, `renewed` the
 * one from which the page below is renewed. `closed` is called once it is closed.
 */
export function openOver(dialog, {address, under, renewed = under, closed}) {
  const isNew = new URL(address, location.href).href !== location.href;
  if (isNew) history.pushState(null, "", address);
  const mine = {dialog, under, renewed, isPushed: isNew, title: document.title};
  current = mine;
  document.body.append(dialog);
  document.title = `${dialog.getAttribute("aria-label")} – offers`;
  dialog.showModal();
  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", ({target}) => {
    if (target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    const toasts = dialog.querySelector("[data-toasts]");
    if (toasts) document.body.append(toasts);
    dialog.remove();
    document.title = mine.title;
    closed?.();
    if (current !== mine) return;
    // A person has closed it: the address follows. Otherwise the address has changed already.
    current = null;
    if (mine.isPushed) history.back();
    else history.replaceState(null, "", under);
  });
}

/** Whether a link is pressed without a key or button that opens it elsewhere. */
export const isPlainPress = (event) =>
  event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;

/** Fetches a page as a document. Throws if the server does not answer, or by an error. */
export async function fetchPage(address) {
  const response = await fetch(address, {headers: {Accept: "text/html"}});
  if (!response.ok) throw new Error(`The response has the status ${response.status}.`);
  if (response.redirected && new URL(response.url).pathname === "/login") {
    noteLoggedOut();
    throw new Error("The server requires a login.");
  }
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

const openers = [];

/**
 * Adds a function that opens a dialog if the address is the dialog's, and returns whether it did. It is
 * asked before those that were added earlier.
 */
export function addOpener(opener) {
  openers.unshift(opener);
}

const own = location.pathname;

addEventListener("popstate", () => {
  if (current) {
    const {dialog} = current;
    current = null;
    dialog.close();
  }
  if (openers.some((opener) => opener(location))) return;
  // The entry belongs to a page that this document, after a reload, does not show.
  if (location.pathname !== own) location.reload();
});
