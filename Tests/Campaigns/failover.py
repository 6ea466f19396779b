"""The campaign that kills the primary of three PostgreSQL nodes under load, again and again."""

import json
import os
import subprocess
import threading
import time

from .marks import Marks, Writer, check_node, fetch_favorites
from .node import Node, Site

_SCRIPT = os.path.join(os.path.dirname(__file__), "..", "..", "Scripts", "postgres-nodes")
_NODES = 2
_WRITERS = 4
_OFFERS = 400
_MOST_SECONDS_TO_WRITES = 10.0
_GIVES_UP_SECONDS = 60.0
# The load before each kill, and the time for which the database has no primary.
_LOAD_SECONDS = 2.0
_OUTAGE_SECONDS = 1.5


class Cluster:
    """The three nodes of Scripts/postgres-nodes."""

    def __init__(self, scratch):
        self.folder = os.path.join(scratch, "postgres")
        self.url = self._call("start").strip()
        self.passwords = os.path.join(self.folder, "pgpass")

    def _call(self, word, *arguments):
        done = subprocess.run(
            [_SCRIPT, word, self.folder, *arguments], stdin=subprocess.DEVNULL,
            capture_output=True, timeout=600, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"postgres-nodes {word} {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def roles(self):
        """The role of each node: primary, standby or down; and the WAL that it has."""
        rows = [line.split() for line in self._call("status").splitlines()]
        return {row[0]: (row[3], 0 if row[4] == "-" else int(row[4])) for row in rows}

    def primary(self):
        return next(name for name, (role, _) in self.roles().items() if role == "primary")

    def kill(self, name):
        self._call("kill", name)

    def promote_best(self):
        """Promotes the standby that has most; returns it and the time at which it was the primary."""
        standbys = [(wal, name) for name, (role, wal) in self.roles().items() if role == "standby"]
        refusal = None
        for _, name in sorted(standbys, reverse=True):
            process = subprocess.Popen(
                [_SCRIPT, "promote", self.folder, name], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            first = process.stdout.readline()
            promoted = time.monotonic()
            _, errors = process.communicate(timeout=300)
            if process.returncode == 0 and first.startswith("promoted"):
                return name, promoted
            refusal = errors.strip()
            if first:
                break
        raise RuntimeError(f"no standby was promoted: {refusal}")

    def rejoin(self, name):
        return self._call("rejoin", name).split()[0]

    def stop(self):
        self._call("stop")


class Reader(threading.Thread):
    """Reads at one node all the time, and counts the answers."""

    _PATHS = ["offers?limit=20", "favorites", "offers/ibotta:7", "search?q=offer"]

    def __init__(self, node):
        super().__init__(daemon=True)
        self.reads = []
        """When each read began, how long it took, its status, and whether it had a warning."""
        self._node = node
        self._is_ended = threading.Event()

    def run(self):
        number = 0
        while not self._is_ended.wait(0.05):
            begun = time.monotonic()
            answer = self._node.ask("GET", self._PATHS[number % len(self._PATHS)])
            number += 1
            status, warned = None, False
            if answer:
                status, warned = answer[0], answer[1].get("Warning", "").startswith("110")
            self.reads.append((begun, time.monotonic() - begun, status, warned))

    def end(self):
        self._is_ended.set()


class _Probe(threading.Thread):
    """Stars at one node until one star after a given time is acknowledged."""

    def __init__(self, node, ref, marks, since):
        super().__init__(daemon=True)
        self.seconds = None
        self._node, self._ref, self._marks, self._since = node, ref, marks, since

    def run(self):
        while time.monotonic() < self._since + _GIVES_UP_SECONDS:
            # The same mark is repeated until it is acknowledged.
            answer = self._node.ask("PUT", f"offers/{self._ref}/favorite", timeout=5)
            self._marks.note(self._ref, True, answer[0] if answer else None)
            if answer and answer[0] == 200:
                self.seconds = time.monotonic() - self._since
                return
            time.sleep(0.1)


def run(program, report, rounds, scratch):
    cluster = Cluster(scratch)
    nodes, threads = [], []
    try:
        site = Site(program, cluster.url, scratch, passwords=cluster.passwords)
        _fill(site)
        for number in range(_NODES):
            nodes.append(Node(site, f"node{number + 1}"))
        marks = Marks()
        refs = [f"ibotta:{number}" for number in range(1, _OFFERS + 1)]
        for number in range(_WRITERS):
            threads.append(Writer(nodes, marks, refs[10 + number::_WRITERS],
                                  report.random(f"writer {number}")))
        readers = [Reader(node) for node in nodes]
        threads += readers
        for thread in threads:
            thread.start()
        for number in range(1, rounds + 1):
            _round(number, cluster, nodes, marks, readers, report)
        for thread in threads:
            thread.end()
        for thread in threads:
            thread.join(60)
        _check_end(site, nodes, marks, report)
        _print_statuses(threads[:_WRITERS], marks)
    finally:
        for thread in threads:
            thread.end()
        for node in nodes:
            node.end()
        cluster.stop()


def _fill(site):
    offers = ",\n".join(
        f'{{"id":"{number}","name":"Offer {number}","current_value":"$1.00 Cash Back"}}'
        for number in range(1, _OFFERS + 1))
    path = os.path.join(site.folder, "offers.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"[{offers}]")
    code, _, errors = site.run("sync", "--quiet", "--from", path)
    if code != 0:
        raise SystemExit(f"soak: the first sync did not work: {errors}")


def _round(number, cluster, nodes, marks, readers, report):
    """Kills the primary, promotes a standby, waits for writes at each node, and brings back the dead."""
    time.sleep(_LOAD_SECONDS)
    old = cluster.primary()
    before = marks.acknowledged
    killed = time.monotonic()
    cluster.kill(old)
    time.sleep(_OUTAGE_SECONDS)
    new, promoted = cluster.promote_best()
    probes = [_Probe(node, f"ibotta:{place + 1}", marks, promoted) for place, node in enumerate(nodes)]
    for probe in probes:
        probe.start()
    for probe in probes:
        probe.join(_GIVES_UP_SECONDS + 10)
    served = time.monotonic()
    found = []
    times = []
    for node, probe in zip(nodes, probes):
        times.append("never" if probe.seconds is None else f"{probe.seconds:.1f} s")
        if not node.is_running:
            found.append(f"{node.name} has ended")
        if probe.seconds is None or probe.seconds > _MOST_SECONDS_TO_WRITES:
            found.append(f"{node.name} serves writes later than {_MOST_SECONDS_TO_WRITES:.0f} s")
    reads = [read for reader in readers for read in reader.reads if killed <= read[0] < served]
    failed = [read for read in reads if read[2] != 200]
    if not reads or len(failed) == len(reads):
        found.append("no read was answered meanwhile")
    elif failed:
        found.append(f"reads failed meanwhile: {sorted({str(read[2]) for read in failed})}")
    way = cluster.rejoin(old)
    slowest = max((read[1] for read in reads), default=0)
    print(f"round {number}: node {old} killed, {new} promoted after {promoted - killed:.1f} s; writes "
          f"after {', '.join(times)}; reads {len(reads)}, {sum(read[3] for read in reads)} with a "
          f"warning, {len(failed)} failed, slowest {slowest:.1f} s; node {old} {way}; "
          f"{marks.acknowledged - before} stars acknowledged", flush=True)
    report.add("failover", f"failover/{number}", found)


def _check_end(site, nodes, marks, report):
    planted = Marks()
    planted.note("ibotta:never-sent", True, 200)
    since = time.monotonic()
    for node in nodes:
        found, seconds, lines = check_node(marks, node, since)
        print("\n".join([f"favorites of {node.name}: {seconds:.2f} s after the last mark", *lines]))
        report.add("favorites", node.name, found)
    is_found = bool(planted.check(fetch_favorites(nodes[0]) or []))
    report.add("self-test favorites", "self-test favorites",
               [] if is_found else ["its planted fault was not found"])
    code, output, errors = site.run("list", "--favorites", "--json", "--limit", "10000")
    if code == 0:
        found = marks.check(offer["ref"] for offer in json.loads(output)["offers"])
    else:
        found = [f"the command fails: {errors}"]
    report.add("favorites", "command", found)


def _print_statuses(writers, marks):
    statuses = {}
    for writer in writers:
        for status, count in writer.statuses.items():
            statuses[str(status)] = statuses.get(str(status), 0) + count
    print(f"stars: {marks.acknowledged} acknowledged, {marks.unknown} unknown; answers {statuses}")
