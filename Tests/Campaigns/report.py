"""Counts what was tried and what held, and prints it with the violations."""

import collections
import random
import shlex
import sys
import threading
import time

# So many violations of one sort are printed in full.
_MOST_PRINTED = 5


class Report:
    """The counts and the violations of a run of campaigns."""

    def __init__(self, name, seed, repeat_words=None):
        """`repeat_words`: the command that repeats a case, if cases can be repeated."""
        self.name = name
        self.seed = seed
        self._repeat_words = repeat_words
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

    def count(self, kind, tried, held):
        """Counts many cases at once that have no violation of their own."""
        with self._lock:
            self._tried[kind] += tried
            self._held[kind] += held

    @property
    def tried(self):
        return sum(self._tried.values())

    @property
    def violations(self):
        return sum(len(cases) for cases in self._violations.values())

    def texts(self):
        return [text for _, text in self._violations]

    def print(self):
        seconds = time.monotonic() - self._begun
        for kind in self._tried:
            print(f"{kind:<36} {self._tried[kind]:>7} tried {self._held[kind]:>7} held")
        for part, count in self._of.items():
            tried = sum(number for kind, number in self._tried.items() if kind.split()[0].rstrip(',') == part)
            print(f"{part + ', all cases':<36} {tried:>7} tried of {count}")
        for (kind, text), cases in self._violations.items():
            print(f"VIOLATION  {kind}: {text}  [{len(cases)}]")
            for case in cases[:_MOST_PRINTED] if self._repeat_words else []:
                words = shlex.join([*self._repeat_words, "--seed", str(self.seed), "--case", case])
                print(f"    repeat: {words}")
        end = "passed" if not self.violations else f"FAILED: {self.violations} violations"
        print(f"soak {self.name}: seed {self.seed}, {self.tried} tried in {seconds:.0f} s: {end}")
        sys.stdout.flush()
