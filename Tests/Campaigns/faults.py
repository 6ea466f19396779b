"""The campaign of faults: its parts, their shares of the time, and their self-tests."""

import concurrent.futures
import os
import threading
import time
import traceback

from . import selftest
from .cuts import Cuts
from .clocks import Clocks
from .errors import Errors
from .guard import Guard
from .kills import Kills
from .room import Room
from .scenes import Scenes
from .served import Served
from .stopped import Stopped

# The parts, and their shares of the time. Those that end early leave theirs to the others.
_PARTS = [(Guard, 2), (Clocks, 3), (Stopped, 5), (Room, 10), (Served, 8), (Cuts, 22), (Kills, 15),
          (Errors, 35)]


def part_names():
    return [part.name for part, _ in _PARTS]


class Queue:
    """The cases of a part that are left, for several workers."""

    def __init__(self, cases):
        self._cases = iter(cases)
        self._lock = threading.Lock()

    def next(self):
        with self._lock:
            return next(self._cases, None)


def run(program, report, seconds, case=None, only=None, jobs=None):
    """Runs the self-tests and then all parts, or one case."""
    if case is not None:
        scenes = Scenes(program, only=_scenes_of(case))
        try:
            part = next(part for part, _ in _PARTS if part.name == case.split("/")[0])
            run_case(part(scenes), case, program, report)
        finally:
            scenes.close()
        return
    begun = time.monotonic()
    scenes = Scenes(program)
    try:
        for name, is_found in selftest.run_faults(program, scenes, report):
            kind = f"self-test {name}"
            report.add(kind, kind, [] if is_found else ["its planted fault was not found"])
        deadline = max(begun + seconds, time.monotonic() + seconds / 2)
        parts = [(part, share) for part, share in _PARTS if not only or part.name in only]
        left = sum(share for _, share in parts)
        for make, share in parts:
            now = time.monotonic()
            until = now + max(deadline - now, 0) * share / left
            left -= share
            _run_part(make(scenes), program, report, until, jobs or min(os.cpu_count() or 1, 4))
        _add_guard(program, report)
    finally:
        scenes.close()


def _scenes_of(case):
    """The names of the scenes that a case needs; None for all of them."""
    part, name = case.split("/")[:2]
    if part in ("errors", "kills", "room", "stopped"):
        return {name}
    return None if part == "guard" else set()


def _run_part(part, program, report, until, jobs):
    cases = part.cases(report.random(part.name))
    if isinstance(cases, list):
        report.plan(part.name, len(cases))
    queue = Queue(cases)

    def work():
        # Each worker runs at least one case, however late it is.
        while (case := queue.next()) is not None:
            run_case(part, case, program, report)
            if time.monotonic() >= until:
                break

    jobs = min(jobs, getattr(part, "jobs", jobs))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for worker in [pool.submit(work) for _ in range(jobs)]:
            worker.result()


def run_case(part, case, program, report):
    """Runs a case of a part against a program, or for attacks against the servers."""
    try:
        kind, found = part.run(case, program, report.random(case))
    except Exception as error:
        # A fault that the campaign did not expect is no reason to end it, and none to pass.
        place = traceback.extract_tb(error.__traceback__)[-1]
        kind, found = part.name, [f"{error!r} at {os.path.basename(place.filename)}:{place.lineno}"]
    report.add(kind, case, found)


def _add_guard(program, report):
    """Adds the monitor of the write guard, which watched every command of all parts."""
    report.count("write guard, all commands", program.monitored, program.monitored - len(program.outside))
    for words, (count, path) in program.outside.items():
        report.add("guard", f"guard/{words}", [f"{count} writes outside of the guard: {words}"])
    if program.intercepted == 0:
        report.add("guard", "guard", ["nothing was intercepted in the whole run"])
