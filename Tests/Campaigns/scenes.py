"""The writing commands that are put to the test, and the homes in which they start."""

import json
import os
import struct
import threading
import zlib
from dataclasses import dataclass, field

from .checks import expected_after
from .home import Home, State, Unreadable, read_state
from .program import Control
from .server import Web, send_document

OFFER_COUNT = 60
_REPLACED = 5
_PLENTY = 1 << 40


def feed(version, image_url=None, terms="Buy one."):
    """A feed of 60 offers. Version B renames all of version A, drops 5 and adds 5."""
    first = 0 if version == "A" else _REPLACED
    ids = [*range(1, OFFER_COUNT - _REPLACED + 1),
           *range(OFFER_COUNT - _REPLACED + 1 + first, OFFER_COUNT + 1 + first)]
    return json.dumps([
        {"id": str(number), "name": f"Offer {number} {version}",
         "current_value": f"${number % 9 + 1}.00 Cash Back", "terms": terms,
         **({"url": f"{image_url}/{number}.png"} if image_url else {})} for number in ids])


def png(number):
    """A small image that differs from those of other numbers."""
    def chunk(name, data):
        return (struct.pack(">I", len(data)) + name + data +
                struct.pack(">I", zlib.crc32(name + data)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 2, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(number.to_bytes(4, "big") * 200)) + chunk(b"IEND", b""))


def _serve_image(handler):
    """Answers each path with an image of its own."""
    digits = "".join(filter(str.isdigit, handler.path)) or "0"
    send_document(handler, png(int(digits)), "image/png")


@dataclass
class Scene:
    """A command, the home in which it starts, and what it does there without faults."""

    name: str
    template: str
    arguments: list
    outputs: tuple = ()
    again: list = None
    """What runs after a fault in place of the same command."""
    code: int = 0
    before: State = None
    after: State = None
    counts: dict = field(default_factory=dict)
    total: int = 0
    seconds: float = 0
    need: int = 0
    """The bytes of room that it needs."""
    known: frozenset = frozenset()
    """The files that may be there afterwards, besides those of the database."""


def _scenes():
    source = ["--quiet", "--from"]
    return [
        Scene("first-sync", "new", ["sync", *source, "in/A.json"]),
        Scene("sync", "base", ["sync", *source, "in/B.json"]),
        Scene("sync-due", "base", ["sync", "--due", "--news"]),
        Scene("sync-images", "base",
              ["sync", *source, "in/images.json", "--images", "--allow-private-network"]),
        Scene("image", "images", ["image", "60", "--allow-private-network", "-o", "out/60.png"]),
        Scene("cache-clear", "images", ["cache", "clear"]),
        Scene("favorite", "base", ["favorite", "7", "8"]),
        Scene("unfavorite", "base", ["favorite", "--remove", "1"]),
        Scene("import", "base", ["import", "in/other.json", "--accept-sources"]),
        Scene("first-import", "new", ["import", "in/other.json", "--accept-sources"]),
        Scene("export", "base", ["export", "-o", "out/offers.json"], ("out/offers.json",)),
        Scene("backup", "base", ["backup", "out/copy.sqlite"], ("out/copy.sqlite",)),
        # Each day has another name, so that the next run does not meet what the last one left.
        Scene("dated-export", "base", ["export", "-o", "out/monday.json"],
              again=["export", "-o", "out/tuesday.json"]),
        Scene("dated-backup", "base", ["backup", "out/monday.sqlite"],
              again=["backup", "out/tuesday.sqlite"]),
        Scene("print", "base", ["export"]),
        Scene("prune", "gone", ["prune"]),
        Scene("feeds-add", "base", ["feeds", "add", "tea", "in/tea.json"]),
        Scene("feeds-set", "base", ["feeds", "set", "ibotta", "--every", "6h"]),
        Scene("feeds-remove", "base", ["feeds", "remove", "ibotta"]),
        Scene("search", "unindexed", ["search", "offer"]),
        Scene("changes", "base", ["changes", "--since", "last"]),
        Scene("repair", "base", ["doctor", "--repair"]),
        Scene("restore", "base", ["restore", "in/backup.sqlite"]),
    ]


class Scenes:
    """The scenes of one program, with their homes in the scratch folder."""

    def __init__(self, program, only=None):
        self.program = program
        self._folder = os.path.join(program.scratch, "templates")
        os.makedirs(self._folder, exist_ok=True)
        self.images = Web(_serve_image)
        self._templates = {}
        self._lock = threading.Lock()
        self._count = 0
        scenes = [scene for scene in _scenes() if only is None or scene.name in only]
        self.all = scenes
        for scene in self.all:
            self._measure(scene)

    def __getitem__(self, name):
        for scene in self.all:
            if scene.name == name:
                return scene
        raise SystemExit(f"soak: there is no scene {name}")

    def close(self):
        self.images.close()

    def home(self, scene):
        """A new copy of the home in which a scene starts."""
        return self.copy(scene.template)

    def copy(self, template):
        with self._lock:
            self._count += 1
            folder = os.path.join(self.program.scratch, f"home-{self._count}")
            home = self._template(template)
        return home.copy(folder)

    def _run(self, home, *arguments, code=0, **settings):
        result = self.program.run(list(arguments), home, **settings)
        if result.code != code:
            raise SystemExit(f"soak: offers {' '.join(arguments)}: {result.code}: {result.errors}")
        return result

    def _template(self, name):
        if name not in self._templates:
            home = Home.make(os.path.join(self._folder, name))
            getattr(self, f"_make_{name}")(home)
            self._templates[name] = home
        return self._templates[name]

    def _make_new(self, home):
        for version in "AB":
            home.write(f"in/{version}.json", feed(version))
        home.write("in/images.json", feed("A", self.images.url))
        home.write("in/tea.json", json.dumps(
            [{"id": str(number), "title": f"Tea {number}", "price": f"${number}.00"}
             for number in range(1, 9)]))
        # What another machine exported and this one backed up: 3 other favorites.
        other = Home.make(os.path.join(self._folder, "other"))
        other.write("in/A.json", feed("A"))
        self._run(other, "sync", "--quiet", "--from", "in/A.json")
        self._run(other, "favorite", "10", "11", "12")
        self._run(other, "export", "-o", "out/other.json")
        self._run(other, "backup", "out/backup.sqlite")
        for name in ["other.json", "backup.sqlite"]:
            os.rename(other.file(f"out/{name}"), home.file(f"in/{name}"))
        other.remove()

    def _make_base(self, home):
        self._make_new(home)
        self._run(home, "sync", "--quiet", "--from", "in/A.json")
        # Offer 58 vanishes with version B.
        self._run(home, "favorite", "1", "3", "58")
        self._run(home, "export", "-o", "out/offers.json")
        self._run(home, "backup", "out/copy.sqlite")
        self._run(home, "favorite", "20")
        self._run(home, "changes", "--since", "last")

    def _make_images(self, home):
        self._make_base(home)
        self._run(home, "sync", "--quiet", "--from", "in/images.json", "--images",
                  "--allow-private-network")

    def _make_vanished(self, home):
        """Two syncs of the last days; five offers have vanished."""
        self._make_new(home)
        self._run(home, "sync", "--quiet", "--from", "in/A.json", clock=-3 * 86_400)
        self._run(home, "favorite", "1", "58", clock=-3 * 86_400)
        self._run(home, "sync", "--quiet", "--from", "in/B.json", clock=-2 * 86_400)

    def _make_gone(self, home):
        self._make_new(home)
        past = -40 * 86_400
        self._run(home, "sync", "--quiet", "--from", "in/A.json", clock=past)
        self._run(home, "favorite", "1", "58", clock=past)
        self._run(home, "sync", "--quiet", "--from", "in/B.json", clock=past + 86_400)

    def _make_unindexed(self, home):
        self._make_new(home)
        self._run(home, "sync", "--quiet", "--no-index", "--from", "in/A.json")
        self._run(home, "favorite", "1")

    def _measure(self, scene):
        """Runs a scene without faults, and keeps its states and the counts of its calls."""
        home = self.home(scene)
        control = Control(self.program.scratch, _PLENTY)
        try:
            scene.before = read_state(self.program, home, scene.outputs)
            before = set(home.files())
            result = self._run(home, *scene.arguments, code=scene.code,
                               control=control, room=1)
            scene.counts, scene.total = result.counts, result.total
            scene.need = _PLENTY - control.values()[2]
            scene.seconds = result.seconds
            if scene.again:
                self._run(home, *scene.again)
            scene.known = frozenset(before | set(home.files()))
            scene.after = expected_after(
                scene.before, read_state(self.program, home, scene.outputs), scene.arguments, home)
        except Unreadable as error:
            raise SystemExit(f"soak: without a fault, {scene.name}: {error}") from error
        finally:
            control.close()
            home.remove()
