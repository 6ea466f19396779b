"""Power cuts: commands are recorded, and states of the disk after a cut are opened and checked."""

import copy
import itertools
import os
import threading

from .checks import check_health, compare
from .disk import STRATEGIES, Disk, read_events
from .home import Home, Unreadable, one_line, read_state


class Cuts:
    """Each case is a scene, a number of recorded changes, and what the disk keeps of the unsynced."""

    name = "cuts"

    def __init__(self, scenes):
        self._scenes = scenes
        self._recorded = {}
        self._lock = threading.Lock()
        self._count = itertools.count()

    def _record(self, scene):
        """The disk before a scene, and the changes that it makes; recorded once."""
        with self._lock:
            if scene.name not in self._recorded:
                program, home = self._scenes.program, self._scenes.home(scene)
                disk = Disk(home.folder)
                record = home.folder + ".record"
                with open(record, "w", encoding="utf-8"):
                    pass
                result = program.run(scene.arguments, home, record=record)
                if result.code != scene.code:
                    raise RuntimeError(f"{scene.name} ends with {result.code}: {one_line(result.errors)}")
                home.remove()
                self._recorded[scene.name] = disk, read_events(record)
            return self._recorded[scene.name]

    def cases(self, random):
        while True:
            scene = random.choice(self._scenes.all)
            point = random.randint(0, len(self._record(scene)[1]))
            yield f"cuts/{scene.name}/{point}/{random.choice(STRATEGIES)}/{random.randrange(1000)}"

    def run(self, case, program, random):
        _, name, point, strategy, _ = case.split("/")
        scene = self._scenes[name]
        start, events = self._record(scene)
        disk = copy.deepcopy(start)
        for event in events[:int(point)]:
            disk.apply(event)
        folder = os.path.join(program.scratch, f"cut-{next(self._count)}")
        disk.write_crash(folder, strategy, random)
        home = Home(folder)
        os.makedirs(home.temporary, exist_ok=True)
        try:
            self._write_index(home, random)
            # The command had ended before a cut after its last change.
            found = self._check(program, home, scene, int(point) >= len(events))
            return "cuts", [f"{name}, cut: {text}" for text in found]
        finally:
            home.remove()

    @staticmethod
    def _write_index(home, random):
        """Puts something in the place of the log's index, which is not recorded."""
        path = home.database + "-shm"
        if not os.path.exists(home.database):
            return
        content = random.choice([None, bytes(32_768), random.randbytes(32_768)])
        if content is not None:
            with open(path, "wb") as file:
                file.write(content)
        elif os.path.exists(path):
            os.unlink(path)

    @staticmethod
    def _check(program, home, scene, is_acknowledged):
        try:
            now = read_state(program, home, scene.outputs)
        except Unreadable as error:
            return [str(error)]
        found = compare(scene.before, scene.after, now, is_acknowledged)
        found += check_health(program, home)
        if now.favorites:
            # A database that was read can be written, too.
            result = program.run(["favorite", "30"], home)
            if result.code != 0:
                found.append(f"a favorite then fails: {one_line(result.errors)}")
        return found
