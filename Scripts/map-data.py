"""Simplifies countries and states of Natural Earth into one JSON file, for Scripts/map-data.

The file is a topology: a line between two countries is stored once, so that it is simplified alike on
both sides. Its members:

- `scale`: the coordinates are integers, degrees times this number.
- `arcs`: lines, as the differences of longitude and latitude from point to point; each number in
  zigzag code, in groups of 5 bits from the lowest one on, as characters of `DIGITS`, of which the
  upper 32 announce a further group.
- `counts`: how many of the arcs are coasts, borders of countries and borders of states, in this
  order. The remaining arcs are cuts at the antimeridian, which are not drawn.
- `countries`: each a name, a rank (small is important), a place for the name, and rings. A ring
  lists arcs; ~n is the arc n in reverse.
- `states`: as `countries`. Only the states of `WITH_LAKES` have rings; these take the place of the
  main ring of their country, which has no lakes, while the states end at the Great Lakes.
"""

import json
import lzma
import math
import sys
from pathlib import Path

import rdata

SCALE = 500
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
# The greatest distance of a removed point from its simplified line, in kilometres.
TOLERANCE = 1.0
# The least area of an island, in square kilometres, unless it is the largest one of its country.
ISLAND = 18
MOST_BYTES = 300_000
WITH_LAKES = ("United States of America", "Canada")


def load(base, name):
    """A data set of an R package: its database is a file of pieces, each compressed by raw LZMA2."""
    index = rdata.conversion.convert(rdata.parser.parse_data(Path(f"{base}.rdx").read_bytes()))
    start, count = (int(number) for number in index["variables"][name])
    piece = Path(f"{base}.rdb").read_bytes()[start : start + count]
    if piece[4:5] != b"Z":
        raise SystemExit(f"{name} is not compressed by LZMA2: this version of the package is unknown.")
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 26}]
    raw = lzma.decompress(piece[5:], format=lzma.FORMAT_RAW, filters=filters)
    return rdata.conversion.convert(rdata.parser.parse_data(raw))


def rings_of(shape):
    """The rings of a shape as lists of whole-number points, without their closing points."""
    found = []
    for polygon in shape.Polygons:
        points = []
        for east, north in polygon.coords:
            # The map ends at 85 degrees, where the projection does.
            point = (round(float(east) * SCALE), round(max(-85.0, min(85.0, float(north))) * SCALE))
            if not points or points[-1] != point:
                points.append(point)
        if points and points[0] == points[-1]:
            points.pop()
        if len(points) >= 3:
            found.append(points)
    return found


def area(ring):
    """The area of a ring in square kilometres, as on a plane at its latitude."""
    total = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1]))
    middle = sum(point[1] for point in ring) / len(ring) / SCALE
    return abs(total) / 2 / SCALE**2 * 111.3**2 * math.cos(math.radians(middle))


def is_cut(point):
    return abs(point[0]) >= 180 * SCALE - 1 or point[1] <= -85 * SCALE


class Topology:
    """Cuts rings at the points where lines meet, and stores each line once."""

    def __init__(self, rings):
        self.arcs, self.numbers = [], {}
        around = {}
        self.junctions = set()
        for ring in rings:
            for before, point, after in zip(ring[-1:] + ring[:-1], ring, ring[1:] + ring[:1]):
                pair = frozenset((before, after))
                if around.setdefault(point, pair) != pair or is_cut(point):
                    self.junctions.add(point)

    def add(self, ring):
        """Returns the numbers of the arcs of a ring."""
        first = next((place for place, point in enumerate(ring) if point in self.junctions), None)
        if first is None:
            first = ring.index(min(ring))
        ring = ring[first:] + ring[: first + 1]
        found, arc = [], [ring[0]]
        for point in ring[1:]:
            arc.append(point)
            if point in self.junctions:
                found.append(self.number(arc))
                arc = [point]
        if len(arc) > 1:
            found.append(self.number(arc))
        return found

    def number(self, arc):
        one, other = tuple(arc), tuple(reversed(arc))
        if other in self.numbers:
            return ~self.numbers[other]
        if one not in self.numbers:
            self.numbers[one] = len(self.arcs)
            self.arcs.append(arc)
        return self.numbers[one]


def simplify(points):
    """Simplifies a line by the algorithm of Douglas and Peucker."""

    def distance(point, start, end):
        flat = math.cos(math.radians(start[1] / SCALE))
        x, y = (point[0] - start[0]) * flat, point[1] - start[1]
        across, up = (end[0] - start[0]) * flat, end[1] - start[1]
        length = across * across + up * up
        part = max(0, min(1, (x * across + y * up) / length)) if length else 0
        return math.hypot(x - part * across, y - part * up) / SCALE * 111.3

    kept = {0, len(points) - 1}
    parts = [(0, len(points) - 1)]
    if points[0] == points[-1]:
        # A ring without junctions: it keeps its farthest points as well.
        far = max(range(len(points)), key=lambda place: distance(points[place], points[0], points[0]))
        side = max(range(len(points)), key=lambda place: distance(points[place], points[0], points[far]))
        kept |= {far, side}
        places = sorted(kept)
        parts = list(zip(places, places[1:]))
    while parts:
        start, end = parts.pop()
        if end - start < 2:
            continue
        far = max(range(start + 1, end), key=lambda place: distance(points[place], points[start], points[end]))
        if distance(points[far], points[start], points[end]) > TOLERANCE:
            kept.add(far)
            parts += [(start, far), (far, end)]
    return [points[place] for place in sorted(kept)]


def encode(points):
    text, last = [], (0, 0)
    for point in points:
        for now, before in zip(point, last):
            number = now - before
            number = number << 1 if number >= 0 else (-number << 1) - 1
            while number > 31:
                text.append(DIGITS[32 | number & 31])
                number >>= 5
            text.append(DIGITS[number])
        last = point
    return "".join(text)


def place_for_name(ring):
    """The point of a ring that is farthest from its edges, on a grid that is refined twice."""
    up = [(x, math.degrees(math.asinh(math.tan(math.radians(y / SCALE)))) * SCALE) for x, y in ring]
    up = up[:: max(1, len(up) // 400)]

    def room(x, y):
        inside, least = False, math.inf
        for (ax, ay), (bx, by) in zip(up, up[1:] + up[:1]):
            if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
                inside = not inside
            length = (bx - ax) ** 2 + (by - ay) ** 2
            part = max(0, min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length)) if length else 0
            # Names are wider than high, so that room at the sides counts for less.
            least = min(least, math.hypot((x - ax - part * (bx - ax)) / 1.5, y - ay - part * (by - ay)))
        return least if inside else -least

    left, right = min(x for x, _ in up), max(x for x, _ in up)
    low, high = min(y for _, y in up), max(y for _, y in up)
    best = None
    for _ in range(3):
        grid = [(left + (right - left) * (i + 0.5) / 20, low + (high - low) * (j + 0.5) / 20) for i in range(20) for j in range(20)]
        best = max(grid, key=lambda point: room(*point))
        width, height = (right - left) / 10, (high - low) / 10
        left, right, low, high = best[0] - width, best[0] + width, best[1] - height, best[1] + height
    north = math.degrees(math.atan(math.sinh(math.radians(best[1] / SCALE))))
    return [round(best[0] / SCALE, 2), round(north, 2)]


def main(base, target):
    countries, states = load(base, "countries50"), load(base, "states50")
    country_rings = [rings_of(shape) for shape in countries.polygons]
    state_rings = [rings_of(shape) for shape in states.polygons]
    for rings in country_rings:
        largest = max(rings, key=area)
        rings[:] = [ring for ring in rings if ring is largest or area(ring) > ISLAND]
    topology = Topology([ring for rings in country_rings + state_rings for ring in rings])
    shapes = [[topology.add(ring) for ring in rings] for rings in country_rings]
    state_shapes = [[topology.add(ring) for ring in rings] for rings in state_rings]
    has_lakes = [str(name) in WITH_LAKES for name in states.data["admin"]]
    country_uses, state_uses, shores = {}, {}, set()
    for ring in (ring for rings in shapes for ring in rings):
        for arc in ring:
            number = max(arc, ~arc)
            country_uses[number] = country_uses.get(number, 0) + 1
    for rings, lakes in zip(state_shapes, has_lakes):
        for number in (max(arc, ~arc) for ring in rings for arc in ring):
            state_uses[number] = state_uses.get(number, 0) + 1
            if lakes:
                shores.add(number)

    def kind(number):
        if all(is_cut(point) for point in topology.arcs[number]):
            return 3 if number in country_uses else 4
        if number in country_uses:
            return 0 if country_uses[number] == 1 else 1
        # The outer edge of a state is the shore of a lake, or repeats that of its country.
        return 2 if state_uses[number] > 1 else 0 if number in shores else 4

    kinds = [kind(number) for number in range(len(topology.arcs))]
    order = sorted((number for number in range(len(kinds)) if kinds[number] < 4), key=lambda each: kinds[each])
    new = {number: place for place, number in enumerate(order)}

    def renumber(arc):
        return new[arc] if arc >= 0 else ~new[~arc]

    known = {frozenset(max(arc, ~arc) for arc in ring) for rings in shapes for ring in rings}
    for (_, values), rings, shape in zip(countries.data.iterrows(), country_rings, shapes):
        if str(values["admin"]) in WITH_LAKES:
            del shape[rings.index(max(rings, key=area))]
    for place, rings in enumerate(state_shapes):
        # Islands are among the rings of the country.
        islands = [ring for ring in rings if frozenset(max(arc, ~arc) for arc in ring) in known]
        state_shapes[place] = [ring for ring in rings if has_lakes[place] and ring not in islands]

    def row(values, rings, shape):
        name, rank = str(values["name"]), int(values["labelrank"])
        rings_of_arcs = [[renumber(arc) for arc in ring] for ring in shape]
        return [name, rank, *place_for_name(max(rings, key=area)), rings_of_arcs]

    def rows(data, rings, shapes):
        return [row(values, *rest) for (_, values), *rest in zip(data.iterrows(), rings, shapes)]

    document = {
        "source": "Natural Earth 1:50m, in the public domain; made by Scripts/map-data",
        "scale": SCALE,
        "counts": [kinds.count(each) for each in (0, 1, 2)],
        "arcs": [encode(simplify(topology.arcs[number])) for number in order],
        "countries": rows(countries.data, country_rings, shapes),
        "states": rows(states.data, state_rings, state_shapes),
    }
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":")).replace('],[', '],\n[') + "\n"
    if len(text.encode()) > MOST_BYTES:
        raise SystemExit(f"{len(text.encode())} bytes are more than {MOST_BYTES}: simplify more.")
    Path(target).write_text(text, "utf-8")
    print(f"{target}: {len(text.encode())} bytes, {len(order)} lines", file=sys.stderr)


main(*sys.argv[1:])
