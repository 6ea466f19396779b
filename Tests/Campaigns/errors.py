"""Calls that fail: the Nth of each kind, with EIO or ENOSPC, once or for good, or by halves."""

import errno

from .checks import check_all
from .program import KINDS

_ERRORS = {"EIO": errno.EIO, "ENOSPC": errno.ENOSPC}
# What a full disk cannot refuse.
_NEVER_FULL = {"open", "unlink", "map"}


class Errors:
    """Each case is a scene, a kind of call, its number, an error, and how long the error lasts."""

    name = "errors"

    def __init__(self, scenes):
        self._scenes = scenes

    def cases(self, random):
        """All cases, in random order: of each scene, each call up to the count of a clean run."""
        cases = []
        for scene in self._scenes.all:
            for kind, count in scene.counts.items():
                for number in range(1, count + 1):
                    cases += [f"errors/{scene.name}/{kind}/{number}/{error}/{mode}"
                              for error, mode in self._faults(kind)]
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

    def run(self, case, program, random):
        _, name, kind, number, error, mode = case.split("/")
        scene = self._scenes[name]
        home = self._scenes.home(scene)
        try:
            result = program.run(
                scene.arguments, home,
                fail=f"{KINDS.index(kind)} {number} {_ERRORS[error]} {mode}")
            label = f"errors {kind}"
            if result.counts[kind] == 0:
                return label, ["nothing was intercepted"]
            return label, [f"{name}, {kind} fails with {error} ({mode}): {text}"
                           for text in check_all(program, home, scene, result)]
        finally:
            home.remove()
