"""Clients that read while nodes are killed and stopped: searches, and the changes behind a cursor."""

import collections
import json
import threading
import time
from urllib.parse import quote


class Reader(threading.Thread):
    """Searches, and reads the changes since the last time, each time at any node."""

    _PAUSE_SECONDS = 0.2

    def __init__(self, nodes, random):
        super().__init__(daemon=True)
        self.reads = []
        """The node, when the request began and ended, and the status of the answer."""
        self.changes = []
        self._cursor = None
        self._nodes = nodes
        self._random = random
        self._is_ended = threading.Event()

    def run(self):
        while not self._is_ended.wait(self._PAUSE_SECONDS):
            node = self._random.choice(self._nodes)
            if self._random.random() < 0.5:
                self._read(node, f"search?q=offer+{self._random.randint(1, 99)}")
            else:
                self.read_changes(node)

    def end(self):
        self._is_ended.set()

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
        answer = node.ask("GET", path)
        self.reads.append((node, begun, time.monotonic(), answer[0] if answer else None))
        return json.loads(answer[2]) if answer and answer[0] == 200 else None


def check_reads(reads, outages):
    """Reads that failed at a node that worked and could reach the database."""
    found = []
    for node, begun, ended, status in reads:
        if status == 200 or node.was_faulty(begun, ended):
            continue
        if not any(begun <= until and since <= ended for since, until in outages):
            found.append(f"a read failed at a node that worked: {status}")
    return found


def check_cursor(listed, read):
    """Changes that appeared behind the cursor of a reader, or were read twice."""
    listed, read = (collections.Counter(map(_identity, changes)) for changes in (listed, read))
    found = [f"a cursor missed {identity}" for identity in (listed - read).elements()]
    return found + [f"a cursor repeated {identity}" for identity in (read - listed).elements()]


def _identity(change):
    values = [value["text"] if isinstance(value, dict) else value
              for value in (change["from"], change["to"])]
    return change["feed"], change["ref"], change["kind"], *values
