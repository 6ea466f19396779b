// The maps: one of the offers of a list, in a dialog over it, and small ones of a place. Leaflet draws
// them. The background needs no network; tiles of streets are loaded only from a server that the
// operator has named.

import {isStill, make, roundButton} from "./elements.js?v=__VERSION__";
import {addOpener, isPlainPress, openDialog, openOver} from "./dialogs.js?v=__VERSION__";
import {fetchPage} from "./requests.js?v=__VERSION__";
import {landLayer, loadWorld, showNames} from "./map-background.js?v=__VERSION__";
import {addressOf} from "./base-path.js?v=__VERSION__";

let library = null;

function add(kind, properties) {
  return new Promise((resolve, reject) => {
    const element = make(kind, properties);
    element.onload = resolve;
    element.onerror = () => {
      element.remove();
      reject(new Error("The map library could not be loaded."));
    };
    document.head.prepend(element);
  });
}

/** Loads Leaflet and its clustering, which are scripts with a global variable, in their order. */
function loadLibrary() {
  library ??= Promise.all([
    add("link", {rel: "stylesheet", href: addressOf("/map/leaflet.css?v=__VERSION__")}),
    add("script", {src: addressOf("/map/leaflet.min.js?v=__VERSION__")})
      .then(() => add("script", {src: addressOf("/map/leaflet.markercluster.min.js?v=__VERSION__")})),
  ]).then(() => globalThis.L).catch((error) => {
    library = null;
    throw error;
  });
  return library;
}

/** Makes a map with its background in a box. */
function makeMap(leaflet, world, box, options = {}) {
  const map = leaflet.map(box, {
    attributionControl: false,
    maxZoom: 18,
    minZoom: 1,
    worldCopyJump: true,
    zoomAnimation: !isStill(),
    fadeAnimation: !isStill(),
    markerZoomAnimation: !isStill(),
    ...options,
  });
  // Tiles, if there are any, cover the land and its names.
  for (const [name, depth] of [["land", 100], ["names", 150]]) {
    const pane = map.createPane(name);
    pane.style.zIndex = depth;
    pane.style.pointerEvents = "none";
    pane.setAttribute("aria-hidden", "true");
  }
  const land = landLayer(leaflet, world, "land").addTo(map);
  const credits = leaflet.control.attribution({prefix: false}).addTo(map);
  const {tiles, attribution} = box.dataset;
  if (tiles) {
    const words = make("span", {textContent: attribution ?? ""});
    const streets = leaflet.tileLayer(tiles, {maxZoom: 19});
    streets.createTile = (place, done) => {
      const tile = make("img", {alt: "", onload: () => done(null, tile), onerror: (error) => done(error, tile)});
      // Some providers refuse requests that do not tell from which site they come. WebKit reads the
      // policy when it gets the address.
      return Object.assign(tile, {referrerPolicy: "origin", src: streets.getTileUrl(place)});
    };
    streets.addTo(map);
    if (attribution) streets.once("tileload", () => credits.addAttribution(words.innerHTML));
  }
  leaflet.control.scale().addTo(map);
  map.whenReady(() => showNames(leaflet, world, map, "names"));
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const redraw = () => land.redraw();
  scheme.addEventListener("change", redraw);
  map.on("unload", () => scheme.removeEventListener("change", redraw));
  return map;
}

const short = (text) => (text.length > 120 ? `${text.slice(0, 120)}…` : text);

const pin = (leaflet, text) =>
  leaflet.divIcon({
    className: "", html: make("div", {className: "pin", textContent: text}), iconSize: [28, 28], iconAnchor: [2, 28],
    popupAnchor: [12, -26],
  });

function clusterIcon(leaflet, count) {
  const sign = make("div", {className: "pin is-cluster"}, String(count), make("span", {className: "hidden-heading"}, " places"));
  return leaflet.divIcon({className: "", html: sign, iconSize: [38, 38]});
}

const popup = ({dataset: {name, category, href}}) =>
  make(
    "div", {}, make("strong", {dir: "auto", textContent: short(name)}),
    ...(category ? [make("span", {dir: "auto", textContent: short(category)}), make("br")] : []),
    make("a", {href, textContent: "Details"}));

// The map of the open dialog, and those of places.
let drawn = null;
let small = [];
let asked = 0;

/** Draws the map of a dialog: a pin for each entry of its list, and a button on each entry. */
async function draw(dialog) {
  const box = dialog.querySelector("[data-map]");
  const rows = [...dialog.querySelectorAll(".places [data-latitude]")];
  const places = rows.map((row) => ({row, at: [Number(row.dataset.latitude), Number(row.dataset.longitude)]}));
  const [leaflet, world] = await Promise.all([loadLibrary(), loadWorld()]);
  // The dialog may be closed already.
  if (!dialog.open) return;
  drawn?.remove();
  const map = makeMap(leaflet, world, box);
  drawn = map;
  map.fitBounds(leaflet.latLngBounds(places.map((place) => place.at)).pad(0.15), {maxZoom: 15, animate: false});
  const pins = leaflet.markerClusterGroup({
    animate: !isStill(),
    iconCreateFunction: (cluster) => clusterIcon(leaflet, cluster.getChildCount()),
    maxClusterRadius: 48,
    showCoverageOnHover: false,
  });
  places.forEach(({row, at}, index) => {
    const words = short(row.dataset.name);
    const marker = leaflet.marker(at, {icon: pin(leaflet, String(index + 1)), title: words, alt: words})
      .bindPopup(() => popup(row));
    marker.on("popupopen", () => row.classList.add("is-open"));
    marker.on("popupclose", () => row.classList.remove("is-open"));
    const show = () => pins.zoomToShowLayer(marker, () => marker.openPopup());
    row.append(roundButton("i-map", `Show ${row.dataset.name.slice(0, 80)} on the map`, "", show, "icon small"));
    pins.addLayer(marker);
  });
  pins.addTo(map);
  box.dataset.ready = "";
}

function drawIn(dialog) {
  draw(dialog).catch(() => {
    const text = "The map could not be drawn. Reload the page to try again.";
    dialog.querySelector("[data-map]").replaceChildren(make("p", {className: "map-note", textContent: text}));
  });
}

function show(dialog, address) {
  const closed = () => {
    drawn?.remove();
    drawn = null;
  };
  openOver(dialog, {address, under: dialog.dataset.under, renewed: address, closed});
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

/** The places near the one of a card, which it lists. */
const listNear = async (card) => (await import("./place-card.js?v=__VERSION__")).showNear(card);

/** Draws the small maps of places below `root`, and lists what is near them. */
export async function showMaps(root) {
  const card = root.querySelector("[data-place-card]");
  const near = card ? listNear(card) : [];
  for (const map of small) if (!map.getContainer().isConnected) map.remove();
  small = small.filter((map) => map.getContainer().isConnected);
  for (const box of root.querySelectorAll("[data-small-map]:not([data-ready])")) {
    box.hidden = false;
    try {
      const [leaflet, world] = await Promise.all([loadLibrary(), loadWorld()]);
      const at = [Number(box.dataset.latitude), Number(box.dataset.longitude)];
      // A small map does not catch the wheel and the finger that scroll the page.
      const map = makeMap(leaflet, world, box, {
        scrollWheelZoom: false, dragging: !leaflet.Browser.mobile, touchZoom: "center",
      });
      // Streets fill the map; without them, the places near do.
      map.setView(at, box.dataset.tiles ? 17 : 15, {animate: false});
      const words = short(box.dataset.name);
      leaflet.marker(at, {icon: pin(leaflet, ""), alt: words, title: words, keyboard: false}).addTo(map);
      for (const {name, place} of await near) {
        const html = make("span", {className: "near", textContent: short(name)});
        leaflet.marker(place, {icon: leaflet.divIcon({className: "map-name", html}), keyboard: false}).addTo(map);
      }
      small.push(map);
      box.dataset.ready = "";
    } catch {
      box.hidden = true;
    }
  }
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
