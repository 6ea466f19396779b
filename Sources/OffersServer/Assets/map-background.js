// The background of maps, which needs no network: land, coasts, borders and names. The data is
// Natural Earth's, in world.json, which Scripts/map-data makes and describes.

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const values = Object.fromEntries([...digits].map((digit, value) => [digit, value]));
let loading = null;

/** The decoded data. A failed request is repeated by the next call. */
export function loadWorld() {
  loading ??= fetch(new URL("world.json?v=__VERSION__", import.meta.url))
    .then((response) => {
      if (!response.ok) throw new Error(`Status ${response.status}`);
      return response.json();
    })
    .then(decode)
    .catch((error) => {
      loading = null;
      throw error;
    });
  return loading;
}

/** A place in the Mercator projection, in which the world is a square from 0 to 1. */
function project(east, north) {
  const up = Math.asinh(Math.tan((north * Math.PI) / 180)) / Math.PI;
  return [(east + 180) / 360, (1 - up) / 2];
}

/** A line as a list of projected coordinates. */
function line(text, scale) {
  const points = [];
  const place = [0, 0];
  let axis = 0;
  for (let at = 0; at < text.length; ) {
    let number = 0;
    let shift = 0;
    let group;
    do {
      group = values[text[at++]];
      number |= (group & 31) << shift;
      shift += 5;
    } while (group & 32);
    place[axis] += number & 1 ? -((number + 1) >> 1) : number >> 1;
    if (axis === 1) points.push(...project(place[0] / scale, place[1] / scale));
    axis = 1 - axis;
  }
  return points;
}

function shape(points) {
  const box = [1, 1, 0, 0];
  for (let at = 0; at < points.length; at += 2) {
    box[0] = Math.min(box[0], points[at]);
    box[1] = Math.min(box[1], points[at + 1]);
    box[2] = Math.max(box[2], points[at]);
    box[3] = Math.max(box[3], points[at + 1]);
  }
  return {points: Float64Array.from(points), box};
}

function reversed(points) {
  const turned = [];
  for (let at = points.length - 2; at >= 0; at -= 2) turned.push(points[at], points[at + 1]);
  return turned;
}

function decode(data) {
  const arcs = data.arcs.map((text) => line(text, data.scale));
  const [coasts, borders, states] = data.counts;
  const shapes = arcs.slice(0, coasts + borders + states).map(shape);
  const ringOf = (ring) => shape(ring.flatMap((arc) => (arc >= 0 ? arcs[arc] : reversed(arcs[~arc]))));
  const regions = [...data.states, ...data.countries].map((row) => ({text: row[0], rings: row[4].map(ringOf)}));
  const name = ([text, rank, east, north], isState) => ({text, rank, east, north, isState});
  return {
    regions,
    rings: regions.flatMap((region) => region.rings),
    coasts: shapes.slice(0, coasts),
    borders: shapes.slice(coasts, coasts + borders),
    states: shapes.slice(coasts + borders),
    names: [
      ...data.countries.map((country) => name(country, false)),
      ...data.states.map((state) => name(state, true)),
    ].sort((one, other) => one.rank + 2 * one.isState - other.rank - 2 * other.isState),
  };
}

/** The name of the state or else the country at a place; null for the sea. */
function regionAt(world, {lat, lng}) {
  const [x, y] = project(((lng + 540) % 360) - 180, lat);
  const isIn = ({points, box}) => {
    if (x < box[0] || x > box[2] || y < box[1] || y > box[3]) return false;
    let isInside = false;
    for (let at = 0, last = points.length - 2; at < points.length; last = at, at += 2) {
      const [ax, ay, bx, by] = [points[at], points[at + 1], points[last], points[last + 1]];
      if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) isInside = !isInside;
    }
    return isInside;
  };
  return world.regions.find((region) => region.rings.some(isIn))?.text ?? null;
}

/** Adds the part of some shapes in a tile to the path of `pen`. Points within a pixel are one. */
function trace(pen, shapes, {left, top, scale, box}) {
  for (const {points, box: own} of shapes) {
    if (own[0] > box[2] || own[2] < box[0] || own[1] > box[3] || own[3] < box[1]) continue;
    let [lastX, lastY] = [Infinity, Infinity];
    for (let at = 0; at < points.length; at += 2) {
      const x = points[at] * scale - left;
      const y = points[at + 1] * scale - top;
      if (at === 0) pen.moveTo(x, y);
      else if (Math.abs(x - lastX) + Math.abs(y - lastY) < 1 && at < points.length - 2) continue;
      else pen.lineTo(x, y);
      [lastX, lastY] = [x, y];
    }
  }
}

/** The color of the theme that a custom property of the map has. */
const color = (box, name) => getComputedStyle(box).getPropertyValue(name).trim();

/** A layer of canvases with land, coasts and borders in the colors of the theme. */
export function landLayer(leaflet, world, pane) {
  const layer = new leaflet.GridLayer({pane, attribution: "Natural Earth"});
  layer.createTile = function createTile({x, y, z}) {
    const size = this.getTileSize();
    const tile = document.createElement("canvas");
    const density = Math.min(2, devicePixelRatio || 1);
    tile.width = size.x * density;
    tile.height = size.y * density;
    const pen = tile.getContext("2d");
    pen.scale(density, density);
    const box = this._map.getContainer();
    const scale = size.x * 2 ** z;
    const edge = 2 / scale;
    const place = {
      left: x * size.x, top: y * size.y, scale,
      box: [x * size.x / scale - edge, y * size.y / scale - edge, (x + 1) * size.x / scale + edge, (y + 1) * size.y / scale + edge],
    };
    pen.fillStyle = color(box, "--map-sea");
    pen.fillRect(0, 0, size.x, size.y);
    pen.beginPath();
    trace(pen, world.rings, place);
    pen.fillStyle = color(box, "--map-land");
    pen.fill();
    pen.lineJoin = "round";
    const stroke = (shapes, name, width, dash) => {
      pen.beginPath();
      trace(pen, shapes, place);
      pen.strokeStyle = color(box, name);
      pen.lineWidth = width;
      pen.setLineDash(dash);
      pen.stroke();
    };
    if (z >= 3) stroke(world.states, "--map-line", 1, [4, 3]);
    stroke(world.coasts, "--map-coast", 1, []);
    stroke(world.borders, "--map-line", z > 3 ? 1.5 : 1, []);
    return tile;
  };
  return layer;
}

/**
 * Writes the names of countries and states that have room, the important ones first. Without any, the
 * name of the region at the center is at the upper edge.
 */
export function nameRegions(world, map, room) {
  const zoom = map.getZoom();
  const bounds = map.getBounds();
  let isNamed = false;
  for (const {text, rank, east, north, isState} of world.names) {
    if (rank > zoom + (isState ? -2 : 1) || (isState && zoom < 4)) continue;
    for (const turn of [-360, 0, 360]) {
      if (!bounds.contains([north, east + turn])) continue;
      const at = map.latLngToContainerPoint([north, east + turn]);
      isNamed = room.write(text, at, isState ? "is-state" : "") || isNamed;
    }
  }
  const region = isNamed || zoom > 12 ? null : regionAt(world, map.getCenter());
  if (region) [24, 48, 72].find((y) => room.write(region, {x: room.size.x / 2, y}));
}
