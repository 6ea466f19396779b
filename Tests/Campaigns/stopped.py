"""Stopped writers: a command stands still (SIGSTOP) at one of its calls, while others go on."""

import os
import signal
import time

from .checks import check_ending, check_guard, check_health
from .home import Unreadable, one_line, read_state
from .program import Control, TIMEOUT_SECONDS

# The seconds within which a reader must have its answer, or the number of the process in its way.
READER_SECONDS = 5


class Stopped:
    """Each case is a scene and the number of the call before which it stops."""

    name = "stopped"

    def __init__(self, scenes, reader_seconds=READER_SECONDS):
        self._scenes = scenes
        self._reader_seconds = reader_seconds

    def cases(self, random):
        cases = [f"stopped/{scene.name}/{number}" for scene in self._scenes.all
                 if scene.template != "new" and scene.name != "restore"
                 for number in range(1, scene.total + 1)]
        random.shuffle(cases)
        return cases

    def run(self, case, program, random):
        _, name, number = case.split("/")
        scene = self._scenes[name]
        home = self._scenes.home(scene)
        control = Control(program.scratch)
        begun = time.monotonic()
        process = program.start(scene.arguments, home, control, stop=number)
        other_control = Control(program.scratch)
        other = None
        found = []
        try:
            if _wait_for_stop(process):
                found += self._check_reader(program, home, process.pid)
                other = program.start(["favorite", "30"], home, other_control)
                time.sleep(random.uniform(0, 0.1))
                os.kill(process.pid, signal.SIGCONT)
            output, errors = process.communicate(timeout=TIMEOUT_SECONDS)
            result = program.result(
                process.returncode, output, errors, time.monotonic() - begun, control)
            program.note(scene.arguments, result)
            found += check_ending(result) + check_guard(result)
            if result.code != scene.code:
                found.append(f"after a stop it ends with {result.code}: {one_line(result.errors)}")
            if other:
                found += self._check_other(other)
            found += self._check_after(program, home, scene, other is not None)
            return "stopped writers", [f"{name}, stopped: {text}" for text in found]
        finally:
            for started in filter(None, [process, other]):
                if started.poll() is None:
                    started.kill()
                    started.wait()
            control.close()
            other_control.close()
            home.remove()

    def _check_reader(self, program, home, stopped):
        result = program.run(["list", "--favorites"], home)
        if result.code == 0 and result.seconds < self._reader_seconds:
            return []
        if result.code != 0 and str(stopped) in result.errors:
            return []
        took = "late" if result.seconds >= self._reader_seconds else "soon"
        return [f"a reader ends with {result.code}, {took}: {one_line(result.errors)}"]

    @staticmethod
    def _check_other(process):
        _, errors = process.communicate(timeout=TIMEOUT_SECONDS)
        if process.returncode == 0:
            return []
        return [f"another writer ends with {process.returncode}: {one_line(errors.decode())}"]

    @staticmethod
    def _check_after(program, home, scene, is_marked):
        try:
            now = read_state(program, home)
        except Unreadable as error:
            return [str(error)]
        favorites = set(now.favorites)
        found = []
        if is_marked and "ibotta:30" not in favorites:
            found.append("the other writer's acknowledged favorite is lost")
        if favorites - {"ibotta:30"} != scene.after.favorites:
            found.append("the favorites are not those of both commands")
        for feed in scene.after.offers:
            if now.feed(feed) != scene.after.feed(feed):
                found.append(f"feed {feed} is not as after the command")
        return found + check_health(program, home)


def _wait_for_stop(process):
    """Waits until the process stands still; false if it ended before."""
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
                if file.read().rpartition(")")[2].split()[0] == "T":
                    return True
        except OSError:
            pass
        time.sleep(0.002)
    return False
