// The card of a place where no map shows streets: what else of its feed is near, with distance and direction.

import {make} from "./elements.js?v=__VERSION__";
import {fetchPage} from "./requests.js?v=__VERSION__";

/** The way from one place to another: meters, and the direction in degrees from the north. */
function way([north, east], [otherNorth, otherEast]) {
  const radians = Math.PI / 180;
  const up = (otherNorth - north) * radians;
  const right = (otherEast - east) * radians * Math.cos(north * radians);
  return {meters: 6_371_000 * Math.hypot(up, right), degrees: (Math.atan2(right, up) / radians + 360) % 360};
}

const winds = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];
const placeOf = ({dataset}) => [Number(dataset.latitude), Number(dataset.longitude)];

/** Lists what is near a place in its feed, with distance and direction, and returns the names and places. */
export async function showNear(card) {
  const page = await fetchPage(card.dataset.listLink).catch(() => null);
  const rows = [...(page?.querySelectorAll(".places [data-latitude]") ?? [])]
    .map((row) => ({row, ...way(placeOf(card), placeOf(row))})).filter(({meters}) => meters > 1)
    .sort((one, other) => one.meters - other.meters).slice(0, 3);
  const list = card.querySelector("[data-near]");
  list.replaceChildren(...rows.map(({row, meters, degrees}) => {
    const arrow = make("span", {className: "arrow", textContent: "↑", "aria-hidden": "true"});
    arrow.style.rotate = `${Math.round(degrees)}deg`;
    const name = make("a", {href: row.dataset.href, textContent: row.dataset.name.slice(0, 120)});
    const size = meters < 1000 ? `${Math.round(meters / 10) * 10} m` : `${(meters / 1000).toFixed(meters < 10_000 ? 1 : 0)} km`;
    return make("li", {}, arrow, name, ` ${size} ${winds[Math.round(degrees / 45) % 8]}`);
  }));
  return rows.map(({row}) => ({name: row.dataset.name, place: placeOf(row)}));
}
