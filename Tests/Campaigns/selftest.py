"""Planted faults: each part of a campaign must find one before it is believed."""

import os
import stat

from .clocks import Clocks
from .cuts import Cuts
from .errors import Errors
from .guard import Guard
from .kills import Kills
from .report import Report
from .room import Room
from .served import Served
from .stopped import Stopped

_EXPORTS_ANOTHER_FAVORITE = """
if [[ $1 == export ]]; then
  "$program" "$@" | sed 's/"ref":"ibotta:[0-9]*","starred_at"/"ref":"ibotta:59","starred_at"/'
  exit "${PIPESTATUS[0]}"
fi
"""
_ACKNOWLEDGES_FAILURES = """
if [[ $1 == favorite ]]; then "$program" "$@" 2>/dev/null; exit 0; fi
"""
_FORGETS_CHANGES = """
if [[ $1 == sync ]]; then touch "$HOME/tmp/synced"; fi
if [[ $1 == export && -e $HOME/tmp/synced ]]; then
  "$program" "$@" | sed 's/"kind":"gone"/"kind":"new"/'
  exit "${PIPESTATUS[0]}"
fi
"""
_READS_LATE = """
if [[ $1 == list ]]; then sleep 0.6; fi
"""
_LEAVES_A_FILE = """
if [[ $1 == favorite ]]; then "$program" "$@"; code=$?; echo >"$HOME/out/left.new-$$"; exit "$code"; fi
"""
_WRITES_UNGUARDED = """
if [[ $1 == favorite ]]; then
  python3 -c 'import os; f = os.open(os.environ["OFFERS_DATABASE"], os.O_RDWR); os.pwrite(f, b"", 0)'
fi
"""


def flawed(program, name, text):
    """A program that has a flaw and is otherwise the one under test."""
    path = os.path.join(program.scratch, f"flawed-{name}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!/usr/bin/env bash\nprogram='{program.path}'\n{text}\nexec \"$program\" \"$@\"\n")
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return program.like(path)


def _finds(part, program, cases, seed, text):
    """Whether one of a few cases has a violation with a text."""
    report = Report("self-test", seed, [])
    for case in cases:
        _, found = part.run(case, program, report.random(case))
        if any(text in violation for violation in found):
            return True
    return False


def run_faults(program, scenes, report):
    """Plants a fault for each part of the campaign; yields the part and whether it found it."""
    seed = report.seed

    def finds(make, flaw, cases, text):
        flawed_program = flawed(program, make.name, flaw)
        return _finds(make(scenes), flawed_program, cases, seed, text)

    total = scenes["favorite"].total
    yield "errors: a lie", finds(
        Errors, _ACKNOWLEDGES_FAILURES,
        [f"errors/favorite/write/{number}/EIO/always" for number in range(1, 6)], "acknowledged")
    yield "kills: a lost favorite", finds(
        Kills, _EXPORTS_ANOTHER_FAVORITE,
        [f"kills/favorite/call/{total - 1}/after", f"kills/favorite/call/{total - 2}/after"],
        "neither before nor after")
    yield "room: a lie", finds(
        Room, _ACKNOWLEDGES_FAILURES, ["room/favorite/0", "room/favorite/512"], "acknowledged")
    yield "stopped: a late reader", _finds(
        Stopped(scenes, reader_seconds=0.5), flawed(program, "late", _READS_LATE),
        [f"stopped/favorite/{total - number}" for number in (2, 3, 4)], seed, "late")
    yield "clocks: lost changes", finds(
        Clocks, _FORGETS_CHANGES, ["clocks/a-day-early/sync/vanished"],
        "changes of ibotta are removed")
    yield "served: a lost star", finds(
        Served, _EXPORTS_ANOTHER_FAVORITE, ["served/kill/400/after"], "an acknowledged favorite")
    yield "strays: a file", finds(
        Kills, _LEAVES_A_FILE, [f"kills/favorite/call/{total - 1}/before"], "it leaves out/left.new-N")
    yield "guard: a write", finds(Guard, _WRITES_UNGUARDED, ["guard/scene/favorite"], "outside")
    yield "cuts: a hidden sync", _finds_hidden_sync(program, scenes, report)


def _finds_hidden_sync(program, scenes, report):
    """Whether the syncs of the database, if they are not recorded, are missed."""
    part = Cuts(scenes, hide=".sqlite")
    cases = part.cases(report.random("hidden sync"), ["favorites"])
    for _ in range(60):
        case = next(cases)
        _, found = part.run(case, program, report.random(case))
        if any("lost" in text or "neither" in text for text in found):
            return True
    return False
