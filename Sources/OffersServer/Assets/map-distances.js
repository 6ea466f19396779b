// Distances and directions: the rings around the middle of a map, and what is near a place.

import {make} from "./elements.js?v=__VERSION__";
import {fetchPage} from "./requests.js?v=__VERSION__";

const radians = Math.PI / 180;
const winds = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];
const windAt = (degrees) => winds[Math.round(degrees / 45) % 8];

function distance(meters) {
  if (meters < 1000) return `${Math.round(meters / 10) * 10} m`;
  return `${(meters / 1000).toFixed(meters < 10_000 && meters % 1000 ? 1 : 0)} km`;
}

/** The way from one place to another: meters, and the direction in degrees from the north. */
function way([north, east], [otherNorth, otherEast]) {
  const up = (otherNorth - north) * radians;
  const right = (otherEast - east) * radians * Math.cos(north * radians);
  return {meters: 6_371_000 * Math.hypot(up, right), degrees: (Math.atan2(right, up) / radians + 360) % 360};
}

const placeOf = ({dataset}) => [Number(dataset.latitude), Number(dataset.longitude)];

/** Lists what is near a place in its feed, with distance and direction, and returns the names and places. */
export async function listNear(card) {
  const page = await fetchPage(card.dataset.listLink).catch(() => null);
  const rows = [...(page?.querySelectorAll(".places [data-latitude]") ?? [])]
    .map((row) => ({row, ...way(placeOf(card), placeOf(row))})).filter(({meters}) => meters > 1)
    .sort((one, other) => one.meters - other.meters).slice(0, 3);
  const list = card.querySelector("[data-near]");
  list.replaceChildren(...rows.map(({row, meters, degrees}) => {
    const arrow = make("span", {className: "arrow", textContent: "↑", "aria-hidden": "true"});
    arrow.style.rotate = `${Math.round(degrees)}deg`;
    const name = make("a", {href: row.dataset.href, textContent: row.dataset.name.slice(0, 120)});
    return make("li", {}, arrow, name, ` ${distance(meters)} ${windAt(degrees)}`);
  }));
  return rows.map(({row}) => ({name: row.dataset.name, place: placeOf(row)}));
}

// The zoom from which on land fills a map.
const NEAR_ZOOM = 7;

/** Draws rings of round distances around the middle, wherever the map is, and the axes of the directions. */
export function drawRings(map, middle, room) {
  if (map.getZoom() < NEAR_ZOOM) return;
  const {leaflet, layer, size} = room;
  const {x, y} = map.latLngToContainerPoint(middle);
  // The circumference of the earth at the latitude, over the width of the whole world in pixels.
  const meters = (40_075_017 * Math.cos(middle.lat * radians)) / 2 ** (map.getZoom() + 8);
  // The least distance between two rings.
  const gap = meters * Math.min(80, Math.max(50, Math.min(size.x, size.y) / 5));
  const least = 10 ** Math.floor(Math.log10(gap));
  const step = [1, 2, 5, 10].map((part) => part * least).find((each) => each >= gap);
  const nearest = Math.hypot(Math.max(-x, 0, x - size.x), Math.max(-y, 0, y - size.y));
  const farthest = Math.hypot(Math.max(x, size.x - x), Math.max(y, size.y - y));
  const line = {pane: "rings", className: "ring", fill: false, interactive: false};
  const isInside = nearest === 0;
  // From outside, the distances are written on the way to the middle of the view.
  const ahead = Math.atan2(size.x / 2 - x, y - size.y / 2) / radians;
  const angles = isInside ? [45, 135, 225, 315, 60, 120, 240, 300, 75, 105] : [ahead, ahead - 10, ahead + 10];
  for (let ring = Math.max(1, Math.ceil((nearest * meters) / step)); (ring * step) / meters <= farthest; ring += 1) {
    const radius = (ring * step) / meters;
    leaflet.circleMarker(middle, {...line, radius}).addTo(layer);
    const words = distance(ring * step) + (isInside ? "" : ` ${windAt((ahead + 360) % 360)}`);
    angles.find((angle) => room.write(
      words, {x: x + radius * Math.sin(angle * radians), y: y - radius * Math.cos(angle * radians)}, "is-ring"));
  }
  const bounds = map.getBounds().pad(0.5);
  leaflet.polyline([[[bounds.getNorth(), middle.lng], [bounds.getSouth(), middle.lng]],
    [[middle.lat, bounds.getWest()], [middle.lat, bounds.getEast()]]], line).addTo(layer);
  // The letters stand at the ends of the axes, or further in, where there is room.
  for (const [letter, across, down] of [["N", 0, -1], ["E", 1, 0], ["S", 0, 1], ["W", -1, 0]]) {
    const ends = across ? [across > 0 ? size.x - 14 : 14, y] : [x, down > 0 ? size.y - 14 : 14];
    [0, 30, 60, 90].find((inward) => room.write(letter, {x: ends[0] - across * inward, y: ends[1] - down * inward}, "is-ring"));
  }
}
