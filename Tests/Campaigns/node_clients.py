"""Clients of several nodes: they star, read changes and listen to events, and keep what they were told."""

import bisect
import collections
import contextlib
import http.client
import json
import threading
import time
from urllib.parse import quote

from .server import Loop

MOST_SECONDS = 2.0
"""Within this time each node answers with what another one has acknowledged, and tells of it."""

# An offer rests after a refusal and after a lost answer: a server, or the database behind it, may still
# work on the mark, and must not do so after a later one is acknowledged.
_REST_SECONDS = {True: 5, False: 60}


class Marks:
    """The last mark of each offer.

    A mark that was refused or whose answer was lost may have been made or not: then both are allowed,
    until a later one is acknowledged.
    """

    def __init__(self):
        self.acknowledged = 0
        self.unknown = 0
        self._allowed = {}
        self._rests = {}
        self._lock = threading.Lock()

    def may_mark(self, ref):
        with self._lock:
            return self._rests.get(ref, 0) <= time.monotonic()

    def note(self, ref, is_starred, status):
        """Notes the status of an answer to a mark, or None for a lost answer."""
        with self._lock:
            if status == 200:
                self.acknowledged += 1
                self._allowed[ref] = {is_starred}
            else:
                self.unknown += 1
                self._allowed[ref] = self._allowed.get(ref, {False}) | {is_starred}
                self._rests[ref] = time.monotonic() + _REST_SECONDS[status is not None]

    def check(self, favorites):
        """What is wrong with the favorites that a node or a command shows."""
        favorites = set(favorites)
        with self._lock:
            lost = [ref for ref, allowed in self._allowed.items()
                    if allowed == {True} and ref not in favorites]
            wrong = [ref for ref in favorites if True not in self._allowed.get(ref, {False})]
        found = [f"{len(lost)} acknowledged stars are lost: {sorted(lost)[:5]}"] if lost else []
        if wrong:
            found.append(f"{len(wrong)} stars that were removed or never made: {sorted(wrong)[:5]}")
        return found

    def check_node(self, node):
        """What is wrong with the favorites of a node after it had time to hear of the last mark."""
        deadline = time.monotonic() + MOST_SECONDS
        while True:
            answer = node.ask_api("GET", "favorites")
            found = ["it does not answer"]
            if answer and answer[0] == 200:
                found = self.check(json.loads(answer[2])["favorites"])
            if not found or time.monotonic() > deadline:
                return found
            time.sleep(0.1)


class Writer(Loop):
    """Stars and unstars its own offers at any node."""

    def __init__(self, nodes, marks, refs, random):
        super().__init__(0.2, self._mark_one)
        self.commits = []
        """The acknowledged changes: the node, and when the request began and was answered."""
        self._nodes, self._marks, self._refs, self._random = nodes, marks, refs, random

    def _mark_one(self):
        ref = self._random.choice(self._refs)
        if self._marks.may_mark(ref):
            self.mark(self._random.choice(self._nodes), ref, self._random.random() < 0.75)

    def mark(self, node, ref, is_starred=True, timeout=20):
        begun = time.monotonic()
        answer = node.ask_api("PUT" if is_starred else "DELETE", f"offers/{ref}/favorite", timeout=timeout)
        status = answer[0] if answer else None
        self._marks.note(ref, is_starred, status)
        if status == 200 and json.loads(answer[2])["changed"]:
            self.commits.append((node, begun, time.monotonic()))
        return status == 200


class Reader(Loop):
    """Searches, and reads the changes since the last time, each time at any node."""

    def __init__(self, nodes, random):
        super().__init__(0.2, self._read_one)
        self.reads = []
        """The node, when the request began and ended, and the status of the answer."""
        self.changes = []
        self._cursor = None
        self._nodes, self._random = nodes, random

    def _read_one(self):
        node = self._random.choice(self._nodes)
        if self._random.random() < 0.5:
            self._read(node, f"search?q=offer+{self._random.randint(1, 99)}")
        else:
            self.read_changes(node)

    def read_changes(self, node):
        """Reads on from the cursor. Without an answer, it stays where it is."""
        while True:
            cursor = f"&cursor={quote(self._cursor)}" if self._cursor else ""
            page = self._read(node, f"changes?limit=50{cursor}")
            if page is None:
                return
            self.changes += page["changes"]
            self._cursor = page["next_cursor"]
            if not page["has_more"]:
                return

    def _read(self, node, path):
        begun = time.monotonic()
        answer = node.ask_api("GET", path)
        self.reads.append((node, begun, time.monotonic(), answer[0] if answer else None))
        return json.loads(answer[2]) if answer and answer[0] == 200 else None


class Listener(threading.Thread):
    """Listens to the events of one node, and connects again whenever it is cut off."""

    def __init__(self, node):
        super().__init__(daemon=True)
        self.node = node
        self.times = []
        """When an event about a commit arrived."""
        self.spans = []
        """From when to when it was connected."""
        self._is_ended = threading.Event()

    def run(self):
        while not self._is_ended.wait(0.2):
            connection = http.client.HTTPConnection("127.0.0.1", self.node.port, timeout=20)
            # The node was killed, or is stopped for long.
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                connection.request("GET", "/api/v1/events")
                answer = connection.getresponse()
                if answer.status == 200:
                    self._listen(answer)
            connection.close()

    def _listen(self, answer):
        begun = None
        try:
            while not self._is_ended.is_set() and (line := answer.readline()):
                if line.strip() != b"event: changed":
                    continue
                if begun is not None:
                    self.times.append(time.monotonic())
                else:
                    begun = time.monotonic()
                    self.spans.append((begun, float("inf")))
        finally:
            if begun is not None:
                self.spans[-1] = (begun, time.monotonic())

    def is_connected(self, begin, end):
        return any(since <= begin and end <= until for since, until in list(self.spans))

    def end(self):
        self._is_ended.set()


def check_events(commits, listeners, database):
    """The commits of which a listener at another, living node was not told in time; and how many pairs of
    a commit and a listener were looked at."""
    found, looked_at = [], 0
    for node, begun, ended in commits:
        limit = ended + MOST_SECONDS
        if database.was_out(begun, limit):
            continue
        for listener in listeners:
            other = listener.node
            if other is node or other.was_faulty(begun, limit) or not listener.is_connected(begun, limit):
                continue
            looked_at += 1
            place = bisect.bisect_left(listener.times, begun)
            if place == len(listener.times) or listener.times[place] > limit:
                late = "never" if place == len(listener.times) else (
                    f"{listener.times[place] - ended:.1f} s later")
                found.append(f"a commit at {node.name} was told at {other.name} {late}")
    return found, looked_at


def check_reads(reads, database):
    """Reads that failed at a node that worked and could reach the database."""
    return [f"a read failed at a node that worked: {status}" for node, begun, ended, status in reads
            if status != 200 and not node.was_faulty(begun, ended) and not database.was_out(begun, ended)]


def check_cursor(listed, read):
    """Changes that appeared behind the cursor of a reader, or were read twice."""
    listed, read = (collections.Counter(map(_identity, changes)) for changes in (listed, read))
    found = [f"a cursor missed {identity}" for identity in (listed - read).elements()]
    return found + [f"a cursor repeated {identity}" for identity in (read - listed).elements()]


def _identity(change):
    values = [value["text"] if isinstance(value, dict) else value
              for value in (change["from"], change["to"])]
    return change["feed"], change["ref"], change["kind"], *values
