// Draws maps with Leaflet. The background needs no network: land, borders and names, and around the middle
// rings of distances. Streets come from the server of tiles that the page names, and only once a person has
// chosen them on a map; the choice is kept in this browser.

import {isStill, make, roundButton} from "./elements.js?v=__VERSION__";
import {landLayer, loadWorld, nameRegions} from "./map-background.js?v=__VERSION__";
import {drawRings, listNear} from "./map-distances.js?v=__VERSION__";
import {addressOf, ownName} from "./base-path.js?v=__VERSION__";

let library = null;

/** Loads Leaflet with its style sheet. A failed request is repeated by the next call. */
function loadLibrary() {
  library ??= Promise.all([
    import(addressOf("/map/leaflet.esm.min.js?v=__VERSION__")),
    new Promise((onload, onerror) => {
      document.head.prepend(make("link", {rel: "stylesheet", href: addressOf("/map/leaflet.css?v=__VERSION__"), onload, onerror}));
    }),
  ]).then(([leaflet]) => leaflet).catch((error) => {
    library = null;
    throw error;
  });
  return library;
}

/** The free room of a map, in which no text covers another, a pin, or a button. */
class Room {
  constructor(leaflet, map, layer) {
    Object.assign(this, {leaflet, map, layer, size: map.getSize()});
    this.frame = map.getContainer().getBoundingClientRect();
    this.taken = [...map.getContainer().querySelectorAll(".leaflet-control")].map((each) => this.boxOf(each));
  }

  /** The left, upper, right and lower edge of an element in the box of the map. */
  boxOf(element) {
    const {left, top, right, bottom} = element.getBoundingClientRect();
    const {x, y} = this.frame;
    return [left - x, top - y, right - x, bottom - y];
  }

  /** Takes a box if it is free; returns whether it was. */
  take(box) {
    const [left, top, right, bottom] = box;
    const isFree = left >= 2 && top >= 2 && right <= this.size.x - 2 && bottom <= this.size.y - 2
      && !this.taken.some((each) => left < each[2] && right > each[0] && top < each[3] && bottom > each[1]);
    if (isFree) this.taken.push(box);
    return isFree;
  }

  /** Writes a text around a point of the map's box, if there is room; returns whether there was. */
  write(text, {x, y}, kind = "") {
    const {fontFamily} = getComputedStyle(this.map.getContainer());
    const height = 1.3 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    pen.font = `600 ${0.63 * height}px ${fontFamily}`;
    const half = pen.measureText(text).width / 2 + 4;
    if (!this.take([x - half, y - height / 2, x + half, y + height / 2])) return false;
    const icon = this.leaflet.divIcon({className: `map-name ${kind}`, html: make("span", {textContent: text}), iconSize: null});
    const at = this.map.containerPointToLatLng([x, y]);
    this.leaflet.marker(at, {icon, pane: "names", interactive: false, keyboard: false}).addTo(this.layer);
    return true;
  }
}

const pen = document.createElement("canvas").getContext("2d");

/** Puts the name of each pin beside it, below or above it, where it covers nothing; or hides it. */
function placeNames(room) {
  const named = [];
  for (const icon of room.map.getPane("markerPane").children) {
    const box = room.boxOf(icon.querySelector(".pin"));
    room.taken.push(box);
    const name = icon.querySelector(".pin-name");
    if (name) named.push({name, box, at: room.boxOf(icon)});
  }
  for (const {name, box: [left, top, right, bottom], at: [x, y]} of named) {
    if (!name.style.width) {
      // A name in two lines is as wide as the longer one.
      const text = document.createRange();
      text.selectNodeContents(name);
      name.style.width = `${Math.ceil(text.getBoundingClientRect().width) + 1}px`;
    }
    const [width, height] = [name.offsetWidth, name.offsetHeight];
    const middle = (top + bottom - height) / 2;
    const corner = [[right, middle], [left - width, middle], [x - width / 2, bottom + 1], [x - width / 2, top - 1 - height]]
      .find(([across, down]) => room.take([across, down, across + width, down + height]));
    name.style.visibility = corner ? "" : "hidden";
    if (corner) name.style.translate = `${corner[0] - x}px ${corner[1] - y}px`;
  }
}

/** Makes a map with its background in a box, around a middle. */
function makeMap(leaflet, world, box, middle, options = {}) {
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
  // Tiles, if there are any, cover the land, the rings and their names.
  for (const [name, depth] of [["land", 100], ["rings", 120], ["names", 150]]) {
    const pane = map.createPane(name);
    pane.style.zIndex = depth;
    pane.style.pointerEvents = "none";
    pane.setAttribute("aria-hidden", "true");
  }
  const land = landLayer(leaflet, world, "land").addTo(map);
  leaflet.control.attribution({prefix: false}).addTo(map);
  leaflet.control.scale().addTo(map);
  const layer = leaflet.layerGroup().addTo(map);
  const arrange = () => {
    const room = new Room(leaflet, map, layer);
    layer.clearLayers();
    placeNames(room);
    nameRegions(world, map, room);
    drawRings(map, middle, room);
  };
  const streets = addStreets(leaflet, map, arrange);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const recolor = () => {
    const theme = document.documentElement.dataset.theme ?? (scheme.matches ? "dark" : "light");
    box.classList.toggle("is-dark", theme === "dark");
    land.redraw();
  };
  scheme.addEventListener("change", recolor);
  map.on("unload", () => scheme.removeEventListener("change", recolor));
  map.on("moveend resize", arrange);
  recolor();
  return {map, arrange, hasStreets: streets};
}

/** Adds the streets with the button that shows them, if the page names a server of tiles; returns whether they are shown. */
function addStreets(leaflet, map, arrange) {
  const {tiles, attribution, attributionLink} = document.body.dataset;
  if (!tiles) return false;
  const {host} = new URL(tiles);
  const name = host.replace(/^tiles?\./, "");
  const words = attributionLink
    ? make("a", {href: attributionLink, target: "_blank", rel: "noopener noreferrer", textContent: attribution})
    : make("span", {textContent: attribution ?? name});
  const layer = leaflet.tileLayer(tiles, {maxZoom: 19, attribution: words.outerHTML});
  layer.createTile = (place, done) => {
    const tile = make("img", {alt: "", onload: () => done(null, tile), onerror: (error) => done(error, tile)});
    // Some providers refuse requests that do not tell from which site they come. WebKit reads the
    // policy when it gets the address.
    return Object.assign(tile, {referrerPolicy: "origin", src: layer.getTileUrl(place)});
  };
  // The rings stay until there is a street to see: without the network there is none.
  layer.on("tileload", () => map.getContainer().classList.add("has-streets"));
  const key = ownName("streets");
  const button = make("button", {type: "button", className: "button streets", title: `Loads pictures of this area from ${host}`});
  let isOn = localStorage.getItem(key) === host;
  const show = () => {
    button.textContent = isOn ? "Hide streets" : `Show streets from ${name}`;
    if (isOn) return layer.addTo(map);
    layer.remove();
    map.getContainer().classList.remove("has-streets");
    return layer;
  };
  button.onclick = () => {
    isOn = !isOn;
    if (isOn) localStorage.setItem(key, host);
    else localStorage.removeItem(key);
    show();
    arrange();
  };
  leaflet.DomEvent.disableClickPropagation(button);
  const control = leaflet.control({position: "topright"});
  control.onAdd = () => button;
  control.addTo(map);
  show();
  return isOn;
}

const short = (text) => (text.length > 120 ? `${text.slice(0, 120)}…` : text);
const placeOf = ({dataset}) => [Number(dataset.latitude), Number(dataset.longitude)];

/** The sign of a place: a pin with its name, which `placeNames` puts beside it. */
function sign(leaflet, text, kind = "") {
  const html = make("div", {}, make("div", {className: `pin ${kind}`}));
  if (text) html.append(make("span", {className: "pin-name", dir: "auto", textContent: text}));
  return leaflet.divIcon({className: "", html, iconSize: null, popupAnchor: [0, -26]});
}

function clusterSign(leaflet, count) {
  const html = make("div", {className: "pin is-cluster", textContent: `${count.toLocaleString("en")} places`});
  return leaflet.divIcon({className: "", html, iconSize: null});
}

/** The popup of a pin: the name, the category and the link of its place, or of each place that has the same point. */
const popup = (rows) => make("div", {}, ...rows.slice(0, 20).flatMap(({dataset: {name, category, href}}) => [
  make("strong", {dir: "auto", textContent: short(name)}),
  ...(category ? [make("span", {dir: "auto", textContent: short(category)}), make("br")] : []),
  make("a", {href, textContent: "Details"}),
]));

/** The places in groups, whose signs do not cover each other at a zoom. Each has a point of the world in pixels. */
function groupPlaces(map, rows, zoom) {
  const unit = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const groups = rows.map((row) => ({rows: [row], point: map.project(placeOf(row), zoom)}));
  const box = ({rows: {length}, point: {x, y}}) =>
    (length === 1 ? [x, y - 17, 18, 18] : [x, y, unit * (40 + 5 * String(length).length), unit * 24]);
  const isCovered = (one, other) => {
    const [a, b] = [box(one), box(other)];
    return Math.abs(a[0] - b[0]) < a[2] + b[2] && Math.abs(a[1] - b[1]) < a[3] + b[3];
  };
  for (let at = 0; at < groups.length; ) {
    const other = groups.findIndex((each, index) => index !== at && isCovered(groups[at], each));
    if (other < 0) {
      at += 1;
      continue;
    }
    const [gone] = groups.splice(Math.max(at, other), 1);
    at = Math.min(at, other);
    const kept = groups[at];
    const [share, all] = [gone.rows.length, gone.rows.length + kept.rows.length];
    kept.point = kept.point.add(gone.point.subtract(kept.point).multiplyBy(share / all));
    kept.rows.push(...gone.rows);
  }
  return groups;
}

// The map of the open dialog, and those of places.
let drawn = null;
let small = [];

/** Draws the map of a dialog: a pin for each entry of its list, and a button on each entry. */
export async function drawPlaces(dialog) {
  const box = dialog.querySelector("[data-map]");
  const rows = [...dialog.querySelectorAll(".places [data-latitude]")];
  const [leaflet, world] = await Promise.all([loadLibrary(), loadWorld()]);
  // The dialog may be closed already.
  if (!dialog.open) return;
  drawn?.remove();
  const bounds = leaflet.latLngBounds(rows.map(placeOf));
  const {map, arrange} = makeMap(leaflet, world, box, bounds.getCenter());
  drawn = map;
  dialog.addEventListener("close", () => {
    if (drawn !== map) return;
    map.remove();
    drawn = null;
  }, {once: true});
  const {x, y} = map.getSize();
  // Room for the signs at the edges, and for the buttons in the corners.
  const paddingTopLeft = [Math.min(64, x / 5), Math.min(72, y / 6)];
  map.fitBounds(bounds, {paddingTopLeft, paddingBottomRight: [Math.min(64, x / 5), Math.min(56, y / 8)], maxZoom: 15, animate: false});
  const signs = leaflet.layerGroup().addTo(map);
  const groupsAt = (zoom) => groupPlaces(map, rows, zoom);
  const markers = new Map();

  /** Zooms to the places of a group, or lists those that no zoom tells apart. */
  function enter(group, marker) {
    const inner = leaflet.latLngBounds(group.map(placeOf));
    const zoom = Math.min(map.getMaxZoom(), Math.max(map.getBoundsZoom(inner.pad(0.2)), map.getZoom() + 1));
    if (zoom > map.getZoom()) map.setView(inner.getCenter(), zoom);
    else marker.unbindPopup().bindPopup(popup(group), {maxHeight: 220}).openPopup();
  }

  function drawSigns() {
    signs.clearLayers();
    markers.clear();
    for (const {rows: group, point} of groupsAt(map.getZoom())) {
      const words = short(group[0].dataset.name);
      const isOne = group.length === 1;
      const marker = leaflet.marker(map.unproject(point), isOne
        ? {icon: sign(leaflet, words), title: words} : {icon: clusterSign(leaflet, group.length)});
      if (isOne) {
        marker.bindPopup(() => popup(group));
        marker.on("popupopen", () => group[0].classList.add("is-open"));
        marker.on("popupclose", () => group[0].classList.remove("is-open"));
      } else {
        marker.on("click keypress", ({originalEvent: {key}}) => (key && key !== "Enter") || enter(group, marker));
      }
      for (const row of group) markers.set(row, {marker, group});
      marker.addTo(signs);
    }
  }

  for (const row of rows) {
    const show = () => {
      let zoom = map.getZoom();
      const isAlone = ({rows: group}) => group.length === 1 && group[0] === row;
      while (zoom < map.getMaxZoom() && !groupsAt(zoom).some(isAlone)) zoom += 1;
      map.once("moveend", () => {
        const {marker, group} = markers.get(row);
        if (group.length === 1) marker.openPopup();
        else enter(group, marker);
      });
      map.setView(placeOf(row), zoom);
    };
    row.append(roundButton("i-map", `Show ${row.dataset.name.slice(0, 80)} on the map`, "", show, "icon small"));
  }
  map.on("zoomend", drawSigns);
  drawSigns();
  arrange();
  box.dataset.ready = "";
}

/** Draws the small maps of places below `root`, and lists what is near them. */
export async function drawSmallMaps(root) {
  const card = root.querySelector("[data-place-card]");
  const near = card ? listNear(card) : [];
  for (const map of small) if (!map.getContainer().isConnected) map.remove();
  small = small.filter((map) => map.getContainer().isConnected);
  for (const box of root.querySelectorAll("[data-small-map]:not([data-ready])")) {
    box.hidden = false;
    try {
      const [leaflet, world] = await Promise.all([loadLibrary(), loadWorld()]);
      const at = leaflet.latLng(placeOf(box));
      // A small map does not catch the wheel and the finger that scroll the page.
      const {map, arrange, hasStreets} = makeMap(leaflet, world, box, at, {
        scrollWheelZoom: false, dragging: !leaflet.Browser.mobile, touchZoom: "center",
      });
      small.push(map);
      // Streets fill the map; without them, the places near do.
      map.setView(at, hasStreets ? 17 : 15, {animate: false});
      const words = short(box.dataset.name);
      leaflet.marker(at, {icon: sign(leaflet, ""), title: words, alt: words, keyboard: false}).addTo(map);
      for (const {name, place} of await near) {
        leaflet.marker(place, {icon: sign(leaflet, short(name), "is-near"), keyboard: false}).addTo(map);
      }
      arrange();
      box.dataset.ready = "";
    } catch {
      box.hidden = true;
    }
  }
}
