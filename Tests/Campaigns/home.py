"""The folder of a user whose program is put to the test, and what its database holds."""

import collections
import json
import os
import re
import shutil
import sqlite3
import tempfile
from dataclasses import dataclass

MOST_IMAGES = 50


class Home:
    """A home folder with a database, feeds and outputs."""

    # The program makes the folders of its database.
    def __init__(self, folder, database="data/new/offers.sqlite"):
        self.folder = os.path.realpath(folder)
        self.temporary = os.path.join(self.folder, "tmp")
        self.database = database if "://" in database else os.path.join(self.folder, database)
        self.variables = {}
        """What else the environment of the program has."""

    @classmethod
    def make(cls, folder, *database):
        for name in ["tmp", "in", "out"]:
            os.makedirs(os.path.join(folder, name), mode=0o700)
        return cls(folder, *database)

    def copy(self, folder):
        """Copies the home to another folder."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Home(folder)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def file(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        path = self.file(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def files(self):
        """The paths of all files, relative to the home."""
        found = []
        for folder, _, names in os.walk(self.folder):
            found += [os.path.relpath(os.path.join(folder, name), self.folder) for name in names]
        return sorted(found)

    def strays(self, known):
        """The kinds of files that are none of the given ones and not part of the database."""
        database = os.path.relpath(self.database, self.folder)
        parts = {database + end for end in ["", "-wal", "-shm", "-lock", "-journal"]}
        kinds = {kind_of(name) for name in known}
        return sorted({kind_of(name) for name in self.files() if name not in parts} - kinds)

    def image_count(self):
        """The number of cached images; 0 in a database that was not created to its end."""
        if not os.path.exists(self.database):
            return 0
        # A copy is opened, because SQLite may have to recover it.
        with tempfile.TemporaryDirectory(dir=self.temporary) as folder:
            copy = os.path.join(folder, "copy.sqlite")
            for end in ["", "-wal", "-journal"]:
                if os.path.exists(self.database + end):
                    shutil.copy(self.database + end, copy + end)
            connection = sqlite3.connect(copy)
            try:
                if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0:
                    return 0
                return connection.execute("SELECT count(*) FROM image_cache").fetchone()[0]
            finally:
                connection.close()


@dataclass(frozen=True)
class State:
    """What a database promises to keep: by feed its offers and changes, and the favorites."""

    offers: dict
    changes: dict
    favorites: frozenset
    feeds: dict
    outputs: dict
    """What the output files hold, by name."""

    def feed(self, name):
        return (self.offers.get(name, frozenset()),
                tuple(sorted(self.changes.get(name, {}).items())))


class Unreadable(Exception):
    """The database, or an output, could not be read after a fault."""


def read_state(program, home, outputs=(), **settings):
    """Reads the state with `offers export`; a database that does not exist holds nothing."""
    result = program.run(["export"], home, **settings)
    if result.code == 66:
        return State({}, {}, frozenset(), {}, read_outputs(program, home, outputs))
    if result.code != 0:
        raise Unreadable(f"export ends with {result.code}: {one_line(result.errors)}")
    try:
        document = json.loads(_without_home(result.output))
    except ValueError as error:
        raise Unreadable(f"export prints no JSON: {error}") from error
    return state_of(document, read_outputs(program, home, outputs))


def state_of(document, outputs=None):
    """The state that an export describes."""
    offers, changes = collections.defaultdict(set), {}
    for offer in document["offers"]:
        feed = offer["ref"].split(":")[0]
        offers[feed].add(
            (offer["ref"], offer["name"], offer["reward"]["text"] if offer["reward"] else None,
             offer["gone_at"] is not None))
    for change in document["changes"]:
        feed = change["ref"].split(":")[0]
        changes.setdefault(feed, collections.Counter())[(change["ref"], change["kind"])] += 1
    # A failed first sync leaves a subscription without a source; a failed addition none.
    feeds = {
        feed["name"]: (feed["chosen_source"], feed["unsubscribed_at"] is None)
        for feed in document["feeds"]
        if feed["chosen_source"] is not None}
    favorites = frozenset(favorite["ref"] for favorite in document["favorites"])
    return State(
        {feed: frozenset(found) for feed, found in offers.items()}, changes, favorites, feeds,
        outputs or {})


def read_outputs(program, home, names):
    """The offers and favorites in exports and backups.

    Throws `Unreadable` for half a file.
    """
    found = {}
    for name in names:
        path = home.file(name)
        if not os.path.exists(path):
            found[name] = None
            continue
        if name.endswith(".sqlite"):
            # The backup is copied, because opening it makes files beside it.
            copy = os.path.join(home.temporary, "looked-at.sqlite")
            shutil.copy(path, copy)
            result = program.run(["export", "--database", copy], home)
            for end in ["", "-wal", "-shm", "-lock"]:
                if os.path.exists(copy + end):
                    os.unlink(copy + end)
            if result.code != 0:
                raise Unreadable(f"{name} is no whole backup: {one_line(result.errors)}")
            text = result.output
        else:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        try:
            state = state_of(json.loads(_without_home(text)))
        except ValueError as error:
            raise Unreadable(f"{name} is no whole export: {error}") from error
        found[name] = (frozenset(offer for offers in state.offers.values() for offer in offers),
                       state.favorites)
    return found


def _without_home(text):
    """A text without the paths of a home, which are in sources that are files."""
    return re.sub(r"/[^\"\s]*/in/", "HOME/in/", text)


def kind_of(name):
    """A file name without the numbers and times in it, which differ from run to run."""
    name = re.sub(r"(?<=[-.])[0-9a-zA-Z]*\d[0-9a-zA-Z]*", "N", name)
    return re.sub(r"N([-.]N)+", "N", name)


def one_line(text):
    """The first 200 characters of a message, on one line."""
    text = re.sub(r"/[^\s:]*/home-\d+|/[^\s:]*/cut-\d+", "HOME", text)
    return " | ".join(text.split("\n"))[:200].strip(" |")
