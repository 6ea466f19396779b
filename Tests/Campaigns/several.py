"""The campaign of several nodes over one database: clients star, sync, search and listen, while nodes
are killed and stopped, and pgbouncer is killed."""

import collections
import json
import os
import threading
import time

from .database import Bouncer, File
from .listener import MOST_SECONDS, Listener, check_events
from .marks import Marks, Writer, check_node, fetch_favorites
from .node import Node, Site
from .readers import Reader, check_cursor, check_reads
from .supplier import (DUE_FEEDS, FRESH_FEEDS, MOVING_FEED, STILL_FEED, STILL_OFFERS, Supplier,
                       check_changes, check_fetches, definitions)

_NODES = 3
# A lease lasts 10 s, and a stopped node must be replaced within two.
_MOST_SECONDS_TO_TAKE_OVER = 20
_CLIENTS = 8
_PATHS = ["favorites", "offers?limit=50", f"offers?feed={MOVING_FEED}", "search?q=offer",
          "changes?limit=100", "feeds"]


class _Loop(threading.Thread):
    """Does something again and again until it is ended."""

    def __init__(self, pause, action):
        super().__init__(daemon=True)
        self.runs = []
        """When each began and ended, and its outcome."""
        self._pause = pause
        self._action = action
        self._is_ended = threading.Event()

    def run(self):
        while not self._is_ended.wait(self._pause):
            begun = time.monotonic()
            outcome = self._action()
            self.runs.append((begun, time.monotonic(), outcome))

    def count(self):
        """The numbers of the outcomes."""
        return dict(collections.Counter(outcome for *_, outcome in self.runs))

    def end(self):
        self._is_ended.set()


def run(program, report, seconds, scratch, store):
    supplier = Supplier()
    database = Bouncer(scratch) if store == "postgres" else File(scratch)
    nodes, loops = [], []
    try:
        path = os.path.join(scratch, "feeds.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(definitions(supplier.url))
        site = Site(program, database.url, scratch, path)
        for name in [STILL_FEED, MOVING_FEED, *DUE_FEEDS]:
            code, _, errors = site.run("sync", "--quiet", name)
            if code != 0:
                raise SystemExit(f"soak: the first sync of {name} did not work: {errors}")
        for number in range(_NODES):
            nodes.append(Node(site, f"node{number + 1}"))
        _soak(site, database, supplier, nodes, loops, report, seconds)
    finally:
        for loop in loops:
            loop.end()
        for node in nodes:
            report.add("ending", node.name, [] if node.end() == 0 else ["a node does not end cleanly"])
        database.close()
        supplier.close()


def _soak(site, database, supplier, nodes, loops, report, seconds):
    random = report.random("faults")
    marks = Marks()
    refs = [f"{STILL_FEED}:{number}" for number in range(1, STILL_OFFERS + 1)]
    # The first offers are for the end.
    writers = [Writer(nodes, marks, refs[20 + number::_CLIENTS], report.random(f"client {number}"), 0.2)
               for number in range(_CLIENTS)]
    listeners = [Listener(node) for node in nodes for _ in range(2)]
    choose = report.random("choices").choice
    sync = json.dumps({"feeds": [MOVING_FEED]})
    fresh = iter(FRESH_FEEDS)
    asks = [
        ("syncs", _Loop(0.7, lambda: _status(choose(nodes).ask("POST", "sync", sync)))),
        ("due", _Loop(1, lambda: site.run("sync", "--due", "--quiet")[0])),
        ("due, too", _Loop(1, lambda: site.run("sync", "--due", "--quiet")[0])),
        ("subscriptions", _Loop(2, lambda: _subscribe(choose(nodes), next(fresh, None)))),
    ]
    readers = [Reader(nodes, report.random(f"reader {number}")) for number in range(2)]
    working = [*writers, *readers, *(loop for _, loop in asks)]
    loops += [*working, *listeners]
    for loop in loops:
        loop.start()
    faults = _disturb(nodes, database, supplier, report, random, time.monotonic() + seconds)
    for loop in working:
        loop.end()
    for loop in working:
        loop.join(70)
    print(f"faults: {faults}")
    for name, loop in asks:
        print(f"{name}: {loop.count()}")
    print(f"stars: {marks.acknowledged} acknowledged, {marks.unknown} unknown")
    _check_commands([loop for name, loop in asks if name.startswith("due")], database, report)
    _wait_for_syncs(nodes)
    _check_agreement(nodes, report)
    commits = [commit for writer in writers for commit in writer.commits]
    _check_told(commits, listeners, database, report)
    _check_told_when_quiet(nodes, listeners, marks, report, refs)
    _check_favorites(nodes, marks, report)
    _check_reads(readers, database, report)
    _check_fetches(supplier, nodes, database, report)
    _check_changes(site, nodes, readers, report)


def _status(answer):
    return answer[0] if answer else None


def _subscribe(node, feed):
    """Makes a feed due, if one is left."""
    return _status(node.ask("PUT", f"feeds/{feed}/subscription")) if feed else "no more"


def _stop_amid_sync(node, other, supplier, report):
    """Stops a node while it waits for a feed, until another one has synced the feed. The node must not
    commit what it fetched before: the changes would not follow each other."""
    sync = json.dumps({"feeds": [MOVING_FEED]})
    begun = time.monotonic()
    node.ask("POST", "sync", sync)
    is_amid = supplier.await_fetch(MOVING_FEED, node.name, begun, 3)
    with node.stopped():
        stopped = time.monotonic()
        is_replaced = False
        while is_amid and not is_replaced and time.monotonic() < stopped + _MOST_SECONDS_TO_TAKE_OVER:
            other.ask("POST", "sync", sync)
            is_replaced = supplier.await_fetch(MOVING_FEED, other.name, stopped, 1)
        # What the other one fetched is committed.
        time.sleep(1.5)
    if not is_amid:
        return "stop"
    report.add("takeovers", "takeovers", [] if is_replaced else
               [f"no node takes over a feed within {_MOST_SECONDS_TO_TAKE_OVER} s"])
    return "stop amid a sync"


def _disturb(nodes, database, supplier, report, random, deadline):
    """Makes one fault after another until the deadline; returns how many of each."""
    done, ways = {}, []
    while time.monotonic() < deadline:
        time.sleep(random.uniform(2, 4))
        if not ways:
            ways = ["kill", "kill", "stop"]
            # A lease on a file goes with the process, and stays with one that is stopped.
            if isinstance(database, Bouncer):
                ways += ["pgbouncer", "stop amid a sync"]
            random.shuffle(ways)
        way = ways.pop()
        node = random.choice(nodes)
        if way == "kill":
            node.kill_and_restart(random.uniform(0.2, 2))
        elif way == "stop":
            with node.stopped():
                time.sleep(random.uniform(2, 5))
        elif way == "stop amid a sync":
            other = random.choice([other for other in nodes if other is not node])
            way = _stop_amid_sync(node, other, supplier, report)
        else:
            database.kill_and_restart(random.uniform(0.2, 1.5))
        done[way] = done.get(way, 0) + 1
    return done


def _wait_for_syncs(nodes):
    deadline = time.monotonic() + 30
    for node in nodes:
        while time.monotonic() < deadline:
            answer = node.ask("GET", "sync")
            if answer and json.loads(answer[2]).get("state") != "running":
                break
            time.sleep(0.1)


def _check_agreement(nodes, report):
    """Within the time, all nodes give the same answer and the same tag."""
    for path in _PATHS:
        deadline = time.monotonic() + MOST_SECONDS
        while True:
            answers = [node.ask("GET", path) for node in nodes]
            kinds = {(answer[0], answer[1].get("ETag"), answer[2]) if answer else None
                     for answer in answers}
            agree = len(kinds) == 1 and answers[0] is not None and answers[0][0] == 200
            if agree or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        found = []
        if not agree:
            shown = [(answer[0], answer[1].get("ETag"), len(answer[2])) if answer else None
                     for answer in answers]
            found = [f"the nodes differ on {path}: {shown}"]
        report.add("agreement", path, found)


def _check_told(commits, listeners, database, report):
    found, looked_at = check_events(commits, listeners, database.outages)
    if not looked_at:
        found = ["no commit was looked at"]
    report.add("events", "events", found[:20])
    print(f"events: {looked_at} looked at, {len(found)} not told in time")
    # A commit at which no event arrived.
    deaf = [Listener(listener.node) for listener in listeners]
    for listener in deaf:
        listener.spans.append((0, float("inf")))
    _expect("events", check_events(commits, deaf)[0], report)


def _check_told_when_quiet(nodes, listeners, marks, report, refs):
    """When nothing else happens, a star at one node is told at the others."""
    slowest = 0
    for number in range(4 * len(nodes)):
        node = nodes[number % len(nodes)]
        # The last event may still be on its way.
        time.sleep(1)
        writer = Writer([node], marks, [], report.random("quiet"))
        if not writer.mark(node, refs[number], True):
            report.add("events when quiet", node.name, ["a star was refused"])
            continue
        _, begun, ended = writer.commits[0] if writer.commits else (node, 0, time.monotonic())
        time.sleep(max(ended + MOST_SECONDS - time.monotonic(), 0))
        report.add("events when quiet", node.name, check_events([(node, begun, ended)], listeners)[0])
        for listener in listeners:
            later = [at for at in listener.times if at >= begun]
            if later and listener.node is not node:
                slowest = max(slowest, later[0] - ended)
    print(f"events when quiet: the slowest {slowest:.2f} s after the answer")


def _check_favorites(nodes, marks, report):
    since = time.monotonic()
    for node in nodes:
        found, _, lines = check_node(marks, node, since)
        print("\n".join(lines), end="")
        report.add("favorites", node.name, found)
    planted = Marks()
    planted.note("still:never-sent", True, 200)
    _expect("favorites", planted.check(fetch_favorites(nodes[0]) or []), report)


def _check_commands(loops, database, report):
    """While the database can be reached, a command syncs what is due, or tells of a feed that failed or
    that another one syncs."""
    found = []
    for begun, ended, code in (run for loop in loops for run in loop.runs):
        is_out = any(begun <= until and since <= ended for since, until in database.outages)
        if code not in (0, 3, 11) and not is_out:
            found.append(f"a sync of what is due ends with {code}")
    report.add("commands", "commands", found)


def _check_reads(readers, database, report):
    reads = [read for reader in readers for read in reader.reads]
    print(f"reads: {len(reads)}, {sum(status != 200 for *_, status in reads)} not answered")
    report.add("reads", "reads", check_reads(reads, database.outages)[:20])
    quiet = time.monotonic()
    _expect("reads", check_reads([(reads[0][0], quiet, quiet, 503)], []), report)


def _check_fetches(supplier, nodes, database, report):
    fetches = list(supplier.fetches)
    counts = {name: sum(feed == name for feed, _, _ in fetches) for name in [MOVING_FEED, *DUE_FEEDS]}
    counts["fresh"] = sum(feed in FRESH_FEEDS for feed, _, _ in fetches)
    print(f"fetches: {counts}")
    report.add("fetches", "fetches", check_fetches(fetches, nodes, database.outages))
    twice = [fetch for fetch in fetches for _ in range(2)]
    _expect("fetches", check_fetches(twice, []), report)


def _check_changes(site, nodes, readers, report):
    # A feed may be synced between two answers that are compared: then all are asked for again.
    for _ in range(3):
        code, output, errors = site.run("changes", "--since", "1d", "--json", "--no-pager")
        if code != 0:
            report.add("changes", "changes", [f"the changes cannot be read: {errors}"])
            return
        changes = json.loads(output)["changes"]
        behind = []
        for reader in readers:
            reader.read_changes(nodes[0])
            behind += check_cursor(changes, reader.changes)
        found, last, new = check_changes(changes)
        found += _check_ends(site, last, new)
        if not found and not behind:
            break
    print(f"changes: {len(changes)}, of {len(last)} offers; {len(new)} new")
    if not last or not new:
        found.append("nothing changed")
    report.add("changes", "changes", found[:20])
    _expect("changes", check_changes([change for change in changes for _ in range(2)])[0], report)
    report.add("cursors", "cursors", behind[:20])
    _expect("cursors", check_cursor(changes, changes[1:]), report)


def _check_ends(site, last, new):
    """The changes lead to what the offers are now, and none is missing."""
    found = []
    for feed in [MOVING_FEED, *DUE_FEEDS]:
        code, output, _ = site.run("list", "--feed", feed, "--json", "--limit", "10000", "--no-pager")
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


def _expect(name, found, report):
    """A check must find the fault that is planted for it."""
    kind = f"self-test {name}"
    report.add(kind, kind, [] if found else ["its planted fault was not found"])
