"""Measures the program offers and other programs in turn, and prints how many times its costs theirs are.

Run by Scripts/benchmark. Programs that are not installed are left out. Each is a whole process, and
pending writes are flushed to the disk before it. Only ratios of one run compare.
"""

import argparse
import contextlib
import getpass
import json
import os
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zlib
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_IMAGES = 50
_SEARCH = """SELECT o.id, o.name, o.reward_text
FROM offer_search AS s CROSS JOIN offer AS o ON o.offer_key = s.rowid
WHERE offer_search MATCH '{}' AND o.gone_at IS NULL ORDER BY rank LIMIT 20"""
_LIST = """SELECT id, name, reward_text FROM offer WHERE gone_at IS NULL
ORDER BY reward_minor_units DESC LIMIT 50"""
_SHOW = """SELECT o.id, o.name, o.reward_text FROM offer AS o JOIN feed AS f USING (feed_key)
WHERE f.name = 'ibotta' AND o.id = '{}'"""
_NGINX = """daemon off; user {1}; worker_processes 1; pid nginx.pid; error_log nginx.err;
events {{ worker_connections 1024; }}
http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000;
  default_type application/json; open_file_cache max=1000 inactive=60s;
  client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
  server {{ listen 127.0.0.1:{0}; root www; }} }}
"""


@dataclass
class Command:
    """A program to measure: its words, and what is done before each run, which is not measured."""

    name: str
    words: list
    prepare: object = None
    wall: list = field(default_factory=list)
    cpu: list = field(default_factory=list)
    megabytes: float = 0

    def run(self):
        if self.prepare:
            self.prepare()
        os.sync()
        with tempfile.TemporaryFile() as errors:
            begun = time.monotonic()
            process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=errors)
            _, status, usage = os.wait4(process.pid, 0)
            self.wall.append(time.monotonic() - begun)
            process.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            if process.returncode != 0:
                raise SystemExit(f"benchmark: {' '.join(self.words)[:200]}: "
                                 f"{errors.read()[-300:].decode(errors='replace')}")
        self.cpu.append(usage.ru_utime + usage.ru_stime)
        self.megabytes = max(self.megabytes, usage.ru_maxrss / 1024)


def measure(task, rounds, commands):
    """Runs the commands in turn, A B C A B C, so that other load affects all of them, and prints a row
    for each. The first one is offers."""
    for _ in range(rounds):
        for command in commands:
            command.run()
    own = commands[0]
    for command in commands:
        times = [statistics.median(theirs / max(mine, 1e-4) for theirs, mine in zip(values, ours))
                 for values, ours in ((command.wall, own.wall), (command.cpu, own.cpu))]
        print(f"| {task} | {command.name} | {statistics.median(command.wall):.3f} "
              f"| {statistics.median(command.cpu):.3f} | {command.megabytes:.0f} "
              f"| {times[0]:.2f} | {times[1]:.2f} |", flush=True)


class Benchmark:
    """The files and programs of a run."""

    def __init__(self, options, folder):
        self._options = options
        self._folder = folder
        self._database = self._file("offers.sqlite")
        self._bench = os.environ["BENCH"]
        self._peers = os.environ["OFFERS_PEERS"]
        self._documents = {}
        self.id = "110579"

    def _file(self, name):
        return os.path.join(self._folder, name)

    def _offers(self, *words):
        return [self._options.program, *words, "--database", self._database]

    def _sync(self, source, *words):
        return self._offers("sync", "ibotta", "--from", source, "--quiet", *words)

    def _clear(self):
        for name in os.listdir(self._folder):
            if name.startswith(("offers.sqlite", "peer.db")):
                os.unlink(self._file(name))

    def _fill(self):
        """Puts the database with the first version of the feed in place."""
        self._clear()
        shutil.copy(self._file("base.sqlite"), self._database)

    def make_files(self):
        """Writes two versions of a feed, of which the second has 1 % changed, and a database."""
        for name, words in [("a.json", []), ("b.json", ["--mutate", "1", "--change", "1"])]:
            generator = os.path.join(self._peers, "gen_feed.py")
            if os.path.exists(generator):
                subprocess.run([sys.executable, generator, "-n", str(self._options.offers), "-o",
                                self._file(name), *words], check=True, stdout=subprocess.DEVNULL)
            else:
                _write_feed(self._file(name), self._options.offers, bool(words))
        with open(self._file("a.json"), encoding="utf-8") as file:
            self.id = json.load(file)[17]["id"]
        subprocess.run(self._sync(self._file("a.json")), check=True)
        shutil.copy(self._database, self._file("base.sqlite"))

    def _peer(self, name, source, words):
        """A C program of the peers, which is compiled if necessary; nothing without its source."""
        program, path = os.path.join(self._bench, name), os.path.join(self._peers, source)
        if not os.path.exists(path):
            return []
        if not os.path.exists(program):
            libraries = ["-lsqlite3", "-lxxhash", "-lcrypto", "-lpthread"]
            if subprocess.run(["gcc", "-O3", "-mavx2", "-o", program, path, *libraries], check=False,
                              stderr=subprocess.DEVNULL).returncode != 0:
                _tell("no C program: it needs gcc, libxxhash-dev, libssl-dev and libsqlite3-dev")
                return []
        return [program, *words]

    def _importers(self, feed):
        """The other programs that import a feed into a database."""
        target = self._file("peer.db")
        found = [("C program", self._peer("limit_sync", "limit_sync.c",
                                          ["sync", feed, target, "strategy=upsert"]))]
        for script in ("json_each", "jq"):
            path = os.path.join(self._peers, f"peer_{script}.sh")
            if os.path.exists(path) and shutil.which("sqlite3") and (script != "jq" or shutil.which("jq")):
                found.append((f"sqlite3, {script}", [path, feed, target]))
        venv = os.path.join(self._bench, "venv", "bin")
        if os.path.exists(os.path.join(venv, "sqlite-utils")):
            found += [("sqlite-utils", [os.path.join(venv, "sqlite-utils"), "upsert", target, "offers", feed,
                                        "--pk", "id"]),
                      ("DuckDB", [os.path.join(venv, "python"), os.path.join(self._peers, "peers.py"),
                                  "duckdb", feed, target])]
        else:
            _tell(f"no sqlite-utils and DuckDB: python3 -m venv {self._bench}/venv && "
                  f"{self._bench}/venv/bin/pip install sqlite-utils duckdb datasette")
        return [(name, words) for name, words in found if words]

    def measure_import(self):
        """The first sync of a file. The other programs make no search index."""
        feed = self._file("a.json")
        measure("import", self._options.rounds, [
            Command("offers", self._sync(feed, "--no-index"), self._clear),
            Command("offers, with its search index", self._sync(feed), self._clear),
            *(Command(name, words, self._clear) for name, words in self._importers(feed))])

    def measure_sync(self):
        """The same document again, and one of which 1 % has changed."""
        def fill_peer(words):
            def prepare():
                self._clear()
                if words:
                    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return prepare

        first = dict(self._importers(self._file("a.json")))
        for task, name in [("same again", "a.json"), ("1 % changed", "b.json")]:
            others = [Command(peer, words, fill_peer(first[peer]))
                      for peer, words in self._importers(self._file(name))]
            measure(task, self._options.rounds,
                    [Command("offers", self._sync(self._file(name)), self._fill), *others])

    def measure_refresh(self):
        """A feed of which its server says that it has not changed; curl asks the same."""
        with open(self._file("a.json"), "rb") as file:
            self._documents["/a.json"] = ("application/json", file.read())
        with self._serve() as url:
            source = f"{url}/a.json"
            subprocess.run(self._sync(source), check=True)
            measure("refresh, 304", max(self._options.rounds, 11), [
                Command("offers", self._sync(source)),
                Command("curl", ["curl", "-sS", "-H", 'If-None-Match: "1"', source])])

    def measure_reads(self):
        """Lists, lookups and searches; the sqlite3 shell answers a query by hand on the same file."""
        self._fill()
        tasks = [("list", ["list", "--limit", "50", "--sort", "reward"], _LIST),
                 ("show", ["show", self.id], _SHOW.format(self.id)),
                 ("search, one word", ["search", "coffee"], _SEARCH.format("coffee")),
                 ("search, two words", ["search", "paper", "towels"], _SEARCH.format("paper towels")),
                 ("search, a prefix", ["search", "cof"], _SEARCH.format("cof*"))]
        for task, words, query in tasks:
            others = [("sqlite3", ["sqlite3", self._database, query])] if shutil.which("sqlite3") else []
            if task == "show" and shutil.which("curl"):
                others.append(("curl --version", ["curl", "--version"]))
            measure(task, max(self._options.rounds, 21),
                    [Command("offers", self._offers(*words)), *(Command(*other) for other in others)])

    def measure_images(self):
        """A sync that loads 50 images, and curl, which loads the same files."""
        body = _png()
        self._documents |= {f"/{number}.png": ("image/png", body) for number in range(_IMAGES)}
        with self._serve() as url:
            self._documents["/images.json"] = ("application/json", json.dumps(
                [{"id": str(number), "name": f"Offer {number}", "url": f"{url}/{number}.png"}
                 for number in range(_IMAGES)]).encode())
            urls = [word for number in range(_IMAGES)
                    for word in (f"{url}/{number}.png", "-o", self._file("image.png"))]
            measure(f"{_IMAGES} images", self._options.rounds, [
                Command("offers", self._sync(f"{url}/images.json", "--images", "--allow-private-network"),
                        self._clear),
                Command("curl", ["curl", "-sS", *urls])])

    @contextlib.contextmanager
    def _serve(self):
        """Serves the documents by their paths, with an entity tag, on loopback."""
        documents = self._documents

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                kind, body = documents[self.path]
                is_known = self.headers.get("If-None-Match") == '"1"'
                self.send_response(304 if is_known else 200)
                self.send_header("ETag", '"1"')
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", "0" if is_known else str(len(body)))
                self.end_headers()
                if not is_known:
                    self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            server.server_close()

    def measure_serving(self):
        """Requests a second by wrk over 32 connections; nginx serves the same bytes as files, and Datasette
        the same database."""
        if not (shutil.which("wrk") and shutil.which("nginx")):
            _tell("no wrk or nginx: apt-get install wrk nginx-light")
            return
        self._fill()
        paths = {"an offer": f"/api/v1/offers/ibotta:{self.id}", "a page of 50": "/api/v1/offers?limit=50"}
        others = {"an offer": "/offers/offer/1.json", "a page of 50": "/offers/offer.json?_size=50"}
        ports = [_free_port() for _ in range(3)]
        os.makedirs(self._file("www"), exist_ok=True)
        with contextlib.ExitStack() as stack:
            base = f"http://127.0.0.1:{ports[0]}"
            stack.enter_context(_running(self._offers("serve", "--port", str(ports[0])), f"{base}/api/v1/health"))
            files = {}
            for place, (task, path) in enumerate(paths.items()):
                files[task] = f"/{place}.json"
                with urllib.request.urlopen(base + path) as answer, open(self._file(f"www{files[task]}"), "wb") as file:
                    file.write(answer.read())
            with open(self._file("nginx.conf"), "w", encoding="utf-8") as file:
                file.write(_NGINX.format(ports[1], getpass.getuser()))
            stack.enter_context(_running(["nginx", "-p", self._folder + "/", "-c", self._file("nginx.conf")],
                                         f"http://127.0.0.1:{ports[1]}/0.json"))
            servers = [("offers", ports[0], paths), ("nginx", ports[1], files)]
            datasette = os.path.join(self._bench, "venv", "bin", "datasette")
            if os.path.exists(datasette):
                stack.enter_context(_running([datasette, "serve", self._database, "-p", str(ports[2])],
                                             f"http://127.0.0.1:{ports[2]}/offers/offer/1.json"))
                servers.append(("Datasette", ports[2], others))
            print("\n| task | server | requests a second | offers is so many times as fast |\n|---|---|---|---|")
            for task in paths:
                rates = {name: [] for name, *_ in servers}
                for _ in range(self._options.rounds):
                    for name, port, tasks in servers:
                        rates[name].append(_load(f"http://127.0.0.1:{port}{tasks[task]}"))
                for name, values in rates.items():
                    times = statistics.median(own / rate for own, rate in zip(rates["offers"], values))
                    print(f"| {task} | {name} | {statistics.median(values):.0f} | {times:.2f} |", flush=True)


def _load(url):
    text = subprocess.run(["wrk", "-t1", "-c32", "-d3s", "--timeout", "20s", url], check=True,
                          capture_output=True, text=True).stdout
    if "Non-2xx" in text:
        raise SystemExit(f"benchmark: {url} had failed requests:\n{text}")
    # A server that answers no request within the three seconds counts as if it had answered one.
    return max(1 / 3, next(float(line.split()[1]) for line in text.splitlines() if line.startswith("Requests/sec")))


@contextlib.contextmanager
def _running(words, url):
    """A server that runs meanwhile, from when it answers at an address."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(url, timeout=20).close()
                break
            if process.poll() is not None:
                raise SystemExit(f"benchmark: {' '.join(words)} has ended")
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _write_feed(path, count, is_changed):
    """A feed like Ibotta's, for a machine without the peers."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump([{
            "id": str(110_000 + number), "name": f"Coffee {number} paper towels",
            "description": "Earn cash back on any variety, 4 oz. or larger", "terms": "Offer valid once.",
            "current_value": f"${number % 9 + 1 + (is_changed and number % 100 == 0)}.50 Cash Back",
            "url": f"https://img.example/{number}.png"} for number in range(count)], file)


def _png():
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    header = struct.pack(">IIBBBBB", 80, 80, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(os.urandom(80 * 241), 0)) + chunk(b"IEND", b""))


def _tell(text, told=set()):
    """Tells a person of what is missing, once."""
    if text not in told:
        told.add(text)
        print(f"benchmark: {text}", file=sys.stderr)


def main():
    tasks = {"import": Benchmark.measure_import, "sync": Benchmark.measure_sync,
             "refresh": Benchmark.measure_refresh, "read": Benchmark.measure_reads,
             "images": Benchmark.measure_images, "serve": Benchmark.measure_serving}
    parser = argparse.ArgumentParser(prog="Scripts/benchmark")
    parser.add_argument("tasks", nargs="*", choices=[*tasks, []], metavar="|".join(tasks))
    parser.add_argument("--offers", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.makedirs(os.environ["BENCH"], exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.environ["BENCH"]) as folder:
        os.environ |= {"HOME": folder, "XDG_CONFIG_HOME": folder}
        benchmark = Benchmark(options, folder)
        benchmark.make_files()
        print("| task | program | wall s | CPU s | peak MB | wall, times offers | CPU, times offers |\n"
              "|---|---|---|---|---|---|---|")
        for name in options.tasks or tasks:
            tasks[name](benchmark)


if __name__ == "__main__":
    main()
