// Offers as sheets over their list, in lists that ask for it (data-sheet), and the transitions of the
// view between lists and offers.

import {addOpener, isPlainPress, openOver, pageAddress} from "./dialogs.js?v=__VERSION__";
import {cardPicture, fetchOffer, isOffer, prepare} from "./offer-detail.js?v=__VERSION__";
import {isStill, make, roundButton} from "./elements.js?v=__VERSION__";

const list = document.querySelector("[data-sheet]");
const listAddress = location.href;
let asked = 0;

/** Names a picture, and no other, as the one that moves between a list and an offer. */
function nameOnly(picture) {
  for (const each of document.querySelectorAll("main .card .picture")) each.style.viewTransitionName = "";
  if (picture) picture.style.viewTransitionName = "offer-picture";
}

/**
 * Changes the view at once, or by a transition if the browser has them and the person wants motion.
 * The view has changed when the promise is fulfilled; the transition may go on. `update` is told whether one carries it.
 */
async function change(path, update) {
  if (!document.startViewTransition || isStill()) return update(false);
  nameOnly(cardPicture(path));
  const transition = document.startViewTransition(() => {
    nameOnly(null);
    update(true);
  });
  await transition.updateCallbackDone;
}

/** Lets a sheet be drawn down to close it. */
const drag = async (...parts) => (await import("./drag-to-close.js?v=__VERSION__")).dragDown(...parts);

/** Opens the sheet of an offer. Goes to the page of the offer if it cannot be fetched. */
async function open(address) {
  const mine = (asked += 1);
  try {
    const {article, title} = await fetchOffer(address);
    // Another press, or Back, came meanwhile.
    if (mine !== asked) return;
    const body = make("div", {className: "sheet-body", tabIndex: -1}, article);
    const close = roundButton("i-close", "Close", "sheet-close");
    close.dataset.close = "";
    const sheet = make(
      "dialog", {className: "overlay sheet", "aria-label": title},
      make("span", {className: "grabber", "aria-hidden": "true"}), close, body);
    drag(sheet, body, () => sheet.close());
    const under = pageAddress();
    await change(new URL(address, location.href).pathname, (isCarried) => {
      if (mine !== asked) return;
      sheet.classList.toggle("is-carried", isCarried);
      openOver(sheet, {address, under: under === address ? listAddress : under});
      body.focus({preventScroll: true});
      prepare(sheet);
    });
  } catch {
    if (mine === asked) location.assign(address);
  }
}

// The sheet that sorts and filters opens by itself.
document.addEventListener("beforetoggle", ({target}) => {
  if (!target.matches("[data-drag='']")) return;
  target.dataset.drag = "on";
  drag(target, target, () => target.hidePopover());
}, true);

if (list) {
  document.addEventListener("click", (event) => {
    const card = event.target.closest?.("[data-sheet] a.card-link");
    if (!card || !isPlainPress(event) || event.defaultPrevented) return;
    event.preventDefault();
    open(card.href);
  });
  addOpener(({pathname, href}) => {
    asked += 1;
    if (isOffer(pathname)) open(href);
    return isOffer(pathname);
  });
}

// A transition to another page is shown between a list and an offer only.
addEventListener("pageswap", ({viewTransition, activation}) => {
  const target = activation?.entry?.url && new URL(activation.entry.url).pathname;
  if (!viewTransition || !target) return;
  if (isOffer(target) === isOffer(location.pathname)) return viewTransition.skipTransition();
  if (isOffer(target)) nameOnly(cardPicture(target));
});
