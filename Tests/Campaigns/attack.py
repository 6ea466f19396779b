"""The campaign of attacks: its parts, their shares of the time, and their self-tests."""

import concurrent.futures
import os
import time

from .clients import Clients
from .faults import Queue, run_case
from .forged import Forged
from .guesses import Guesses
from .hostile import Hostile
from .logins import Logins
from .requests import Requests
from .scenes import Scenes
from .selftest import run_attack
from .server import Watch
from .target import Target

# The parts, and their shares of the time.
_PARTS = [("feeds", 25), ("files", 10), ("requests", 30), ("guesses", 15), ("clients", 15),
          ("logins", 5)]
# The bounds of the server while it is attacked.
_MOST_GROWTH_BYTES = 192 << 20
_MOST_P99_SECONDS = 2.5


def part_names():
    return [name for name, _ in _PARTS]


def run(program, report, seconds, case=None, only=None, jobs=None):
    """Runs the self-tests and then all parts, or one case."""
    scenes = Scenes(program, only=())
    hostile = Hostile(program, scenes)
    logins = Logins(program, scenes)
    try:
        parts = {part.name: part for part in
                 [hostile, Forged(program, scenes), Requests(), Guesses(), Clients(), logins]}
        if case is None:
            for name, is_found in run_attack(program, scenes, report):
                kind = f"self-test {name}"
                report.add(kind, kind, [] if is_found else ["its planted fault was not found"])
        else:
            only = [case.split("/")[0]]
        shares = [(parts[name], share) for name, share in _PARTS if not only or name in only]
        _attack(program, scenes, shares, report, seconds, case, jobs or min(os.cpu_count() or 1, 4))
    finally:
        logins.close()
        hostile.close()
        scenes.close()


def _attack(program, scenes, shares, report, seconds, case, jobs):
    targets = [Target(program, scenes, has_token) for has_token in (True, False)]
    # The first answers allocate what later ones use.
    for target in targets:
        target.send("GET", "/", {**target.credentials, "Accept": "text/html"})
    starts = [target.server.memory() for target in targets]
    watches = [Watch(target.server, target.credentials) for target in targets]
    try:
        deadline = time.monotonic() + seconds
        left = sum(share for _, share in shares)
        for part, share in shares:
            now = time.monotonic()
            until = now + max(deadline - now, 0) * share / left
            left -= share
            cases = [case] if case else part.cases(report.random(part.name))
            if isinstance(cases, list) and not case:
                report.plan(part.name, len(cases))
            _run_part(part, Queue(cases), targets, report, until, jobs)
            if hasattr(part, "finish"):
                part.finish(report)
    finally:
        for watch in watches:
            watch.end()
        for target, start, watch in zip(targets, starts, watches):
            _check_server(target, start, watch, report)


def _run_part(part, queue, targets, report, until, jobs):
    def work():
        while (case := queue.next()) is not None:
            run_case(part, case, targets, report)
            if time.monotonic() >= until:
                break

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for worker in [pool.submit(work) for _ in range(jobs)]:
            worker.result()


def _check_server(target, start, watch, report):
    """The server's memory and its answers to a good client stayed within bounds; it ends cleanly."""
    name = "with a token" if target.token else "without a token"
    peak = target.server.memory("VmHWM")
    print(f"server {name}: memory {start >> 20} MB, at most {peak >> 20} MB; "
          f"{len(watch.seconds)} answers to a good client, p99 {watch.p99 * 1000:.0f} ms")
    found = []
    if peak - start > _MOST_GROWTH_BYTES:
        found.append("its memory grows past the bound")
    if watch.p99 > _MOST_P99_SECONDS:
        found.append("a good client waits past the bound")
    if watch.failures:
        found.append(f"a good client is refused: {sorted(set(watch.failures))}")
    if not watch.seconds:
        found.append("no good client was served")
    report.add("server", "server", [f"{name}: {text}" for text in found + target.end()])
