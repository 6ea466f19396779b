// Offers as sheets over their list, in lists that ask for it (data-sheet), and the transitions of the
// view between lists and offers.

import {addOpener, fetchPage, icon, isPlainPress, openOver, pageAddress} from "./over.js?v=__VERSION__";
import {tidy} from "./lists.js?v=__VERSION__";
import {showSharing} from "./share.js?v=__VERSION__";
import {showStars} from "./stars.js?v=__VERSION__";

const list = document.querySelector("[data-sheet]");
const isOffer = (path) => path.startsWith("/offers/");
const name = "offer-picture";
let asked = 0;

/** The picture of an offer's card in the list; null for none. */
function cardPicture(path) {
  return document.querySelector(`main a.card-link[href="${CSS.escape(path)}"] .picture`);
}

/** Names a picture, and no other, as the one that moves between a list and an offer. */
function nameOnly(picture) {
  for (const each of document.querySelectorAll("main .card .picture")) each.style.viewTransitionName = "";
  if (picture) picture.style.viewTransitionName = name;
}

/**
 * Changes the view at once, or by a transition if the browser has them and the person wants motion.
 * The view has changed when the promise is fulfilled; the transition may go on.
 */
async function change(path, update) {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (!document.startViewTransition || isStill) return update();
  nameOnly(cardPicture(path));
  const transition = document.startViewTransition(() => {
    nameOnly(null);
    update();
  });
  await transition.updateCallbackDone;
}

function sheetOf(article, title) {
  const sheet = document.createElement("dialog");
  sheet.className = "overlay sheet";
  sheet.setAttribute("aria-label", title);
  const close = document.createElement("button");
  close.type = "button";
  close.className = "round sheet-close";
  close.dataset.close = "";
  close.setAttribute("aria-label", "Close");
  close.append(icon("i-close"));
  const grabber = document.createElement("span");
  grabber.className = "grabber";
  grabber.setAttribute("aria-hidden", "true");
  const body = document.createElement("div");
  body.className = "sheet-body";
  body.tabIndex = -1;
  body.append(article);
  sheet.append(grabber, close, body);
  import("./drag.js?v=__VERSION__").then(({dragDown}) => dragDown(sheet, body, () => sheet.close()));
  return sheet;
}

/** Opens the sheet of an offer. Goes to the page of the offer if it cannot be fetched. */
async function open(address) {
  const mine = (asked += 1);
  try {
    const page = await fetchPage(address);
    const article = page.querySelector("article.offer");
    if (!article) throw new Error("The response is not the page of an offer.");
    // Another press, or Back, came meanwhile.
    if (mine !== asked) return;
    const title = page.title.replace(/ – offers$/, "");
    const sheet = sheetOf(document.adoptNode(article), title);
    const under = pageAddress();
    await change(new URL(address, location.href).pathname, () => {
      if (mine !== asked) return;
      openOver(sheet, {address, under: under === address ? listAddress : under});
      sheet.querySelector(".sheet-body").focus({preventScroll: true});
      tidy(sheet);
      showStars(sheet);
      showSharing(sheet);
    });
    if (!sheet.isConnected) return;
    if (sheet.querySelector("[data-small-map]")) (await import("./map.js?v=__VERSION__")).showMaps(sheet);
  } catch {
    if (mine === asked) location.assign(address);
  }
}

// The sheet that sorts and filters opens by itself.
document.addEventListener("beforetoggle", async ({target}) => {
  if (!target.matches("[data-drag='']")) return;
  target.dataset.drag = "on";
  (await import("./drag.js?v=__VERSION__")).dragDown(target, target, () => target.hidePopover());
}, true);

const listAddress = location.href;

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
