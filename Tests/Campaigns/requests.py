"""Requests: every address with hostile words, methods, fields and bodies."""

import itertools
import json
from urllib.parse import quote, quote_from_bytes

from .target import MARK, PRIVATE, TEXTS

_PATHS = [
    "/", "/favorites", "/changes", "/search", "/settings", "/web", "/feeds", "/feeds/ibotta",
    "/offers/ibotta:1", "/login", "/offline", "/manifest.webmanifest", "/assets/app.js", "/sw.js",
    "/api/v1/offers", "/api/v1/offers/ibotta:1", "/api/v1/offers/ibotta:1/history",
    "/api/v1/favorites", "/api/v1/changes", "/api/v1/search", "/api/v1/searches", "/api/v1/feeds",
    "/api/v1/feeds/ibotta", "/api/v1/sync", "/api/v1/images/ibotta:1", "/api/v1/health",
    "/api/v1/openapi.json",
]
_WRITES = [
    ("PUT", "/api/v1/offers/ibotta:1/favorite"), ("DELETE", "/api/v1/offers/ibotta:1/favorite"),
    ("PUT", "/api/v1/feeds/ibotta/subscription"), ("PUT", "/api/v1/feeds/ibotta/interval"),
    ("POST", "/api/v1/sync"), ("POST", "/settings"), ("POST", "/login"), ("POST", "/logout"),
]
_NAMES = ["q", "feed", "limit", "page", "cursor", "since", "sort", "retailer", "next", "url", "kind"]
_WORDS = TEXTS[:18] + [
    "../../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "file:///etc/passwd", "http://127.0.0.1:1/",
    "http://169.254.169.254/latest/meta-data", "\0", "%00", "%", "%zz", "-1", "1e999", "NaN",
    "9" * 400, "' OR 1=1 --", "\" OR \"\" MATCH \"", "{env:HOME}", "*", "a" * 9000, "\ud7ff\uffff",
]
# What a stranger may see on a guarded server.
_OPEN = ("/login", "/logout", "/api/v1/health", "/assets/", "/manifest.webmanifest", "/favicon.ico")


class Requests:
    """Each case is the number of a random request."""

    name = "requests"

    def cases(self, random):
        for number in itertools.count(1):
            yield f"requests/{number}"

    def run(self, case, targets, random):
        target = random.choice(targets)
        shows_token = random.random() < 0.6
        way = random.choice(["read", "read", "read", "path", "write", "foreign"])
        method, path, fields, body = getattr(self, f"_{way}")(target, random)
        if shows_token:
            fields = {**target.credentials, **fields}
        answer = target.send(method, path, fields, body)
        found = target.check_answer(answer)
        if answer:
            found += self._check_access(target, way, path, shows_token, answer)
        label = f"requests, {way}"
        shown = f"{method} {path[:120]}"
        return label, [f"{shown}: {text}" for text in found]

    @staticmethod
    def _check_access(target, way, path, shows_token, answer):
        status, fields, body = answer
        found = []
        if target.token and not shows_token:
            if PRIVATE.encode() in body or MARK.encode() in body and status == 200 and not (
                    path.startswith("/login")):
                found.append("a stranger sees the data")
            if status == 200 and not path.split("?")[0].startswith(_OPEN):
                found.append("a stranger gets 200")
        if way == "foreign" and status < 400 and not (
                status == 303 and fields.get("Location", "").startswith("/login")):
            found.append(f"a foreign page gets {status}")
        location = fields.get("Location", "")
        if location and not (location.startswith("/") and location[1:2] not in ("/", "\\")):
            found.append(f"a redirect to another site: {location[:60]}")
        return found

    @staticmethod
    def _query(random):
        pairs = [f"{random.choice(_NAMES)}={quote(random.choice(_WORDS), safe='')}"
                 for _ in range(random.randint(0, 3))]
        return "?" + "&".join(pairs) if pairs else ""

    def _read(self, target, random):
        fields = {"Accept": random.choice(["text/html", "application/json", "*/*"])}
        if random.random() < 0.3:
            name = random.choice(["Range", "If-None-Match", "Accept-Language", "Cookie", "Referer",
                                  "X-Forwarded-For", "X-Original-URL", "Forwarded", "Accept-Encoding"])
            text = random.choice(_WORDS).encode("latin-1", "replace").decode("latin-1")
            fields[name] = text.replace("\r", "").replace("\n", "").replace("\0", "")
        return random.choice(["GET", "GET", "HEAD"]), random.choice(_PATHS) + self._query(random), \
            fields, None

    @staticmethod
    def _path(target, random):
        words = [quote(random.choice(_WORDS)[:2000], safe=random.choice(["", "/.:"]))
                 for _ in range(random.randint(1, 3))]
        start = random.choice(["/", "/api/v1/offers/", "/api/v1/images/", "/assets/", "/offers/",
                               "/feeds/", "/api/v1/feeds/", "//", "/../", "/%2e%2e/", "/assets/../"])
        junk = quote_from_bytes(random.randbytes(random.randint(0, 8)))
        return "GET", start + "/".join(words) + junk, {"Accept": "text/html"}, None

    def _write(self, target, random):
        method, path = random.choice(_WRITES)
        text = random.choice(_WORDS)
        bodies = [
            json.dumps({"source": text}), json.dumps({"every": text}), json.dumps([text] * 50),
            "[" * 5000, "{\"a\":" * 3000, json.dumps({text: text}), "", "\0", "nul", "1e999",
            f"name={quote(text, safe='')}&passphrase=x&next={quote(text, safe='')}", "a" * 70_000]
        body = random.choice(bodies).encode("utf-8", "replace")
        kind = random.choice(["application/json", "application/x-www-form-urlencoded", "text/plain"])
        # A sync would change the feeds that the other requests look at.
        if path in ("/api/v1/sync", "/logout") and target.token is None:
            method, path = "PUT", "/api/v1/offers/ibotta:1/favorite"
        return method, path, {"Content-Type": kind, "Origin": f"http://{target.host}"}, body

    @staticmethod
    def _foreign(target, random):
        """What a page of another site can make a browser send."""
        method, path = random.choice(_WRITES)
        fields = {"Content-Type": "application/x-www-form-urlencoded"}
        way = random.randrange(4)
        if way == 0:
            fields["Origin"] = random.choice(["http://evil.example", "null", "http://localhost.evil"])
        elif way == 1:
            fields["Sec-Fetch-Site"] = random.choice(["cross-site", "same-site"])
            fields["Content-Type"] = "application/json"
        elif way == 2:
            fields["Host"] = random.choice(["evil.example", "127.0.0.1.evil.example:80", "x" * 300])
            fields["Content-Type"] = "application/json"
        else:
            fields["Content-Type"] = "text/plain"
            fields["Origin"] = "http://evil.example"
        return method, path, fields, b"{}"
