"""Disks that fill and get room again: a command may add so many bytes, and later all it needs."""

from .checks import (check_ending, check_guard, check_health, check_repetition, check_state,
                     check_strays)
from .home import one_line
from .program import Control

_STEP = 512


class Room:
    """Each case is a scene and the room that is left, from none to all that it needs."""

    name = "room"

    def __init__(self, scenes):
        self._scenes = scenes

    def cases(self, random):
        cases = []
        for scene in self._scenes.all:
            for room in range(0, scene.need + _STEP, _STEP):
                cases.append(f"room/{scene.name}/{room}")
        random.shuffle(cases)
        return cases

    def run(self, case, program, random):
        _, name, room = case.split("/")
        scene = self._scenes[name]
        home = self._scenes.home(scene)
        control = Control(program.scratch, int(room))
        try:
            result = program.run(scene.arguments, home, control=control, room=1)
            found = check_ending(result) + check_guard(result)
            if result.code != scene.code:
                found += check_strays(home, scene)
            found += self._check_full(program, home, control)
            found += check_state(program, home, scene, result, result.code == 0)
            found += check_health(program, home)
            found += check_repetition(program, home, scene)
            if result.total == 0:
                found.append("nothing was intercepted")
            return "room", [f"{name}, full disk: {text}" for text in found]
        finally:
            control.close()
            home.remove()

    @staticmethod
    def _check_full(program, home, control):
        """While nothing more fits, the data can be read and the doctor says how it is."""
        control.set_room(0)
        found = []
        for words in [["list", "--json"], ["list", "--favorites"], ["export"], ["doctor"], ["doctor", "--repair"]]:
            result = program.run(words, home, control=control, room=1)
            found += [f"while full, {' '.join(words)}: {text}" for text in check_ending(result)]
            if words[0] == "list" and result.code not in (0, 66):
                found.append(f"while full, list ends with {result.code}: {one_line(result.errors)}")
        return found
