"""A client of server-sent events, and the check that each node tells of the commits of the others."""

import bisect
import http.client
import json
import threading
import time

MOST_SECONDS = 2.0


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
            try:
                connection.request("GET", "/api/v1/events")
                answer = connection.getresponse()
                if answer.status == 200:
                    self._listen(answer)
            except (OSError, http.client.HTTPException, ValueError):
                # The node was killed, or is stopped for long.
                pass
            finally:
                connection.close()

    def _listen(self, answer):
        is_greeted = False
        begun = None
        try:
            while not self._is_ended.is_set() and (line := answer.readline()):
                if line.strip() != b"event: changed":
                    continue
                json.loads(answer.readline().removeprefix(b"data: "))
                if is_greeted:
                    self.times.append(time.monotonic())
                else:
                    begun, is_greeted = time.monotonic(), True
                    self.spans.append((begun, float("inf")))
        finally:
            if begun is not None:
                self.spans[-1] = (begun, time.monotonic())

    def is_connected(self, begin, end):
        return any(since <= begin and end <= until for since, until in list(self.spans))

    def end(self):
        self._is_ended.set()


def check_events(commits, listeners, outages=()):
    """The commits of which a listener at another, living node was not told in time; and how many pairs of
    a commit and a listener were looked at. `outages`: when the nodes could not reach the database."""
    found, looked_at = [], 0
    for node, begun, ended in commits:
        limit = ended + MOST_SECONDS
        if any(begun <= until and since <= limit for since, until in outages):
            continue
        for listener in listeners:
            other = listener.node
            if other is node or other.was_faulty(begun, limit):
                continue
            if not listener.is_connected(begun, limit):
                continue
            looked_at += 1
            place = bisect.bisect_left(listener.times, begun)
            if place == len(listener.times) or listener.times[place] > limit:
                late = "never" if place == len(listener.times) else (
                    f"{listener.times[place] - ended:.1f} s later")
                found.append(f"a commit at {node.name} was told at {other.name} {late}")
    return found, looked_at
