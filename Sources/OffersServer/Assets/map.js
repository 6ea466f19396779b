// The maps: one of the places of a list, in a dialog over it, and small ones of a place. The scripts that draw
// them are loaded with the first map that is shown.

import {addOpener, isPlainPress, openDialog, openOver} from "./dialogs.js?v=__VERSION__";
import {fetchPage} from "./requests.js?v=__VERSION__";

const drawing = () => import("./map-drawing.js?v=__VERSION__");
let asked = 0;

async function drawIn(dialog) {
  try {
    await (await drawing()).drawPlaces(dialog);
  } catch {
    const note = document.createElement("p");
    note.className = "map-note";
    note.textContent = "The map could not be drawn. Reload the page to try again.";
    dialog.querySelector("[data-map]").replaceChildren(note);
  }
}

function show(dialog, address) {
  openOver(dialog, {address, under: dialog.dataset.under, renewed: address});
  drawIn(dialog);
}

async function open(address) {
  const mine = (asked += 1);
  try {
    const dialog = (await fetchPage(address)).querySelector("[data-map-dialog]");
    if (!dialog) throw new Error("The response has no map.");
    // Another press, or Back, came meanwhile.
    if (mine === asked) show(document.adoptNode(dialog), address);
  } catch {
    if (mine === asked) location.assign(address);
  }
}

const placesOf = (view) =>
  [...view.querySelectorAll("[data-latitude]")].map((row) => JSON.stringify(row.dataset)).join("\n");

/** Shows the places of a renewed page in the open map, if they differ. */
export function renewMap(fresh) {
  const dialog = openDialog();
  if (!dialog?.matches("[data-map-dialog]") || placesOf(dialog) === placesOf(fresh)) return;
  for (const part of [".count", ".map-view"]) {
    dialog.querySelector(part).replaceWith(document.adoptNode(fresh.querySelector(part)));
  }
  drawIn(dialog);
}

/** Draws the small maps of places below `root`, and lists what is near them. */
export async function showMaps(root) {
  if (root.querySelector("[data-small-map], [data-place-card]")) await (await drawing()).drawSmallMaps(root);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-map-link]");
  if (!link || !isPlainPress(event)) return;
  event.preventDefault();
  open(link.href);
});
addOpener(({search, href}) => {
  asked += 1;
  const isMap = new URLSearchParams(search).get("view") === "map" && document.querySelector("[data-map-link]");
  if (isMap) open(href);
  return Boolean(isMap);
});
showMaps(document);
const dialog = document.querySelector("[data-map-dialog]");
if (dialog) show(dialog, location.href);
