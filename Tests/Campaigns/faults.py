"""The campaign of faults: commands meet failing calls, kills, full disks, cut power and wrong clocks."""

import errno
import itertools
import json
import threading
import time

from .checks import (check_all, check_ending, check_health, check_repetition, check_state,
                     check_strays)
from .clocks import Clocks
from .cuts import Cuts
from .home import Unreadable, one_line, read_state
from .notices import Notices
from .program import KINDS, Control
from .report import run_parts
from .scenes import Scenes

PARTS = ["together", "clocks", "notices", "room", "cuts", "kills", "errors"]
# The shares of the time. Parts that end early leave theirs to the others.
_SHARES = [3, 5, 6, 12, 25, 18, 31]
_ERRORS = {"EIO": errno.EIO, "ENOSPC": errno.ENOSPC}
# A full disk does not refuse these.
_NEVER_FULL = {"open", "unlink", "map"}
_ROOM_STEP = 512


def run(program, report, seconds, case=None, only=None, jobs=None):
    """Runs all parts, or one case."""
    program.build_shims()
    scenes = Scenes(program, _scenes_of(case) if case else None)
    try:
        parts = [make(scenes) for make in (Together, Clocks, Notices, Room, Cuts, Kills, Errors)]
        run_parts(list(zip(parts, _SHARES)), program, report, seconds, case, only, jobs)
        next(part for part in parts if part.name == Notices.name).check_share(report)
        for words, count in program.outside.items():
            report.add("write guard", words, [f"{count} writes outside of the guard: {words}"])
    finally:
        scenes.close()


def _scenes_of(case):
    """The names of the scenes that a case needs."""
    part, name = case.split("/")[:2]
    return {name} if part in ("errors", "kills", "room", "cuts") else set()


class _Commands:
    """A part whose cases are a scene and a fault."""

    def __init__(self, scenes):
        self._scenes = scenes

    def run(self, case, program, random):
        scene = self._scenes[case.split("/")[1]]
        home = self._scenes.home(scene)
        try:
            label, found = self._run(case.split("/")[2:], program, home, scene)
            return label, [f"{scene.name}: {text}" for text in found]
        finally:
            home.remove()


class Errors(_Commands):
    """The Nth call of each kind fails, with EIO or ENOSPC, once or for good, or by halves."""

    name = "errors"

    def cases(self, random):
        """All cases, in random order: of each scene, each call up to the count of a clean run."""
        cases = [f"errors/{scene.name}/{kind}/{number}/{error}/{mode}"
                 for scene in self._scenes.all for kind, count in scene.counts.items()
                 for number in range(1, count + 1) for error, mode in self._faults(kind)]
        random.shuffle(cases)
        return cases

    @staticmethod
    def _faults(kind):
        for error in _ERRORS:
            if error == "ENOSPC" and kind in _NEVER_FULL:
                continue
            yield error, "once"
            yield error, "always"
            if kind == "write":
                yield error, "torn"
        if kind == "write":
            yield "EIO", "half"

    def _run(self, words, program, home, scene):
        kind, number, error, mode = words
        result = program.run(scene.arguments, home,
                             fail=f"{KINDS.index(kind)} {number} {_ERRORS[error]} {mode}")
        if result.counts[kind] == 0:
            return f"errors {kind}", ["nothing was intercepted"]
        return f"errors {kind}", [f"{kind} fails with {error} ({mode}): {text}"
                                  for text in check_all(program, home, scene, result)]


class Kills(_Commands):
    """SIGKILL before, in or after the Nth intercepted call, or at a random moment."""

    name = "kills"

    def cases(self, random):
        for _ in itertools.count():
            scene = random.choice(self._scenes.all)
            if random.random() < 0.75:
                mode = random.choice(["before", "torn", "after"])
                yield f"kills/{scene.name}/call/{random.randint(1, scene.total)}/{mode}"
            else:
                moment = int(random.uniform(0, scene.seconds * 1.1) * 1e6)
                yield f"kills/{scene.name}/time/{moment}/us"

    def _run(self, words, program, home, scene):
        way, number, mode = words
        if way == "call":
            result = program.run(scene.arguments, home, kill=f"{number} {mode}")
            if result.total == 0:
                return "kills at a call", ["nothing was intercepted"]
        else:
            result = program.run(scene.arguments, home, kill_after=max(int(number), 1) / 1e6)
        found = check_all(program, home, scene, result, was_killed=True)
        return f"kills at a {way}", [f"killed: {text}" for text in found]


class Room(_Commands):
    """A disk that fills and gets room again: a command may add so many bytes, and later all it needs."""

    name = "room"

    def cases(self, random):
        cases = [f"room/{scene.name}/{room}" for scene in self._scenes.all
                 for room in range(0, scene.need + _ROOM_STEP, _ROOM_STEP)]
        random.shuffle(cases)
        return cases

    def _run(self, words, program, home, scene):
        control = Control(program.scratch, int(words[0]))
        try:
            result = program.run(scene.arguments, home, control=control, room=1)
            found = check_ending(result)
            if result.code != scene.code:
                found += check_strays(home, scene)
            found += self._check_full(program, home, control)
        finally:
            control.close()
        found += check_state(program, home, scene, result, result.code == 0)
        found += check_health(program, home)
        found += check_repetition(program, home, scene)
        if result.total == 0:
            found.append("nothing was intercepted")
        return "room", [f"full disk: {text}" for text in found]

    @staticmethod
    def _check_full(program, home, control):
        """While nothing more fits, the data can be read and the doctor says how it is."""
        control.set_room(0)
        found = []
        for words in [["list", "--json"], ["list", "--favorites"], ["export"], ["doctor"],
                      ["doctor", "--repair"]]:
            result = program.run(words, home, control=control, room=1)
            found += [f"while full, {' '.join(words)}: {text}" for text in check_ending(result)]
            if words[0] == "list" and result.code not in (0, 66):
                found.append(f"while full, list ends with {result.code}: {one_line(result.errors)}")
        return found


class Together:
    """Four loops of commands that star and four of commands that sync, at once on one database.

    No star is lost, no lock is shown to a person, and the feed is whole.
    """

    name = "together"
    _LOOPS = 4
    _SECONDS = 3

    def __init__(self, scenes):
        self._scenes = scenes

    def cases(self, random):
        for number in itertools.count(1):
            yield f"together/{number}"

    def run(self, case, program, random):
        home = self._scenes.copy("base")
        try:
            marks = {ref: True for ref in read_state(program, home).favorites}
            found = self._work(program, home, marks, random)
            found += self._check(program, home, marks)
        except Unreadable as error:
            found = [str(error)]
        finally:
            home.remove()
        return "together", found

    def _work(self, program, home, marks, random):
        deadline = time.monotonic() + self._SECONDS
        found = []

        def run(words):
            result = program.run(words, home)
            # A sync may meet another one.
            if result.code not in ((0, 11) if words[0] == "sync" else (0,)):
                found.append(f"{words[0]} ends with {result.code}: {one_line(result.errors)}")
            if "locked" in result.errors or "busy" in result.errors:
                found.append(f"a lock is shown to a person: {one_line(result.errors)}")
            return result

        def star(loop, seed):
            numbers = range(1 + loop, 56, self._LOOPS)
            while time.monotonic() < deadline:
                number, is_starred = seed.choice(numbers), seed.random() < 0.75
                words = ["favorite", str(number)] + ([] if is_starred else ["--remove"])
                if run(words).code == 0:
                    marks[f"ibotta:{number}"] = is_starred

        def sync(loop, _):
            for version in itertools.cycle("AB" if loop % 2 else "BA"):
                if time.monotonic() >= deadline:
                    return
                run(["sync", "--quiet", "--from", f"in/{version}.json"])

        threads = [threading.Thread(target=work, args=(loop, type(random)(f"{random.random()}")))
                   for work in (star, sync) for loop in range(self._LOOPS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found

    @staticmethod
    def _check(program, home, marks):
        now = read_state(program, home)
        found = check_health(program, home)
        if now.favorites != {ref for ref, is_starred in marks.items() if is_starred}:
            found.append("the favorites are not those that were acknowledged")
        current = {offer[:3] for offer in now.offers["ibotta"] if not offer[3]}
        versions = []
        for version in "AB":
            with open(home.file(f"in/{version}.json"), encoding="utf-8") as file:
                versions.append({(f"ibotta:{record['id']}", record["name"], record["current_value"])
                                 for record in json.load(file)})
        if current not in versions:
            found.append("the feed is neither of its two versions")
        return found
