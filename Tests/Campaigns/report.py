"""Counts what was tried and what held, and prints it with the violations."""

import collections
import concurrent.futures
import os
import random
import shlex
import sys
import threading
import time
import traceback

# So many violations of one sort are printed in full.
_MOST_PRINTED = 5


class Report:
    """The counts and the violations of a run of campaigns."""

    def __init__(self, name, seed):
        self.name = name
        self.seed = seed
        self._tried = collections.Counter()
        self._held = collections.Counter()
        self._of = {}
        self._violations = collections.OrderedDict()
        self._lock = threading.Lock()
        self._begun = time.monotonic()

    def random(self, case):
        """The random numbers of a case: the same for the same seed and case."""
        return random.Random(f"{self.seed}/{case}")

    def plan(self, part, count):
        """Says how many cases a part has, whose kinds begin with its name."""
        self._of[part] = count

    def add(self, kind, case, violations):
        """Counts a case, and keeps its violations: texts. Returns whether it held."""
        with self._lock:
            self._tried[kind] += 1
            if not violations:
                self._held[kind] += 1
            for text in violations:
                # Cases with the same text differ in their number only.
                self._violations.setdefault((kind, text), []).append(case)
        return not violations

    @property
    def tried(self):
        return sum(self._tried.values())

    @property
    def violations(self):
        return sum(len(cases) for cases in self._violations.values())

    def print(self):
        seconds = time.monotonic() - self._begun
        for kind in self._tried:
            print(f"{kind:<36} {self._tried[kind]:>7} tried {self._held[kind]:>7} held")
        for part, count in self._of.items():
            tried = sum(number for kind, number in self._tried.items() if kind.split()[0].rstrip(',') == part)
            print(f"{part + ', all cases':<36} {tried:>7} tried of {count}")
        for (kind, text), cases in self._violations.items():
            print(f"VIOLATION  {kind}: {text}  [{len(cases)}]")
            # The nodes' cases depend on the moment, and cannot be repeated.
            for case in cases[:_MOST_PRINTED] if self.name != "nodes" else []:
                print(f"    repeat: Scripts/soak {self.name} --seed {self.seed} --case {shlex.quote(case)}")
        end = "passed" if not self.violations else f"FAILED: {self.violations} violations"
        print(f"soak {self.name}: seed {self.seed}, {self.tried} tried in {seconds:.0f} s: {end}")
        sys.stdout.flush()


class _Queue:
    """The cases of a part that are left, for several workers."""

    def __init__(self, cases):
        self._cases = iter(cases)
        self._lock = threading.Lock()

    def next(self):
        with self._lock:
            return next(self._cases, None)


def run_parts(parts, subject, report, seconds, case=None, only=None, jobs=None):
    """Runs parts for their shares of the time, or one case.

    A part has a name, `cases(random)` and `run(case, subject, random)`, which returns the kind of the
    case and the violations.
    """
    deadline = time.monotonic() + seconds
    parts = [(part, share) for part, share in parts
             if part.name == (case.split("/")[0] if case else part.name) and part.name in (only or [part.name])]
    left = sum(share for _, share in parts)
    for part, share in parts:
        now = time.monotonic()
        until = now + max(deadline - now, 0) * share / left
        left -= share
        cases = [case] if case else part.cases(report.random(part.name))
        if isinstance(cases, list) and not case:
            report.plan(part.name, len(cases))
        _run_part(part, _Queue(cases), subject, report, until, jobs or min(os.cpu_count() or 1, 4))


def _run_part(part, queue, subject, report, until, jobs):
    def work():
        # Each worker runs at least one case, however late it is.
        while (case := queue.next()) is not None:
            try:
                kind, found = part.run(case, subject, report.random(case))
            except Exception as error:
                # A fault that the campaign did not expect is no reason to end it, and none to pass.
                place = traceback.extract_tb(error.__traceback__)[-1]
                kind, found = part.name, [f"{error!r} at {place.filename}:{place.lineno}"]
            report.add(kind, case, found)
            if time.monotonic() >= until:
                break

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for worker in [pool.submit(work) for _ in range(jobs)]:
            worker.result()
