// Dialogs over the page that have an address of their own: the map of a list, and an offer over its
// list. The browser's Back closes them, as Escape, the button and a press beside them do; a reload
// shows the page of the address.

let current = null;
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
 * Sets the address and the state of the page in the history: in a new entry ("push"), or in the present one
 * ("replace"). Returns whether it is set: browsers refuse too many changes in a short time.
 */
export function note(state, address, how = "replace") {
  try {
    history[`${how}State`](state, "", address);
    return true;
  } catch {
    return false;
  }
}

/**
 * Opens a dialog. `address` is its own address, `under` that of the page below it, `renewed` the
 * one from which the page below is renewed. `closed` is called once it is closed.
 */
export function openOver(dialog, {address, under, renewed = under, closed}) {
  const isNew = new URL(address, location.href).href !== location.href;
  const isPushed = isNew && note(null, address, "push");
  const mine = {dialog, renewed};
  const {title} = document;
  current = mine;
  document.body.append(dialog);
  document.title = `${dialog.getAttribute("aria-label")} – offers`;
  dialog.showModal();
  dialog.addEventListener("click", ({target}) => {
    if (target === dialog || target.closest("[data-close]")) dialog.close();
  });
  dialog.addEventListener("close", () => {
    const toasts = dialog.querySelector("[data-toasts]");
    if (toasts) document.body.append(toasts);
    dialog.remove();
    document.title = title;
    closed?.();
    if (current !== mine) return;
    // A person has closed it: the address follows. Otherwise the address has changed already.
    current = null;
    if (isPushed) history.back();
    else note(null, under);
  });
}

/** Whether a link is pressed without a key or button that opens it elsewhere. */
export const isPlainPress = (event) =>
  event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;

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
  const dialog = openDialog();
  current = null;
  dialog?.close();
  if (openers.some((opener) => opener(location))) return;
  // The entry belongs to a page that this document, after a reload, does not show.
  if (location.pathname !== own) location.reload();
});
