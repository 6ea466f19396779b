"""The feeds of the campaign of several nodes: a server that counts who fetches what, and when."""

import json
import random
import threading
import time

from .server import Web, is_among, send_document

DUE_FEEDS = ["due1", "due2", "due3"]
"""Feeds that are synced each minute, by whichever node comes first."""
FRESH_FEEDS = [f"fresh{number:02}" for number in range(1, 41)]
"""Feeds that become due one after another, when somebody subscribes to them."""
MOVING_FEED = "moving"
"""A feed that changes all the time, and is synced when a client asks for it."""
STILL_FEED = "still"
"""The feed whose offers are starred."""
STILL_OFFERS = 400
INTERVAL_SECONDS = 60

# What passes between two fetches of one interval may be a little less: the interval counts from the end
# of a sync, in whole seconds.
_SLACK_SECONDS = 5
# A node commits what it has fetched within this time, or a fault has kept it from it.
_COMMIT_SECONDS = 5
# How long an answer takes, so that faults and others that find the feed due come amid a sync.
_ANSWER_SECONDS = (0.1, 0.6)
_MOVING_OFFERS = 20


def definitions(url):
    """The YAML of the definitions. A header tells the server which node asks."""
    text = "feeds:\n"
    for name in [STILL_FEED, MOVING_FEED, *DUE_FEEDS, *FRESH_FEEDS]:
        every = "52w" if name in (STILL_FEED, MOVING_FEED) else "1m"
        text += (f"  {name}:\n    source: {url}/{name}.json\n    every: {every}\n"
                 "    headers: {X-Node: '{env:NODE}'}\n    id: id\n"
                 "    fields: {name: name, reward: value}\n")
    return text


def _document(name, version):
    if name == STILL_FEED:
        offers = [(str(number), "$1.00 Cash Back") for number in range(1, STILL_OFFERS + 1)]
    else:
        offers = [(str(number), f"${version}.00 Cash Back") for number in range(1, _MOVING_OFFERS + 1)]
        # Each version adds an offer.
        offers += [(f"new-{number}", "$1.00 Cash Back") for number in range(1, version + 1)]
    return json.dumps([{"id": offer, "name": f"Offer {offer} of {name}", "value": value}
                       for offer, value in offers]).encode()


class Supplier:
    """Serves the feeds. A due feed changes with each fetch, and the moving one twice a second."""

    def __init__(self):
        self.fetches = []
        """The name of the feed, the node, and the time."""
        self._versions = {}
        self._begun = time.monotonic()
        self._lock = threading.Condition()
        self._web = Web(self._answer)
        self.url = self._web.url

    def _answer(self, handler):
        name = handler.path.strip("/").removesuffix(".json")
        now = time.monotonic()
        with self._lock:
            self.fetches.append((name, handler.headers.get("X-Node", ""), now))
            self._lock.notify_all()
            self._versions[name] = self._versions.get(name, 0) + 1
            version = self._versions[name]
        if name == MOVING_FEED:
            version = 1 + int((now - self._begun) * 2)
        body = _document(name, version)
        time.sleep(random.uniform(*_ANSWER_SECONDS))
        send_document(handler, body)

    def await_fetch(self, feed, node, since, timeout):
        """Waits until a node asks for a feed; returns whether it has."""
        def is_asked():
            return any(fetch[:2] == (feed, node) and fetch[2] >= since for fetch in self.fetches)
        with self._lock:
            return self._lock.wait_for(is_asked, timeout)

    def close(self):
        self._web.close()


def check_fetches(fetches, nodes, outages=()):
    """Due feeds that were fetched twice in one interval. A node that lost its lease or the database
    before its commit does not count: another one has to do its work."""
    found = []
    faulty = {node.name: node for node in nodes}
    for name in [*DUE_FEEDS, *FRESH_FEEDS]:
        times = [(at, node) for feed, node, at in fetches if feed == name]
        for (first, node), (second, other) in zip(times, times[1:]):
            gap = second - first
            if gap >= INTERVAL_SECONDS - _SLACK_SECONDS:
                continue
            last = first + _COMMIT_SECONDS
            if node in faulty and faulty[node].lost_lease(first, last):
                continue
            if is_among(outages, first, last):
                continue
            found.append(f"{name} was fetched twice in one interval: by {node}, and {gap:.1f} s later "
                         f"by {other}")
        if not times and name in DUE_FEEDS:
            found.append(f"{name} was never fetched")
    return found


def check_changes(changes):
    """Changes that were written twice or are missing: the rewards of an offer form a chain, and an
    offer is new once."""
    found, last, new, first = [], {}, set(), set()
    for change in changes:
        ref, kind = change["ref"], change["kind"]
        if kind == "first":
            if change["feed"] in first:
                found.append(f"{change['feed']} has two first syncs")
            first.add(change["feed"])
        elif kind == "new":
            if ref in new:
                found.append(f"{ref} is new twice")
            new.add(ref)
        elif kind in ("up", "down", "changed"):
            before, after = _reward(change["from"]), _reward(change["to"])
            if ref in last and last[ref] != before:
                found.append(f"{ref} was {last[ref]}, and then changed from {before} to {after}")
            if before == after:
                found.append(f"{ref} changed from {before} to the same")
            last[ref] = after
        elif kind in ("gone", "back"):
            found.append(f"{ref} is {kind}")
    return found, last, new


def _reward(value):
    return value["text"] if isinstance(value, dict) else value
