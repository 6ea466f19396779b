// Lists: loads the next page near the end of a list or by a button. Also replaces images that fail
// by their placeholders, and lets the link “Back” return to a list at its scroll position.

import {alertBox, problemIn, say, showDetails, unreachable} from "./messages.js?v=__VERSION__";
import {showStars} from "./stars.js?v=__VERSION__";
import {showTimes} from "./times.js?v=__VERSION__";
import {make, setBusy} from "./elements.js?v=__VERSION__";
import {readPage} from "./requests.js?v=__VERSION__";
import {isPlainPress} from "./dialogs.js?v=__VERSION__";
import {addressOf} from "./base-path.js?v=__VERSION__";

const observer = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) if (entry.isIntersecting) load(entry.target, false);
  },
  {rootMargin: "1000px"},
);

/** The widths of copies that the server makes (ImageCacheLimits). */
const WIDTHS = [__WIDTHS__];

/** The address of a picture in the size in which a place draws it, at two pixels at most. */
function sized(address, {clientWidth}) {
  const wanted = clientWidth * Math.min(devicePixelRatio, 2);
  return `${address}&width=${WIDTHS.find((each) => each >= wanted) ?? WIDTHS.at(-1)}`;
}

// Pictures that are fetched once their cards come near the screen; browsers begin far earlier by themselves.
const near = new IntersectionObserver(
  (entries) => {
    for (const {isIntersecting, target} of entries) {
      const image = target.querySelector("[data-late]");
      if (!isIntersecting || !image) continue;
      near.unobserve(target);
      image.src = sized(image.dataset.late, image.parentElement);
      image.removeAttribute("data-late");
      image.hidden = false;
    }
  },
  {rootMargin: "400px", scrollMargin: "200px"},
);

function watch(root) {
  for (const link of root.querySelectorAll("[data-more][data-automatic]")) observer.observe(link);
}

let loading = null;

/** Loads further pages until `count` offers are listed, or no more come. */
export async function loadUntil(count) {
  const listed = () => document.querySelectorAll("main [data-list] > *").length;
  for (let before = -1; listed() < count && listed() !== before;) {
    before = listed();
    const link = document.querySelector("main [data-more]");
    if (link) await load(link, false);
  }
}

/**
 * Appends the next page, to which `link` leads, to the list. `isAsked` tells whether a person has
 * pressed the link. A failure is told in place of the link, which then tries again; after a press, also
 * in a modal alert.
 */
function load(link, isAsked) {
  loading ??= append(link, isAsked).finally(() => {
    loading = null;
  });
  return loading;
}

async function append(link, isAsked) {
  const label = link.textContent;
  setBusy(link, true);
  link.textContent = "Loading …";
  try {
    const response = await fetch(link.href);
    if (!response.ok) throw Object.assign(new Error(), await sayingIn(response));
    const page = await readPage(response);
    const problem = page.querySelector("main .problem[role=alert]");
    // Stored offers in place of the results of a server that failed do not continue its list.
    if (problem) throw Object.assign(new Error(), sayingOf(problem));
    const cards = page.querySelectorAll("[data-list] > *");
    // The service worker made the page, and this device does not have what the server would list.
    if (cards.length === 0 && response.headers.has("X-Kept")) throw new TypeError();
    const list = document.querySelector("[data-list]");
    const known = new Set([...list.children].map((card) => card.dataset.ref));
    const fresh = [...cards].filter((card) => !known.has(card.dataset.ref));
    for (const card of fresh) card.classList.add("is-arriving");
    list.append(...fresh.map((card) => document.adoptNode(card)));
    const more = page.querySelector("[data-more]");
    const place = link.closest(".more");
    if (more) {
      place.replaceChildren(document.adoptNode(more));
    } else {
      place.replaceWith(make("p", {className: "list-end", textContent: "End of the list."}));
    }
    // Only the new cards are processed, so that the cost does not grow with the list.
    for (const card of fresh) tidy(card);
    showStars(...fresh);
    if (more) watch(place);
    say(`${fresh.length} more offers`);
    if (isAsked) fresh[0]?.querySelector("a")?.focus({preventScroll: true});
  } catch (error) {
    observer.unobserve(link);
    setBusy(link, false);
    link.textContent = label;
    const problem = error.text ? error : {text: unreachable};
    tell(link, problem);
    if (isAsked) alertBox(failed, problem, () => load(link, true));
  }
}

const failed = "The next page could not be loaded";

/** Tells a failure above the link to the next page, which becomes “Try again”. */
function tell(link, {text, details}) {
  const alert = document.querySelector("[data-problem]").content.firstElementChild.cloneNode(true);
  alert.setAttribute("role", "alert");
  alert.querySelector("p").textContent = `${failed}. ${text}`;
  showDetails(alert.querySelector("details"), details);
  link.closest(".more").querySelector("[role=alert]")?.remove();
  link.before(alert);
  link.textContent = "Try again";
}

/** The texts of an error response, which is a problem document or a page. */
async function sayingIn(response) {
  if (!response.headers.get("Content-Type")?.startsWith("text/html")) return problemIn(response);
  return sayingOf((await readPage(response)).querySelector(".notice"));
}

/** The sentence and the technical text of a message on a page. */
function sayingOf(part) {
  return {
    text: part?.querySelector("p")?.textContent ?? "This did not work.",
    details: part?.querySelector("details p")?.textContent,
  };
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-more]");
  if (!link || !isPlainPress(event)) return;
  event.preventDefault();
  load(link, true);
});

/** Shows an image that has arrived. The picture of an offer takes its ratio. */
function showImage(image) {
  image.classList.add("is-loaded");
  image.closest(".offer-picture")?.parentElement.style.setProperty("--ratio", image.naturalWidth / image.naturalHeight);
}

// An image that fails is removed, which reveals the placeholder behind it.
document.addEventListener(
  "error",
  ({target}) => {
    if (target instanceof HTMLImageElement && target.closest(".picture, .glow")) target.remove();
  },
  true,
);

document.addEventListener(
  "load",
  (event) => {
    if (event.target instanceof HTMLImageElement) showImage(event.target);
  },
  true,
);

/** Prepares a part of the page: observes links to next pages, checks images, formats times. */
export function tidy(root) {
  watch(root);
  for (const image of root.querySelectorAll("[data-late]")) near.observe(image.closest(".card"));
  for (const image of root.querySelectorAll(".picture img:not([data-late])")) {
    if (!image.complete) continue;
    if (image.naturalWidth === 0) image.dispatchEvent(new Event("error"));
    else showImage(image);
  }
  showTimes(root);
}

// The link “Back” of an offer that was opened from a list goes back in the history of the browser,
// which restores the scroll position of the list.
document.addEventListener("click", (event) => {
  const card = event.target.closest?.(`a[href^='${addressOf("/offers/")}']`);
  if (card && isPlainPress(event)) sessionStorage.setItem("came-to", card.pathname);
  const back = event.target.closest?.("[data-back]");
  if (back && sessionStorage.getItem("came-to") === location.pathname && history.length > 1) {
    event.preventDefault();
    sessionStorage.removeItem("came-to");
    history.back();
  }
});

// Scrolls the row of feeds so that the current one is visible.
for (const chip of document.querySelectorAll(".chips [aria-current]")) {
  const row = chip.closest(".chips");
  row.scrollLeft = chip.offsetLeft - row.clientWidth / 2 + chip.clientWidth / 2;
}

// Pictures wait for their end before they appear from here on.
document.documentElement.classList.add("is-scripted");
tidy(document);
