"""Planted faults: each part of a campaign must find one before it is believed."""

import os
import stat

from .clients import Clients
from .clocks import Clocks
from .cuts import Cuts
from .errors import Errors
from .forged import Forged
from .guard import Guard
from .guesses import Guesses
from .hostile import Hostile
from .kills import Kills
from .report import Report
from .requests import Requests
from .room import Room
from .served import Served
from .stopped import Stopped
from .target import MARK, Target

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
_PRINTS_CONTROLS = """
if [[ $1 == list ]]; then printf '\\e[31m'; fi
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


class _LeakingServer:
    """Stands before a server and adds to its answers what they must not hold."""

    def __init__(self, target, leak):
        self._target = target
        self._leak = leak
        self.server = target.server

    def __getattr__(self, name):
        return getattr(self._target, name)

    def send(self, *arguments, **options):
        answer = self._target.send(*arguments, **options)
        return answer and self._leak(self._target, answer)

    def exchange(self, data, **options):
        self._target.exchange(data, **options)
        return f"HTTP/1.1 200 OK\r\n\r\n{self._target.token}".encode()


def _leak_token(target, answer):
    return answer[0], answer[1], answer[2] + target.token.encode()


def _leak_script(target, answer):
    answer[1].replace_header("Content-Type", "text/html")
    return answer[0], answer[1], answer[2] + f"<script>{MARK}()</script>".encode()


def _let_in(target, answer):
    return 200, answer[1], answer[2]


def run_attack(program, scenes, report):
    """Plants a fault for each part of the campaign; yields the part and whether it found it."""
    target = Target(program, scenes, has_token=True)
    try:
        for name, part, leak, cases, text in [
                ("requests: a leaked token", Requests(), _leak_token, 30, "discloses"),
                ("requests: a script", Requests(), _leak_script, 60, "injected: the text of <script>"),
                ("guesses: an open door", Guesses(), _let_in, 30, "a guess gets 200"),
                ("clients: a leaked token", Clients(), _leak_token, 1, "discloses")]:
            found = False
            for number in range(1, cases + 1):
                case = f"{part.name}/malformed/{number}" if part.name == "clients" else \
                    f"{part.name}/{number}"
                random = report.random(case)
                _, violations = part.run(case, [_LeakingServer(target, leak)], random)
                if found := any(text in violation for violation in violations):
                    break
            yield name, found
    finally:
        target.end()
    liar = flawed(program, "feeds", _EXPORTS_ANOTHER_FAVORITE + _PRINTS_CONTROLS)
    hostile = Hostile(liar, scenes)
    try:
        _, found = hostile.run("feeds/file/null", [], report.random("feeds"))
        yield "feeds: a control character", any("control character" in text for text in found)
        cases = [f"files/{number}" for number in range(1, 20)]
        yield "files: a control character", _finds(
            Forged(liar, scenes), None, cases, report.seed, "control character")
    finally:
        hostile.close()
