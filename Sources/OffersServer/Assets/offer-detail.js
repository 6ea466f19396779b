// An offer that is shown over its list or beside it, as its page shows it.

import {fetchPage} from "./requests.js?v=__VERSION__";
import {tidy} from "./lists.js?v=__VERSION__";
import {showSharing} from "./share-link.js?v=__VERSION__";
import {showStars} from "./stars.js?v=__VERSION__";
import {make} from "./elements.js?v=__VERSION__";
import {pathOf} from "./base-path.js?v=__VERSION__";

/** Whether the path of an address is that of an offer. */
export const isOffer = (path) => pathOf(path).startsWith("/offers/");

/** The picture of an offer's card in the list; null for none. */
export const cardPicture = (path) => document.querySelector(`main a.card-link[href="${CSS.escape(path)}"] .picture`);

/** Shows the picture of the card, which the browser has, in an offer and behind it until its own has arrived. */
function showKnown(article, path) {
  const known = cardPicture(path)?.querySelector(".is-loaded")?.currentSrc;
  const image = article.querySelector(".picture img");
  if (!known || !image) return;
  const {src} = image;
  for (const each of article.querySelectorAll(".picture img, .glow img")) each.src = known;
  make("img", {src}).decode().then(() => {
    image.src = src;
  }, () => {
    // The picture of the card stays.
  });
}

/** Fetches an offer: its article, and the titles of its page and of the offer. Throws if it cannot be had. */
export async function fetchOffer(address) {
  const page = await fetchPage(address);
  const article = page.querySelector("article.offer");
  if (!article) throw new Error("The response is not the page of an offer.");
  showKnown(document.adoptNode(article), new URL(address, location.href).pathname);
  return {article, pageTitle: page.title, title: page.title.replace(/ – offers$/, "")};
}

/** Prepares a part of the page that was shown without a reload: pictures, times, stars, buttons and maps. */
export async function prepare(part) {
  tidy(part);
  showStars(part);
  showSharing(part);
  if (part.querySelector("[data-map-link], [data-small-map]")) (await import("./map.js?v=__VERSION__")).showMaps(part);
}
