"""Kills: SIGKILL before, in or after the Nth intercepted call, or at a random moment."""

import itertools

from .checks import check_all


class Kills:
    """Each case is a scene and a moment: the number of a call, or a time in microseconds."""

    name = "kills"

    def __init__(self, scenes):
        self._scenes = scenes

    def cases(self, random):
        """Endless: random scenes and moments, and half of the kills at calls."""
        for _ in itertools.count():
            scene = random.choice(self._scenes.all)
            if random.random() < 0.75:
                mode = random.choice(["before", "torn", "after"])
                yield f"kills/{scene.name}/call/{random.randint(1, scene.total)}/{mode}"
            else:
                moment = int(random.uniform(0, scene.seconds * 1.1) * 1e6)
                yield f"kills/{scene.name}/time/{moment}/us"

    def run(self, case, program, random):
        _, name, way, number, mode = case.split("/")
        scene = self._scenes[name]
        home = self._scenes.home(scene)
        try:
            if way == "call":
                result = program.run(scene.arguments, home, kill=f"{number} {mode}")
            else:
                result = program.run(scene.arguments, home, kill_after=max(int(number), 1) / 1e6)
            if way == "call" and result.total == 0:
                return f"kills at a {way}", ["nothing was intercepted"]
            found = check_all(program, home, scene, result, was_killed=True)
            return f"kills at a {way}", [f"{name}, killed: {text}" for text in found]
        finally:
            home.remove()
