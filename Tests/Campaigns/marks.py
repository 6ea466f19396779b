"""Clients that star and unstar, each its own offers, and log what the servers acknowledged."""

import json
import threading
import time


# An offer rests after a refusal and after a lost answer: a server, or the database behind it, may still
# work on the mark, and must not do so after a later one is acknowledged.
_REST_SECONDS = {True: 5, False: 60}


class Marks:
    """The last mark of each offer: what it may be now.

    A mark that was refused or whose answer was lost may have been made or not: then both are allowed,
    until a later one is acknowledged.
    """

    def __init__(self):
        self.acknowledged = 0
        self.unknown = 0
        self._allowed = {}
        self._rests = {}
        self._history = {}
        self._lock = threading.Lock()

    def may_mark(self, ref):
        with self._lock:
            return self._rests.get(ref, 0) <= time.monotonic()

    def note(self, ref, is_starred, status):
        """Notes the status of an answer to a mark, or None for a lost answer."""
        with self._lock:
            self._history.setdefault(ref, []).append((time.monotonic(), is_starred, status))
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

    def describe(self, favorites):
        """The last marks of the offers that are not as they should be, and how long ago they were
        answered, for the one who looks into it."""
        favorites, now, lines = set(favorites), time.monotonic(), []
        with self._lock:
            for ref, history in self._history.items():
                if (ref in favorites) not in self._allowed[ref]:
                    marks = ", ".join(f"{'star' if is_starred else 'unstar'} {status} {now - at:.2f} s ago"
                                      for at, is_starred, status in history[-4:])
                    lines.append(f"{ref} {'is' if ref in favorites else 'is not'} a favorite: {marks}")
        return lines


class Writer(threading.Thread):
    """Stars and unstars its offers at the nodes in turn until it is ended."""

    def __init__(self, nodes, marks, refs, random, pause=0.05):
        super().__init__(daemon=True)
        self.commits = []
        """The acknowledged changes: the node, and when the request began and was answered."""
        self.statuses = {}
        self._nodes = nodes
        self._marks = marks
        self._refs = refs
        self._random = random
        self._pause = pause
        self._is_ended = threading.Event()

    def run(self):
        while not self._is_ended.wait(self._pause * self._random.uniform(0.5, 1.5)):
            ref = self._random.choice(self._refs)
            if self._marks.may_mark(ref):
                self.mark(self._random.choice(self._nodes), ref, self._random.random() < 0.75)

    def mark(self, node, ref, is_starred):
        begun = time.monotonic()
        answer = node.ask("PUT" if is_starred else "DELETE", f"offers/{ref}/favorite")
        status = answer[0] if answer else None
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self._marks.note(ref, is_starred, status)
        if status == 200 and json.loads(answer[2])["changed"]:
            self.commits.append((node, begun, time.monotonic()))
        return status == 200

    def end(self):
        self._is_ended.set()


AGREEMENT_SECONDS = 2.0
"""Within this time each node answers with what was acknowledged by another."""


def check_node(marks, node, since):
    """What is wrong with the favorites of a node when it has had time to hear of the last mark, and
    after how many seconds it was right."""
    while True:
        favorites = fetch_favorites(node)
        found = ["it does not answer"] if favorites is None else marks.check(favorites)
        seconds = time.monotonic() - since
        if not found or seconds > AGREEMENT_SECONDS:
            lines = [] if favorites is None else marks.describe(favorites)
            return [f"at a node: {text}" for text in found], seconds, lines
        print(f"{node.name}, {seconds:.2f} s after the last mark: {marks.describe(favorites or [])}")
        time.sleep(0.1)


def fetch_favorites(node):
    """The favorites that a node shows, or None."""
    answer = node.ask("GET", "favorites")
    if answer is None or answer[0] != 200:
        return None
    return json.loads(answer[2])["favorites"]
