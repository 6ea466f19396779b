"""The campaign of several nodes over one database: clients star, sync, search and listen, while nodes
are killed and stopped, and pgbouncer is killed."""

import json
import os
import threading
import time

from .database import Bouncer, File
from .listener import MOST_SECONDS, Listener, check_events
from .marks import Marks, Writer, check_node, fetch_favorites
from .node import Node, Site
from .supplier import (DUE_FEEDS, MOVING_FEED, STILL_FEED, STILL_OFFERS, Supplier, check_changes,
                       check_fetches, definitions)

_NODES = 3
_CLIENTS = 8
_PATHS = ["favorites", "offers?limit=50", f"offers?feed={MOVING_FEED}", "search?q=offer",
          "changes?limit=100", "feeds"]


class _Loop(threading.Thread):
    """Does something again and again until it is ended."""

    def __init__(self, pause, action):
        super().__init__(daemon=True)
        self.outcomes = {}
        self._pause = pause
        self._action = action
        self._is_ended = threading.Event()

    def run(self):
        while not self._is_ended.wait(self._pause):
            outcome = self._action()
            self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1

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
    asks = [
        ("syncs", _Loop(0.7, lambda: _status(choose(nodes).ask("POST", "sync", sync)))),
        ("due", _Loop(1, lambda: site.run("sync", "--due", "--quiet")[0])),
        ("searches", _Loop(0.3, lambda: _status(choose(nodes).ask("GET", "search?q=offer+7")))),
    ]
    loops += [*writers, *listeners, *(loop for _, loop in asks)]
    for loop in loops:
        loop.start()
    faults = _disturb(nodes, database, random, time.monotonic() + seconds)
    for loop in [*writers, *(loop for _, loop in asks)]:
        loop.end()
    for loop in [*writers, *(loop for _, loop in asks)]:
        loop.join(70)
    print(f"faults: {faults}")
    for name, loop in asks:
        print(f"{name}: {loop.outcomes}")
    print(f"stars: {marks.acknowledged} acknowledged, {marks.unknown} unknown")
    _wait_for_syncs(nodes)
    _check_agreement(nodes, report)
    commits = [commit for writer in writers for commit in writer.commits]
    _check_told(commits, listeners, database, report)
    _check_told_when_quiet(nodes, listeners, marks, report, refs)
    _check_favorites(nodes, marks, report)
    _check_feeds(site, supplier, nodes, report)


def _status(answer):
    return answer[0] if answer else None


def _disturb(nodes, database, random, deadline):
    """Makes one fault after another until the deadline; returns how many of each."""
    done, ways = {}, []
    while time.monotonic() < deadline:
        time.sleep(random.uniform(2, 4))
        if not ways:
            ways = ["kill", "stop"] + (["pgbouncer"] if isinstance(database, Bouncer) else [])
            random.shuffle(ways)
        way = ways.pop()
        node = random.choice(nodes)
        if way == "kill":
            node.kill_and_restart(random.uniform(0.2, 2))
        elif way == "stop":
            node.stop(random.uniform(2, 5))
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


def _check_feeds(site, supplier, nodes, report):
    fetches = list(supplier.fetches)
    counts = {name: sum(feed == name for feed, _, _ in fetches) for name in [MOVING_FEED, *DUE_FEEDS]}
    print(f"fetches: {counts}")
    report.add("fetches", "fetches", check_fetches(fetches, nodes))
    twice = [fetch for fetch in fetches for _ in range(2)]
    _expect("fetches", check_fetches(twice, []), report)

    code, output, errors = site.run("changes", "--since", "1d", "--json", "--no-pager")
    if code != 0:
        report.add("changes", "changes", [f"the changes cannot be read: {errors}"])
        return
    changes = [change for change in json.loads(output)["changes"] if change["ref"]]
    found, last, new = check_changes(changes)
    print(f"changes: {len(changes)}, of {len(last)} offers; {len(new)} new")
    if not last or not new:
        found.append("nothing changed")
    found += _check_ends(site, last, new)
    report.add("changes", "changes", found[:20])
    _expect("changes", check_changes([change for change in changes for _ in range(2)])[0], report)


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
