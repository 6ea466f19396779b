"""The campaign of several nodes over one PostgreSQL of three: clients star, sync, search and listen, while
nodes are killed and stopped, and the primary of the database is killed and replaced."""

import collections
import json
import os
import threading
import time

from .home import Home
from .node_clients import (MOST_SECONDS, Listener, Marks, Reader, Writer, check_cursor, check_events,
                           check_reads)
from .notices import Receiver, await_deliveries, fetch_deliveries
from .postgres import Cluster
from .server import Loop, Server
from .supplier import (DUE_FEEDS, FRESH_FEEDS, MOVING_FEED, STILL_FEED, STILL_OFFERS, Supplier,
                       check_changes, check_fetches, definitions)

PARTS = []
_NODES = 3
_CLIENTS = 8
# A lease lasts 10 s, and a stopped node must be replaced within two.
_MOST_SECONDS_TO_TAKE_OVER = 20
# A node that stands still for less keeps its leases, which are renewed.
_LEASE_SECONDS = 6
_MOST_SECONDS_TO_WRITES = 10
_GIVES_UP_SECONDS = 60
# A killed process keeps its channel until its lease ends, after 90 s.
_MOST_SECONDS_TO_DELIVER = 120
_PATHS = ["favorites", "offers?limit=50", f"offers?feed={MOVING_FEED}", "search?q=offer",
          "changes?limit=100", "feeds"]


class Node(Server):
    """A server with a name, by which the supplier knows it."""

    def __init__(self, program, site, name):
        self.name = name
        home = Home(site.folder, site.database)
        home.variables = {**site.variables, "NODE": name}
        super().__init__(program, home, "--refresh", "1m")

    def lost_lease(self, begin, end):
        """Whether a fault in this time took the node's leases from it: it was killed, or stood still for
        longer than a lease."""
        return any(begin <= at <= end for at in list(self.deaths)) or any(
            begin <= until and since <= end and until - since > _LEASE_SECONDS
            for since, until in list(self.faults) if since not in self.deaths)


def run(program, report, seconds, case=None, only=None, jobs=None):
    cluster = Cluster(os.path.join(program.scratch, "postgres"))
    supplier = Supplier()
    nodes, loops = [], []
    try:
        site = Home.make(os.path.join(program.scratch, "site"), cluster.url)
        site.variables = {
            "OFFERS_CONFIG": site.write("in/feeds.yaml", definitions(supplier.url)),
            "PGPASSFILE": cluster.passwords, "NODE": "command"}
        for name in [STILL_FEED, MOVING_FEED, *DUE_FEEDS]:
            code, _, errors = program.run_plainly(["sync", "--quiet", name], site)
            if code != 0:
                raise SystemExit(f"soak: the first sync of {name} did not work: {errors}")
        code, _, errors = program.run_plainly(["watch", "add", "offer"], site)
        if code != 0:
            raise SystemExit(f"soak: the watch cannot be added: {errors}")
        receiver = Receiver(program, site, "receiver")
        known = _offers(program, site)
        for number in range(_NODES):
            nodes.append(Node(program, site, f"node{number + 1}"))
        _soak(program, site, cluster, supplier, nodes, loops, report, seconds)
        _check_notices(program, site, receiver, known, report)
    finally:
        for loop in loops:
            loop.end()
        for node in nodes:
            report.add("ending", node.name, [] if node.end() == 0 else ["a node does not end cleanly"])
        cluster.close()
        supplier.close()


def _soak(program, site, cluster, supplier, nodes, loops, report, seconds):
    marks = Marks()
    refs = [f"{STILL_FEED}:{number}" for number in range(1, STILL_OFFERS + 1)]
    # The first offers are for the probes after a fault and for the end.
    writers = [Writer(nodes, marks, refs[40 + number::_CLIENTS], report.random(f"client {number}"))
               for number in range(_CLIENTS)]
    listeners = [Listener(node) for node in nodes for _ in range(2)]
    readers = [Reader(nodes, report.random(f"reader {number}")) for number in range(2)]
    choose = report.random("choices").choice
    sync = json.dumps({"feeds": [MOVING_FEED]})
    fresh = iter(FRESH_FEEDS)
    due = [Loop(1, lambda: program.run_plainly(["sync", "--due", "--quiet"], site)[0]) for _ in range(2)]
    asks = [Loop(0.7, lambda: choose(nodes).ask_api("POST", "sync", sync)),
            Loop(2, lambda: _subscribe(choose(nodes), next(fresh, None)))]
    working = [*writers, *readers, *due, *asks]
    loops += [*working, *listeners]
    for loop in loops:
        loop.start()
    faults = _Faults(nodes, cluster, supplier, marks, refs, report)
    faults.run(time.monotonic() + seconds)
    for loop in working:
        loop.end()
    for loop in working:
        loop.join(70)
    print(f"faults: {dict(faults.done)}; stars: {marks.acknowledged} acknowledged, {marks.unknown} unknown")
    _check_commands(due, cluster, report)
    _wait_for_syncs(nodes)
    _check_agreement(nodes, report)
    found, looked_at = check_events(
        [commit for writer in writers for commit in writer.commits], listeners, cluster)
    report.add("events", "events", found[:20] if looked_at else ["no commit was looked at"])
    _check_told_when_quiet(nodes, listeners, marks, report, refs, cluster)
    for node in nodes:
        report.add("favorites", node.name, marks.check_node(node))
    _check_favorites_of_command(program, site, marks, report)
    reads = [read for reader in readers for read in reader.reads]
    report.add("reads", "reads", check_reads(reads, cluster)[:20] if reads else ["nothing was read"])
    report.add("fetches", "fetches", check_fetches(list(supplier.fetches), nodes, cluster.outages))
    _check_changes(program, site, nodes, readers, report)


def _subscribe(node, feed):
    """Makes a feed due, if one is left."""
    if feed:
        node.ask_api("PUT", f"feeds/{feed}/subscription")


class _Faults:
    """Makes one fault after another, in random order."""

    def __init__(self, nodes, cluster, supplier, marks, refs, report):
        self._nodes, self._cluster, self._supplier = nodes, cluster, supplier
        self._marks, self._refs, self._report = marks, refs, report
        self._random = report.random("faults")
        self.done = collections.Counter()

    def run(self, deadline):
        ways = []
        # Each of them happens once at least.
        while time.monotonic() < deadline or ways:
            time.sleep(self._random.uniform(2, 4))
            if not ways:
                ways = [self._kill, self._stop, self._stop_amid_sync, self._replace_primary]
                self._random.shuffle(ways)
            way = ways.pop()
            way(self._random.choice(self._nodes))
            self.done[way.__name__.strip("_")] += 1

    def _kill(self, node):
        node.kill_and_restart(self._random.uniform(0.2, 2))

    def _stop(self, node):
        with node.stopped():
            time.sleep(self._random.uniform(2, 5))

    def _stop_amid_sync(self, node):
        """Stops a node while it waits for a feed, until another one has synced the feed. The node must
        not commit what it fetched before: the changes would not follow each other."""
        other = self._random.choice([other for other in self._nodes if other is not node])
        sync = json.dumps({"feeds": [MOVING_FEED]})
        begun = time.monotonic()
        node.ask_api("POST", "sync", sync)
        if not self._supplier.await_fetch(MOVING_FEED, node.name, begun, 3):
            return
        with node.stopped():
            stopped = time.monotonic()
            is_replaced = False
            while not is_replaced and time.monotonic() < stopped + _MOST_SECONDS_TO_TAKE_OVER:
                other.ask_api("POST", "sync", sync)
                is_replaced = self._supplier.await_fetch(MOVING_FEED, other.name, stopped, 1)
            # What the other one fetched is committed.
            time.sleep(1.5)
        self._report.add("takeovers", node.name, [] if is_replaced else
                         [f"no node takes over a feed within {_MOST_SECONDS_TO_TAKE_OVER} s"])

    def _replace_primary(self, _):
        """Kills the primary and promotes a standby: each node serves writes soon after."""
        lost, promoted = self._cluster.replace_primary(1.5)
        found = []
        waits = [threading.Thread(target=self._await_write, args=(node, place, promoted, found))
                 for place, node in enumerate(self._nodes)]
        for wait in waits:
            wait.start()
        for wait in waits:
            wait.join()
        self._cluster.bring_back(lost)
        self._report.add("failover", "failover", found)

    def _await_write(self, node, place, promoted, found):
        """Repeats a star at a node until it is acknowledged."""
        writer = Writer([node], self._marks, [], self._random)
        while not writer.mark(node, self._refs[20 + place], timeout=5):
            if not node.is_running or time.monotonic() > promoted + _GIVES_UP_SECONDS:
                break
            time.sleep(0.1)
        if time.monotonic() > promoted + _MOST_SECONDS_TO_WRITES:
            found.append(f"{node.name} serves writes later than {_MOST_SECONDS_TO_WRITES} s")


def _wait_for_syncs(nodes):
    deadline = time.monotonic() + 30
    for node in nodes:
        while time.monotonic() < deadline:
            answer = node.ask_api("GET", "sync")
            if answer and json.loads(answer[2]).get("state") != "running":
                break
            time.sleep(0.1)


def _check_agreement(nodes, report):
    """Within the time, all nodes give the same answer and the same tag."""
    for path in _PATHS:
        deadline = time.monotonic() + MOST_SECONDS
        while True:
            answers = [node.ask_api("GET", path) for node in nodes]
            kinds = {(answer[0], answer[1].get("ETag"), answer[2]) if answer else None
                     for answer in answers}
            agree = len(kinds) == 1 and answers[0] is not None and answers[0][0] == 200
            if agree or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        shown = [(answer[0], answer[1].get("ETag"), len(answer[2])) if answer else None for answer in answers]
        report.add("agreement", path, [] if agree else [f"the nodes differ on {path}: {shown}"])


def _check_told_when_quiet(nodes, listeners, marks, report, refs, cluster):
    """When nothing else happens, a star at one node is told at the others."""
    for number in range(2 * len(nodes)):
        node = nodes[number % len(nodes)]
        # The last event may still be on its way.
        time.sleep(1)
        writer = Writer([node], marks, [], report.random("quiet"))
        if not writer.mark(node, refs[number]):
            report.add("events when quiet", node.name, ["a star was refused"])
            continue
        time.sleep(MOST_SECONDS)
        report.add("events when quiet", node.name, check_events(writer.commits, listeners, cluster)[0])


def _check_commands(loops, cluster, report):
    """While the database can be reached, a command syncs what is due, or tells of a feed that failed or
    that another one syncs."""
    codes = {code for loop in loops for begun, ended, code in loop.runs
             if not cluster.was_out(begun, ended)}
    report.add("commands", "commands",
               [f"a sync of what is due ends with {code}" for code in codes - {0, 3, 11}])


def _check_favorites_of_command(program, site, marks, report):
    code, output, errors = program.run_plainly(
        ["list", "--favorites", "--json", "--limit", "10000"], site)
    found = [f"the command fails: {errors}"]
    if code == 0:
        found = marks.check(offer["ref"] for offer in json.loads(output)["offers"])
    report.add("favorites", "command", found)


def _offers(program, site):
    """The references of all offers."""
    code, output, errors = program.run_plainly(
        ["list", "--json", "--limit", "100000", "--no-pager"], site)
    if code != 0:
        raise SystemExit(f"soak: the offers cannot be listed: {errors}")
    return {offer["ref"] for offer in json.loads(output)["offers"]}


def _check_notices(program, site, receiver, known, report):
    """Each offer that came after the watch is told in one message, whichever nodes synced it and told of it."""
    # A feed may be synced meanwhile: then all is read again.
    for _ in range(3):
        now = _offers(program, site)
        found = await_deliveries(program, site, _MOST_SECONDS_TO_DELIVER)
        delivered = fetch_deliveries(program, site, "delivered") or []
        if found or now == _offers(program, site):
            break
    found += receiver.check(now - known, delivered)
    report.add("notices", receiver.name, found if now != known else ["no offer came"])
    print(f"notices: {len(delivered)} in {len(receiver.messages())} messages, "
          f"{receiver.repeated()} of them again")


def _check_changes(program, site, nodes, readers, report):
    # A feed may be synced between two answers that are compared: then all are asked for again.
    for _ in range(3):
        code, output, errors = program.run_plainly(
            ["changes", "--since", "1d", "--json", "--no-pager"], site)
        if code != 0:
            report.add("changes", "changes", [f"the changes cannot be read: {errors}"])
            return
        changes = json.loads(output)["changes"]
        behind = []
        for reader in readers:
            reader.read_changes(nodes[0])
            behind += check_cursor(changes, reader.changes)
        found, last, new = check_changes(changes)
        found += _check_ends(program, site, last, new)
        if not found and not behind:
            break
    if not last or not new:
        found.append("nothing changed")
    report.add("changes", "changes", found[:20])
    report.add("cursors", "cursors", behind[:20])


def _check_ends(program, site, last, new):
    """The changes lead to what the offers are now, and none is missing."""
    found = []
    for feed in [MOVING_FEED, *DUE_FEEDS]:
        code, output, _ = program.run_plainly(
            ["list", "--feed", feed, "--json", "--limit", "10000", "--no-pager"], site)
        rewards = {offer["ref"]: offer["reward"]["text"] for offer in json.loads(output)["offers"]} if (
            code == 0) else {}
        for ref, reward in rewards.items():
            if ref in last and last[ref] != reward:
                found.append(f"{ref} is {reward}, and its last change led to {last[ref]}")
        # The first sync of a feed has no changes of its own; later versions add one offer each.
        numbers = sorted(int(ref.partition("new-")[2]) for ref in rewards if "new-" in ref)
        unsaid = [number for number in numbers if f"{feed}:new-{number}" not in new]
        if not rewards or numbers != list(range(1, len(numbers) + 1)):
            found.append(f"offers of {feed} are missing")
        if unsaid != list(range(1, len(unsaid) + 1)):
            found.append(f"offers of {feed} came without a change: {unsaid[-5:]}")
    return found
