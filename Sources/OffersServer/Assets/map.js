// The map of a feed's offers, drawn by Leaflet. It loads no tiles from another server: the
// background is a graticule, the lines of latitude and longitude.

let current = null;
let styled;

function addStyle() {
  return new Promise((resolve, reject) => {
    const style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = "/map/leaflet.css";
    style.onload = resolve;
    style.onerror = reject;
    document.head.prepend(style);
  });
}

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/**
 * The distance between two lines in degrees: the smallest of the steps that is at least 110 pixels
 * wide at a zoom level, or the largest one.
 */
function step(zoom) {
  const wanted = (360 / 2 ** (zoom + 8)) * 110;
  const steps = [
    0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 45,
  ];
  return steps.find((each) => each >= wanted) ?? 45;
}

function graticule(leaflet) {
  const layer = new leaflet.GridLayer({attribution: ""});
  layer.createTile = function createTile(coords) {
    const size = this.getTileSize();
    const tile = document.createElement("canvas");
    tile.width = size.x * 2;
    tile.height = size.y * 2;
    const pen = tile.getContext("2d");
    pen.scale(2, 2);
    const map = this._map;
    const corner = coords.scaleBy(size);
    const north = map.unproject(corner, coords.z);
    const south = map.unproject(corner.add(size), coords.z);
    const gap = step(coords.z);
    const digits = Math.max(0, -Math.floor(Math.log10(gap)));
    pen.strokeStyle = color("--line");
    pen.fillStyle = color("--faint");
    pen.font = `10px ${getComputedStyle(document.body).fontFamily}`;
    pen.lineWidth = 1;
    for (let east = Math.ceil(north.lng / gap) * gap; east < south.lng; east += gap) {
      const x = Math.round(map.project([0, east], coords.z).x - corner.x) + 0.5;
      pen.beginPath();
      pen.moveTo(x, 0);
      pen.lineTo(x, size.y);
      pen.stroke();
      const text = `${Math.abs(east).toFixed(digits)}° ${east < 0 ? "W" : "E"}`;
      // A tile clips its drawing: a label without space on the right of its line is put on the left.
      const width = pen.measureText(text).width;
      pen.fillText(text, x + 3 + width <= size.x ? x + 3 : x - 3 - width, 11);
    }
    for (let up = Math.ceil(south.lat / gap) * gap; up < north.lat; up += gap) {
      const y = Math.round(map.project([up, 0], coords.z).y - corner.y) + 0.5;
      pen.beginPath();
      pen.moveTo(0, y);
      pen.lineTo(size.x, y);
      pen.stroke();
      const text = `${Math.abs(up).toFixed(digits)}° ${up < 0 ? "S" : "N"}`;
      pen.fillText(text, 3, y < 12 ? y + 11 : y - 3);
    }
    return tile;
  };
  return layer;
}

function popup(row) {
  const content = document.createElement("div");
  const name = document.createElement("strong");
  name.dir = "auto";
  name.textContent = row.dataset.name.length > 120 ? `${row.dataset.name.slice(0, 120)}…` : row.dataset.name;
  content.append(name);
  if (row.dataset.category) {
    const category = document.createElement("span");
    category.dir = "auto";
    category.textContent = row.dataset.category.slice(0, 120);
    content.append(category, document.createElement("br"));
  }
  const link = document.createElement("a");
  link.href = row.dataset.href;
  link.textContent = "Details";
  content.append(link);
  return content;
}

async function draw(box, places) {
  const [leaflet] = await Promise.all([import("/map/leaflet.esm.min.js"), (styled ??= addStyle())]);
  box.replaceChildren();
  current?.remove();
  const map = leaflet.map(box, {
    attributionControl: false,
    maxZoom: 18,
    minZoom: 1,
    worldCopyJump: true,
    zoomAnimation: !matchMedia("(prefers-reduced-motion: reduce)").matches,
  });
  current = map;
  map.fitBounds(leaflet.latLngBounds(places.map((place) => place.at)).pad(0.15), {maxZoom: 15});
  graticule(leaflet).addTo(map);
  leaflet.control.scale().addTo(map);
  places.forEach(({row, at}, index) => {
    const pin = document.createElement("div");
    pin.className = "pin";
    pin.textContent = String(index + 1);
    const marker = leaflet
      .marker(at, {
        icon: leaflet.divIcon({className: "", html: pin, iconSize: [28, 28], iconAnchor: [2, 28], popupAnchor: [12, -26]}),
        title: row.dataset.name.slice(0, 120),
        alt: row.dataset.name.slice(0, 120),
      })
      .bindPopup(() => popup(row))
      .addTo(map);
    marker.on("popupopen", () => row.classList.add("is-open"));
    marker.on("popupclose", () => row.classList.remove("is-open"));
    row.addEventListener("pointerenter", () => marker.setZIndexOffset(1000));
    row.addEventListener("pointerleave", () => marker.setZIndexOffset(0));
    const number = document.createElement("button");
    number.type = "button";
    number.className = "round";
    number.setAttribute("aria-label", `Show ${row.dataset.name.slice(0, 80)} on the map`);
    number.append(icon());
    number.addEventListener("click", () => {
      map.setView(at, Math.max(map.getZoom(), 14));
      marker.openPopup();
      box.scrollIntoView({block: "nearest"});
    });
    row.querySelector(".outside").before(number);
  });
  box.dataset.ready = "";
}

function icon() {
  const space = "http://www.w3.org/2000/svg";
  const sign = document.createElementNS(space, "svg");
  sign.setAttribute("class", "icon small");
  sign.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", "#i-map");
  sign.append(use);
  return sign;
}

/**
 * Draws the map of the page, with a marker for each entry of the list of places, if the server has
 * Leaflet's files.
 */
export function drawMap() {
  const box = document.querySelector("[data-map]");
  const places = [...document.querySelectorAll(".places [data-latitude]")].map((row) => ({
    row,
    at: [Number(row.dataset.latitude), Number(row.dataset.longitude)],
  }));
  if (!box || !("mapFiles" in box.dataset) || places.length === 0) return;
  box.querySelector(".map-note").textContent = "The map is being drawn …";
  draw(box, places).catch(() => {
    const note = document.createElement("p");
    note.className = "map-note";
    note.textContent = "The map could not be drawn. The places are in the list.";
    box.replaceChildren(note);
  });
}
