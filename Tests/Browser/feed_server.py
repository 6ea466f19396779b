"""A server of feeds and pictures on the loopback interface, for the browser tests.

It serves the built-in samples with generated pictures, a movie feed with a search, a feed of 3000
offers, and a feed whose texts are attacks.
"""

import colorsys
import hashlib
import json
import re
import struct
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import hostile

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "Sources/OffersFeeds/Samples"
SIZES = {"restaurants": (480, 300), "albums": (240, 240), "movies": (200, 300)}


def png(width, height, rows):
    """Encodes rows of RGB bytes as a PNG."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    raw = b"".join(b"\0" + row for row in rows)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(raw, 6))
        + chunk(b"IEND", b"")
    )


def picture(path):
    """A PNG of a landscape, which depends on the path only. A size in the path is that of the picture from 400
    pixels."""
    size = re.search(r"/(\d+)x\1[^/]*$", path)
    seed = hashlib.sha256((path[: size.start()] if size else path).encode()).digest()
    kind = path.split("/")[2] if path.count("/") > 2 else ""
    width, height = SIZES.get(kind, (340, 224))
    if size and int(size[1]) > 400:
        width = height = int(size[1])
    hue = seed[0] / 255

    def color(shift, saturation, value):
        return tuple(int(255 * part) for part in colorsys.hsv_to_rgb((hue + shift) % 1, saturation, value))

    top, low = color(0, 0.35, 0.98), color(0.08, 0.18, 1)
    hills = [color(0.45, 0.35, 0.72), color(0.5, 0.45, 0.5)]
    sun = (int(width * (0.2 + 0.6 * seed[1] / 255)), int(height * 0.3), height // 7)
    # The edge of a layer of hills rises and falls in this many slopes of equal width.
    slopes = [3 + seed[2 + layer] % 5 for layer in range(2)]
    rows = []
    for y in range(height):
        part = y / height
        row = bytearray(bytes(int(a + (b - a) * part) for a, b in zip(top, low)) * width)

        def fill(start, end, shade):
            start, end = max(0, round(start)), min(width, round(end))
            if start < end:
                row[3 * start : 3 * end] = bytes(shade) * (end - start)

        half = max(0, sun[2] ** 2 - (y - sun[1]) ** 2) ** 0.5
        fill(sun[0] - half, sun[0] + half, (255, 244, 214))
        for layer, shade in enumerate(hills):
            # The part of each slope that is covered in this row.
            covered = min(1, (y - height * (0.55 + 0.17 * layer)) / (height * 0.16))
            if covered <= 0:
                continue
            slope = width / slopes[layer]
            for number in range(slopes[layer]):
                start = slope * (number if number % 2 else number + 1 - covered)
                fill(start, start + slope * covered, shade)
        rows.append(bytes(row))
    return png(width, height, rows)


def tile(path):
    """A map tile of two colors, by its place in the checkerboard."""
    x, y = (int(part.removesuffix(".png")) for part in path.split("/")[-2:])
    shade = (228, 226, 214) if (x + y) % 2 else (205, 214, 200)
    return png(256, 256, [bytes(shade) * 256] * 256)


class Feeds:
    """The documents of the server, which tests change."""

    def __init__(self):
        self.base = ""
        self.movies_fail = False
        # The status with which a failing movie server answers, and the second page alone if only it fails.
        self.movies_status = 503
        self.movies_failing_page = None
        self.movies_words = "The movie server is being repaired."
        # A movie server that hangs answers when this is set.
        self.movies_answer = threading.Event()
        self.movies_answer.set()
        self.ibotta_extra = []
        # The rewards that differ from the sample, by the id of the offer; None for a removed offer.
        self.ibotta_rewards = {}
        self.hostile_extra = []
        self.amounts = ["$1"]
        self.long_count = 3000
        self.pictures = {}
        # The slow document of the shop is answered when the first is set; the second is set when its client has gone.
        self.shop_answers, self.shop_dropped = threading.Event(), threading.Event()
        self.shop_answers.set()
        # The requests for map tiles: their paths and referrers.
        self.tiles = []
        # The server of tiles closes the connection of each request otherwise.
        self.shows_tiles = True

    def sample(self, name):
        return json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))

    def image(self, name, key):
        return f"{self.base}/images/{name}/{key}.png"

    def document(self, name):
        if name == "ibotta":
            offers = self.sample("ibotta")
            for offer in offers:
                offer["url"] = self.image("ibotta", offer["id"])
            # An offer without a picture, and an offer whose picture does not exist.
            offers[4]["url"] = None
            offers[5]["url"] = f"{self.base}/missing.png"
            for offer in offers:
                offer["current_value"] = self.ibotta_rewards.get(offer["id"], offer["current_value"])
            return [offer for offer in offers if offer["current_value"]] + self.ibotta_extra
        if name == "restaurants":
            feed = self.sample("restaurants")
            for index, item in enumerate(feed["restaurants"]):
                item["backgroundImageURL"] = self.image("restaurants", index)
            return feed
        if name == "facts":
            feed = self.sample("facts")
            for index, item in enumerate(feed["rows"]):
                if item.get("imageHref") and index % 3:
                    item["imageHref"] = self.image("facts", index)
            return feed
        if name == "albums":
            feed = self.sample("albums")
            for item in feed["feed"]["results"]:
                # The address names the size of the picture.
                item["artworkUrl100"] = f"{self.base}/images/albums/{item['id']}/100x100bb.png"
                item["url"] = item["url"].replace("music.example.com", "music.apple.com")
            return feed
        if name == "long":
            return [
                {"id": str(number), "name": f"Offer number {number}", "current_value": "$1.00 Cash Back"}
                for number in range(1, self.long_count + 1)
            ]
        if name == "hostile":
            return hostile.offers() + self.hostile_extra
        if name == "amounts":
            return [{"id": str(number), "name": f"Offer {number}", "reward": reward} for number, reward in enumerate(self.amounts)]
        return None

    def shop(self):
        names = ["Green Tea", "Black Tea with Bergamot and Orange Peel", "Honey", "Rice Crackers", "Oolong",
                 "White Tea", "Mint", "Earl Grey"]
        return {"title": "The Tea Shop", "products": [
            {"sku": f"t-{index}", "title": name, "reward": f"${index + 1}.50 Cash Back",
             "image": self.image("shop", index) if index != 3 else None, "url": f"https://tea.example/{index}"}
            for index, name in enumerate(names)]}

    def movies(self, words, page):
        self.movies_answer.wait(60)
        if self.movies_fail or page == self.movies_failing_page:
            return self.movies_status, {"status_code": 9, "status_message": self.movies_words, "success": False}
        found = self.sample("movies")["results"]
        if words is not None:
            base = [movie for movie in found if words.lower() in movie["title"].lower()]
            found = [
                dict(movie, id=movie["id"] + 100000 * copy, title=movie["title"] + (f" {copy}" if copy else ""))
                for copy in range(12)
                for movie in base
            ]
        size = 20
        pages = max(1, -(-len(found) // size))
        part = found[(page - 1) * size : page * size]
        return 200, {"page": page, "results": part, "total_pages": pages, "total_results": len(found)}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    feeds = Feeds()

    def log_message(self, *_):
        pass

    def do_GET(self):
        url = urlsplit(self.path)
        query = parse_qs(url.query)
        if url.path.startswith("/images/"):
            cached = self.feeds.pictures.setdefault(url.path, None) or picture(url.path)
            self.feeds.pictures[url.path] = cached
            return self.send(200, "image/png", cached)
        if url.path == "/movies":
            words = query.get("query", [None])[0]
            status, document = self.feeds.movies(words, int(query.get("page", ["1"])[0]))
            return self.send_json(status, document)
        if url.path.startswith("/feeds/"):
            document = self.feeds.document(url.path.split("/")[2].removesuffix(".json"))
            if document is not None:
                return self.send_json(200, document)
        if url.path.startswith("/tiles/"):
            self.feeds.tiles.append((url.path, self.headers.get("Referer")))
            if not self.feeds.shows_tiles:
                self.close_connection = True
                return None
            return self.send(200, "image/png", tile(url.path), {"Access-Control-Allow-Origin": "*"})
        if url.path in ("/shop/list.json", "/shop/slow.json"):
            if url.path == "/shop/slow.json" and not self.waits_for_shop():
                return None
            return self.send_json(200, self.feeds.shop())
        if url.path == "/shop/page.html":
            return self.send(200, "text/html", b"<!doctype html><title>Shop</title><p>Hello</p>")
        if url.path == "/site":
            body = "<!doctype html><title>A site</title><h1>A site of somebody else</h1><p>It lets itself be framed.</p>"
            return self.send(200, "text/html", body.encode())
        if url.path == "/linking":
            body = "<!doctype html><title>Links</title><h1><a href='/site?followed'>A link to follow</a></h1>"
            return self.send(200, "text/html", body.encode())
        if url.path == "/chain":
            number = int(url.query or "1")
            body = f"<!doctype html><title>Chain</title><h1><a href='/chain?{number + 1}'>Page {number}</a></h1>"
            return self.send(200, "text/html", body.encode())
        if url.path == "/refusing":
            return self.send(200, "text/html", b"<h1>No</h1>", {"X-Frame-Options": "DENY"})
        return self.send(404, "text/plain", b"not found")

    def waits_for_shop(self):
        """Waits until the shop may answer; false if the client closes the connection before."""
        # A request that the client closes has something to read: the end of the input.
        self.connection.settimeout(0.1)
        while not self.feeds.shop_answers.is_set():
            try:
                if self.connection.recv(1):
                    continue
            except TimeoutError:
                continue
            except OSError:
                pass
            self.feeds.shop_dropped.set()
            self.close_connection = True
            return False
        self.connection.settimeout(None)
        return True

    def send_json(self, status, document):
        self.send(status, "application/json", json.dumps(document).encode())

    def send(self, status, kind, body, headers=None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # The client has closed the connection.


def start(port=0):
    """Starts the server, and returns it with its URL."""
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    base = f"http://127.0.0.1:{server.server_address[1]}"
    Handler.feeds.base = base
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, base


def configuration(base):
    """The feed definitions for feeds.yaml."""
    shipped = ROOT / "Sources/OffersFeeds/Shipped"
    text = "allow-private-network: true\nfeeds:\n"
    for name in ("ibotta", "restaurants", "facts", "albums"):
        lines = (shipped / f"{name}.yaml").read_text("utf-8").split("feeds:\n")[1].splitlines()
        lines = [line for line in lines if not line.startswith("    source:")]
        # No test contacts a site of the internet.
        lines = [f"    home: {base}/site?home" if line.startswith("    home:") else line for line in lines]
        text += "\n".join([lines[0], f"    source: {base}/feeds/{name}.json", *lines[1:]]) + "\n"
    movies = (shipped / "movies.yaml").read_text("utf-8").split("feeds:\n")[1]
    lines = []
    for line in movies.splitlines():
        if line.startswith("    source:"):
            line = f"    source: {base}/movies?page={{page}}"
        if line.startswith("    search:"):
            line = f"    search: {base}/movies?query={{query}}&page={{page}}"
        if line.startswith("      image:"):
            line = f"      image: {base}/images/movies{{poster_path}}"
        lines.append(line)
    text += "\n".join(lines) + "\n"
    for name in ("long", "hostile"):
        text += (
            f"  {name}:\n    source: {base}/feeds/{name}.json\n    id: id\n    currency: USD\n"
            "    fields: {name: name, description: description, terms: terms, reward: current_value,"
            " image: url, link: link, retailer: retailer, categories: \"categories[*]\","
            " latitude: lat, longitude: lng, expires: ends}\n"
            "    attributes: {Artist: artist, Released: released}\n"
        )
    # Its currency is unknown.
    text += f"  amounts:\n    source: {base}/feeds/amounts.json\n    id: id\n    fields: {{name: name, reward: reward}}\n"
    return text

