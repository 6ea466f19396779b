"""Hostile feeds, which are deep, huge, endless, entangled or lying, and forged databases."""

import gzip
import itertools
import json
import re
import sqlite3
import time

from .checks import check_ending, check_health
from .home import read_state
from .server import Loop, Web, memory_of
from .target import TEXTS, hostile_offers

# A response may have 1 GiB, and fetching it may take 10 minutes.
_MOST_SECONDS = 660
_MOST_BYTES = 400 << 20
# What no command may print to a person.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]")


def _record(number, **more):
    return {"id": str(number), "name": f"Offer {number}", "current_value": "$1.00", **more}


def _xml(body, head=""):
    return f'<?xml version="1.0"?>{head}<rss version="2.0"><channel>{body}</channel></rss>'


def _laughs():
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    return _xml("<item><guid>1</guid><title>&a11;</title></item>",
                f'<!DOCTYPE rss [<!ENTITY a0 "ha">{entities}]>')


# The documents by name. The numbers are above the documented limits.
_DOCUMENTS = {
    "deep-arrays": lambda: "[" * 500_000,
    "deep-objects": lambda: '[{"id":"1","name":' + '{"a":' * 200_000,
    "deep-xml": lambda: _xml("<item>" * 200_000),
    "laughs": _laughs,
    "external-entity": lambda: _xml(
        "<item><guid>1</guid><title>&x;</title></item>",
        '<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
    "parameter-entity": lambda: _xml(
        "", '<!DOCTYPE rss [<!ENTITY % x SYSTEM "http://127.0.0.1:1/x"> %x;]>'),
    "huge-numbers": lambda: '[{"id":1e999999999,"name":"a","current_value":' + "9" * 100_000 + "}]",
    "long-text": lambda: json.dumps([_record(1, terms="a" * 30_000_000)]),
    "many-keys": lambda: json.dumps([_record(1, **{f"k{n}": n for n in range(300_000)})]),
    "long-keys": lambda: json.dumps([{**_record(1), **{f"k{n}" + "x" * 1000: n for n in range(400)}}]),
    "many-records": lambda: json.dumps([_record(n) for n in range(150_000)]),
    "same-keys": lambda: '[{' + ",".join(['"id":"1"'] * 100_000) + "}]",
    "same-ids": lambda: json.dumps([_record(1) for _ in range(50_000)]),
    "surrogates": lambda: r'[{"id":"1","name":"\ud800\udfff\udc00 \u0000"}]',
    "bad-utf8": lambda: b'[{"id":"1","name":"\xff\xfe\xc0\x80\xed\xa0\x80"}]',
    "utf16": lambda: json.dumps([_record(1)]).encode("utf-16"),
    "binary": lambda: bytes(range(256)) * 40_000,
    "empty": lambda: "", "null": lambda: "null", "blank": lambda: " " * 5_000_000,
    "cut": lambda: json.dumps([_record(n) for n in range(5000)])[:-40],
    "texts": lambda: json.dumps(hostile_offers()),
    "many-texts": lambda: json.dumps([_record(n, name=text, retailer=text, categories=[text] * 200)
                                      for n, text in enumerate(TEXTS)]),
    "long-ids": lambda: json.dumps([{**_record(n), "id": f"{n}" + "i" * 100_000} for n in range(20)]),
    "paths": lambda: json.dumps([{**_record(n), "id": text} for n, text in enumerate(
        ["../../etc/passwd", "..", "/", "a\0b", "-rf", "--help", "$(id)", "'; DROP TABLE offer"])]),
}
# What a server sends beyond those documents.
_SERVED = ["bomb", "bombs-in-bombs", "endless", "drip", "redirects", "redirect-to-file",
          "redirect-to-itself", "short-body", "no-http", "many-fields", "endless-head"]

# What is guessed at, as by people who add a feed: within so many seconds.
_GUESSED = ["long-keys", "many-keys", "deep-objects", "deep-xml", "many-texts", "long-ids", "binary"]
_MOST_GUESS_SECONDS = 30

_LONG = {"endless", "drip", "bomb", "bombs-in-bombs", "many-records", "long-text"}

_ESCAPES = "\x1b]0;x\x07\x1b[2J\x9b31m\u202e"
_VALUES = [-(1 << 63), (1 << 63) - 1, -1, (1 << 53) + 1, float("inf"), -1.5e300, None, "", "x",
           _ESCAPES, "x" * 5000 + _ESCAPES, f'[1,{{"a":"{_ESCAPES}"}}]', b"\x1b[32m\xff", b""]
_COMMANDS = [["list"], ["search", "attack1"], ["show", "1"], ["changes"], ["history", "1"],
             ["status"], ["feeds"], ["household"], ["cache"], ["prune", "--dry-run"], ["doctor"]]
# Such an ending is a crash, whatever it tells.
_SIGNALS = range(-64, 0)


class _FeedServer:
    """A server on loopback that sends what its path names."""

    def __init__(self):
        self._bomb = gzip.compress(bytes(400 << 20), 9)
        self._web = Web(lambda handler: self._send(handler, handler.path.strip("/").split("/")[0]))
        self.url = self._web.url

    def close(self):
        self._web.close()

    def _send(self, handler, name):
        if name == "no-http":
            handler.wfile.write(b"\0\xff" * 5000)
            return
        if name == "endless-head":
            handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
            for _ in range(20_000):
                handler.wfile.write(b"X-More: " + b"a" * 1000 + b"\r\n")
            return
        targets = {"redirects": f"/redirects/{time.monotonic_ns()}",
                   "redirect-to-itself": handler.path, "redirect-to-file": "file:///etc/passwd"}
        handler.send_response(302 if name in targets else 200)
        if name in targets:
            handler.send_header("Location", targets[name])
        body = b"[]"
        if name in ("bomb", "bombs-in-bombs"):
            body = self._bomb if name == "bomb" else gzip.compress(self._bomb)
            handler.send_header(
                "Content-Encoding", "gzip" if name == "bomb" else "gzip, gzip")
        if name == "many-fields":
            for number in range(5000):
                handler.send_header(f"X-{number}", "y" * 100)
        if name not in ("endless", "drip"):
            length = 1_000_000 if name == "short-body" else len(body)
            handler.send_header("Content-Length", str(length))
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        if name == "endless":
            record = (json.dumps(_record(1)) + ",").encode() * 1000
            handler.wfile.write(b"[")
            while True:
                handler.wfile.write(record)
        elif name == "drip":
            for _ in range(40):
                handler.wfile.write(b" ")
                handler.wfile.flush()
                time.sleep(0.1)
        else:
            handler.wfile.write(body)


class Feeds:
    """Each case is a document, from a file or a server, or guessed at."""

    name = "feeds"

    def __init__(self, program, scenes):
        self._program = program
        self._scenes = scenes
        self._server = _FeedServer()

    def close(self):
        self._server.close()

    def cases(self, random):
        names = [f"feeds/file/{name}" for name in _DOCUMENTS]
        names += [f"feeds/server/{name}" for name in _SERVED]
        names += [f"feeds/guess/{name}" for name in _GUESSED]
        random.shuffle(names)
        # Those that take long come last, so that a short campaign does without them.
        return sorted(names, key=lambda name: name.split("/")[2] in _LONG)

    def run(self, case, targets, random):
        _, way, name = case.split("/")
        home = self._scenes.copy("base")
        try:
            if way == "guess":
                return "feeds, guess", [f"{name}: {text}" for text in self._guess(home, name)]
            before = read_state(self._program, home)
            source = f"{self._server.url}/{name}"
            if way == "file":
                source = self._write(home, name)
            result, peak = self._sync(home, source)
            found = check_ending(result)
            if result.total == 0:
                found.append("nothing was intercepted")
            if peak > _MOST_BYTES:
                found.append(f"it takes {peak >> 20} MB of memory")
            now = read_state(self._program, home)
            if before.favorites - now.favorites:
                found.append("favorites are lost")
            kept = {offer[0] for offer in now.offers.get("ibotta", ())}
            if {offer[0] for offer in before.offers["ibotta"]} - kept:
                found.append("offers are removed")
            found += self._check_texts(home)
            found += check_health(self._program, home)
            return f"feeds, {way}", [f"{name}: {text}" for text in found]
        finally:
            home.remove()

    @staticmethod
    def _write(home, name):
        document = _DOCUMENTS[name]()
        path = home.file("in/feed")
        with open(path, "wb") as file:
            file.write(document if isinstance(document, bytes) else document.encode())
        return path

    def _guess(self, home, name):
        result = self._program.run(
            ["feeds", "guess", self._write(home, name)], home, timeout=_MOST_GUESS_SECONDS)
        return check_ending(result)

    def _sync(self, home, source):
        """Syncs under a bound of time; returns the result and the peak of memory. That is looked at again
        and again: the usage that the system tells of an ended process includes that of this one."""
        watches = []

        def watch(process):
            watches.append(Loop(0.005, lambda: memory_of(process.pid, "VmHWM")))
            watches[0].start()

        result = self._program.run(["sync", "ibotta", "--quiet", "--from", source], home,
                                   timeout=_MOST_SECONDS, begins=watch)
        watches[0].end()
        watches[0].join()
        return result, max((size for *_, size in watches[0].runs), default=0)

    def _check_texts(self, home):
        """What the commands print for a person holds no control characters and no secret file."""
        return [text for words in [["list"], ["changes"], ["status"], ["show", "1"], ["search", "attack1"]]
                for text in _check_printed(words, self._program.run(words, home))]


def _check_printed(words, result):
    found = []
    if match := _CONTROLS.search(result.output + result.errors):
        found.append(f"{words[0]} prints the control character {match.group()!r}")
    if "root:x:" in result.output + result.errors:
        found.append(f"{words[0]} prints a file of the machine")
    return found


class Files:
    """Databases with hostile values in any column, as a stranger may hand one over. Each case is a number."""

    name = "files"

    def __init__(self, program, scenes):
        self._program = program
        self._scenes = scenes

    def cases(self, random):
        for number in itertools.count(1):
            yield f"files/{number}"

    def run(self, case, targets, random):
        home = self._scenes.copy("base")
        try:
            changes = _forge(home.database, random)
            found = []
            for words in random.sample(_COMMANDS, 4):
                result = self._program.run(words, home)
                if result.code in _SIGNALS or result.timed_out:
                    found.append(f"{words[0]} ends with {result.code}")
                found += [f"{words[0]}: {text}" for text in check_ending(result)]
                found += _check_printed(words, result)
            return "files", [f"{changes}: {text}" for text in found]
        finally:
            home.remove()


def _forge(path, random):
    """Writes one to five values past the constraints of the tables; returns what was changed."""
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        tables = [name for name, sql in connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            if sql and "VIRTUAL" not in sql and not re.match(r"sqlite_|offer_search", name)]
        changes = []
        for _ in range(200):
            table = random.choice(tables)
            column = random.choice(
                [row[1] for row in connection.execute(f"PRAGMA table_info({table})")])
            value = random.choice(_VALUES)
            try:
                changed = connection.execute(
                    f"UPDATE {table} SET {column} = ? WHERE ({column}) IN "
                    f"(SELECT {column} FROM {table} LIMIT 1)", [value]).rowcount
            except sqlite3.Error:
                continue
            if changed > 0:
                changes.append(f"{table}.{column} = {str(value)[:20]!r}")
            if len(changes) == random.randint(1, 5):
                break
        connection.commit()
        return ", ".join(changes)
    finally:
        connection.close()
