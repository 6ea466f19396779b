"""Power cuts: commands are recorded, and states of the disk after a cut are opened and checked."""

import copy
import itertools
import os
import threading

from .checks import check_health, compare
from .disk import STRATEGIES, Disk, read_events
from .expected import expected_after
from .home import Home, Unreadable, one_line, read_state

# What each recorded story does, one command after the other.
_STORIES = {
    "favorites": ("base", "data/offers.sqlite", [
        ["favorite", "7"], ["favorite", "8", "9"], ["favorite", "--remove", "7"],
        ["favorite", "12"]]),
    "syncs": ("base", "data/offers.sqlite", [
        ["favorite", "7"], ["sync", "--quiet", "--from", "in/B.json"], ["favorite", "9"],
        ["sync", "--quiet", "--from", "in/A.json"], ["favorite", "--remove", "1"], ["prune"]]),
    "first": ("new", "data/offers.sqlite", [
        ["sync", "--quiet", "--from", "in/A.json"], ["favorite", "1"], ["favorite", "2"]]),
    "new-folder": ("new", "data/new/deep/offers.sqlite", [
        ["sync", "--quiet", "--from", "in/A.json"], ["favorite", "1"], ["favorite", "2"]]),
    "transfer": ("base", "data/offers.sqlite", [
        ["import", "in/other.json", "--accept-sources"], ["export", "-o", "out/offers.json"],
        ["favorite", "9"], ["backup", "out/copy.sqlite"], ["favorite", "14"]]),
    "images": ("base", "data/offers.sqlite", [
        ["sync", "--quiet", "--from", "in/images.json", "--images", "--allow-private-network"],
        ["favorite", "9"], ["image", "60", "--allow-private-network", "-o", "out/60.png"],
        ["favorite", "10"]]),
    "feeds": ("base", "data/offers.sqlite", [
        ["feeds", "add", "tea", "in/tea.json"], ["feeds", "set", "tea", "--every", "6h"],
        ["favorite", "tea:3"], ["feeds", "remove", "ibotta"]]),
    "restore": ("base", "data/offers.sqlite", [
        ["favorite", "7"], ["restore", "in/backup.sqlite"], ["favorite", "9"]]),
}
_OUTPUTS = {"transfer": ("out/offers.json", "out/copy.sqlite"),
            "feeds": (".config/offers/feeds.yaml",)}


class _Story:
    """The recorded changes of a story, and the states between its commands."""

    def __init__(self, name, program, scenes, **settings):
        template, database, commands = _STORIES[name]
        self.outputs = _OUTPUTS.get(name, ())
        self.home = scenes.copy(template)
        self.home.database = self.home.file(database)
        self._start = Disk(self.home.folder)
        record = self.home.folder + ".record"
        open(record, "w").close()
        self.states = [read_state(program, self.home, self.outputs)]
        self.ends = []
        for words in commands:
            result = program.run(words, self.home, record=record, **settings)
            if result.code != 0:
                raise SystemExit(f"soak: the story {name}: {words}: {one_line(result.errors)}")
            self.ends.append(len(read_events(record)))
            # Reading may remove or shorten the log, which no sync of the program's follows.
            now = read_state(program, self.home, self.outputs, record=record)
            self.states.append(expected_after(self.states[-1], now, words, self.home))
        self.events = read_events(record)
        self.database = database

    def disk(self):
        """The disk at the start, before the recorded changes."""
        return copy.deepcopy(self._start)

    def allowed(self, point):
        """The states before and after the command that was cut at a point."""
        done = sum(end <= point for end in self.ends)
        return self.states[done], self.states[min(done + 1, len(self.states) - 1)]


class Cuts:
    """Each case is a story, a number of recorded changes, and what the disk keeps of the unsynced."""

    name = "cuts"

    def __init__(self, scenes, **settings):
        self._scenes = scenes
        self._settings = settings
        self._stories = {}
        self._lock = threading.Lock()
        self._count = itertools.count()

    def _story(self, name):
        with self._lock:
            if name not in self._stories:
                self._stories[name] = _Story(
                    name, self._scenes.program, self._scenes, **self._settings)
            return self._stories[name]

    def _names(self):
        known = {scene.arguments[0] for scene in self._scenes.all}
        return [name for name in _STORIES if name != "restore" or "restore" in known]

    def cases(self, random, names=None):
        """Endless: random stories, points and strategies."""
        names = names or self._names()
        while True:
            name = random.choice(names)
            story = self._story(name)
            if not story.events:
                yield f"cuts/{name}/0/nothing/0"
                continue
            point = random.randint(0, len(story.events))
            yield (f"cuts/{name}/{point}/{random.choice(STRATEGIES)}/{random.randrange(1000)}")

    def run(self, case, program, random):
        _, name, point, strategy, _ = case.split("/")
        story = self._story(name)
        label = f"cuts {name}"
        if not story.events:
            return label, ["nothing was recorded"]
        disk = story.disk()
        for event in story.events[:int(point)]:
            disk.apply(event)
        folder = os.path.join(program.scratch, f"cut-{next(self._count)}")
        disk.write_crash(folder, strategy, random)
        home = Home(folder, story.database)
        os.makedirs(home.temporary, exist_ok=True)
        try:
            self._write_index(home, random)
            return label, [f"{name}: {text}"
                           for text in self._check(program, home, story, int(point))]
        finally:
            home.remove()

    @staticmethod
    def _write_index(home, random):
        """Puts something in the place of the log's index, which is not recorded."""
        path = home.database + "-shm"
        if not os.path.exists(home.database):
            return
        content = random.choice([None, bytes(32_768), random.randbytes(32_768)])
        if content is None:
            if os.path.exists(path):
                os.unlink(path)
        else:
            with open(path, "wb") as file:
                file.write(content)

    @staticmethod
    def _check(program, home, story, point):
        before, after = story.allowed(point)
        try:
            now = read_state(program, home, story.outputs)
        except Unreadable as error:
            return [str(error)]
        found = compare(before, after, now, acknowledged=False)
        found += check_health(program, home)
        if now.favorites:
            # A database that was read can be written, too.
            result = program.run(["favorite", "30"], home)
            if result.code != 0:
                found.append(f"a favorite then fails: {one_line(result.errors)}")
        return found
