"""A disk whose power is cut: it keeps what was synced, and of the rest whatever it likes.

A file keeps its synced bytes, and any part of the writes and truncations since. A folder keeps its
synced names, and any of the creations, renames and removals since. Sectors of 512 bytes are written
as a whole. This is stricter than common file systems, and what POSIX allows.
"""

import os
from dataclasses import dataclass, field

SECTOR = 512

# How much of the unsynced changes a crash keeps.
STRATEGIES = ["nothing", "everything", "prefix", "names only", "data only", "mixed"]


@dataclass
class Event:
    """A line of the record, with the bytes of a write."""

    name: str
    number: int
    first: int
    second: int
    path: str
    other: str
    data: bytes = b""


def read_events(path):
    """Reads the record that record.c wrote."""
    with open(path, "rb") as file:
        text = file.read()
    events, place = [], 0
    while place < len(text):
        end = text.index(b"\n", place)
        name, number, first, second, one, other = text[place:end].decode().split("\t")
        event = Event(name, int(number), int(first), int(second), one, other)
        place = end + 1
        if name == "write":
            event.data = text[place:place + event.second]
            place += event.second
        events.append(event)
    return events


@dataclass
class _File:
    synced: bytearray = field(default_factory=bytearray)
    pending: list = field(default_factory=list)


@dataclass
class _Folder:
    synced: dict = field(default_factory=dict)
    pending: list = field(default_factory=list)


def _write(content, offset, data):
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset:offset + len(data)] = data


def _truncate(content, length):
    del content[length:]
    if len(content) < length:
        content.extend(bytes(length - len(content)))


class Disk:
    """The files below a folder, as changes arrive."""

    def __init__(self, root):
        """Starts with the files and folders that are there, all of them synced."""
        self._root = root
        self._files = {}
        self._folders = {}
        for folder, names, files in os.walk(root):
            held = self._folders[folder] = _Folder()
            for name in names:
                held.synced[name] = os.path.join(folder, name)
            for name in files:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    entry = _File(bytearray(file.read()))
                self._files[os.stat(path).st_ino] = entry
                held.synced[name] = entry

    def _change_name(self, path, target):
        folder, name = os.path.split(path)
        if folder in self._folders:
            self._folders[folder].pending.append([(name, target)])

    def _current(self, path):
        folder, name = os.path.split(path)
        held = self._folders.get(folder)
        if held is None:
            return None
        names = dict(held.synced)
        for changes in held.pending:
            names.update(changes)
        return names.get(name)

    def apply(self, event):
        """Makes one recorded change."""
        file = self._files.get(event.number)
        if event.name == "create":
            self._files[event.number] = entry = _File()
            if event.path:
                self._change_name(event.path, entry)
        elif event.name == "write" and file:
            file.pending.append((event.first, event.data))
        elif event.name == "truncate" and file:
            file.pending.append((event.first, None))
        elif event.name == "sync":
            if event.path in self._folders:
                self._sync_folder(self._folders[event.path])
            elif file:
                _apply(file.synced, file.pending)
                file.pending = []
        elif event.name == "rename":
            self._rename(event.path, event.other)
        elif event.name == "link" and file:
            self._change_name(event.path, file)
        elif event.name == "unlink":
            self._change_name(event.path, None)
        elif event.name == "folder":
            self._folders[event.path] = _Folder()
            self._change_name(event.path, event.path)

    def _rename(self, old, new):
        entry = self._current(old)
        folder, name = os.path.split(old)
        if os.path.dirname(new) == folder and folder in self._folders:
            # A rename within a folder is atomic.
            self._folders[folder].pending.append([(name, None), (os.path.basename(new), entry)])
        else:
            self._change_name(new, entry)
            self._change_name(old, None)

    @staticmethod
    def _sync_folder(folder):
        for changes in folder.pending:
            folder.synced.update(changes)
        folder.pending = []

    def write_crash(self, target, strategy, random):
        """Writes one of the states after a power cut to a new folder."""
        self._write_folder(self._root, target, {}, strategy, random)

    def _write_folder(self, path, target, contents, strategy, random):
        os.makedirs(target, mode=0o700, exist_ok=True)
        folder = self._folders[path]
        names = dict(folder.synced)
        for changes in _kept_names(folder.pending, strategy, random):
            names.update(changes)
        for name, entry in names.items():
            place = os.path.join(target, name)
            if isinstance(entry, str):
                self._write_folder(entry, place, contents, strategy, random)
            elif entry is not None:
                if id(entry) not in contents:
                    content = contents[id(entry)] = bytearray(entry.synced)
                    _apply(content, _kept_writes(entry.pending, strategy, random))
                with open(os.open(place, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                    file.write(contents[id(entry)])


def _apply(content, changes):
    for offset, data in changes:
        if data is None:
            _truncate(content, offset)
        else:
            _write(content, offset, data)


def _sectors(offset, data):
    """A write as the writes of its sectors."""
    place = 0
    while place < len(data):
        end = min(len(data), place + SECTOR - (offset + place) % SECTOR)
        yield offset + place, data[place:end]
        place = end


def _kept_writes(pending, strategy, random):
    if strategy in ("nothing", "names only") or not pending:
        return []
    if strategy in ("everything", "data only"):
        return pending
    if strategy == "prefix":
        whole = random.randrange(len(pending) + 1)
        kept = pending[:whole]
        if whole < len(pending) and pending[whole][1]:
            parts = list(_sectors(*pending[whole]))
            kept = kept + parts[:random.randrange(len(parts) + 1)]
        return kept
    share = random.random()
    kept = []
    for offset, data in pending:
        if data is None:
            kept += [(offset, None)] if random.random() < share else []
        else:
            kept += [part for part in _sectors(offset, data) if random.random() < share]
    return kept


def _kept_names(pending, strategy, random):
    if strategy in ("nothing", "data only"):
        return []
    if strategy in ("everything", "names only"):
        return pending
    if strategy == "prefix":
        return pending[:random.randrange(len(pending) + 1)]
    return [changes for changes in pending if random.random() < 0.5]
