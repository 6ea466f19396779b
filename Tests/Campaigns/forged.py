"""Forged files: a database with hostile values in any column, as a stranger may hand one over."""

import os
import re
import sqlite3

from .checks import check_ending
from .hostile import CONTROLS

_ESCAPES = "\x1b]0;x\x07\x1b[2J\x9b31m\u202e"
_VALUES = [-(1 << 63), (1 << 63) - 1, -1, (1 << 53) + 1, float("inf"), -1.5e300, None, "", "x",
           _ESCAPES, "x" * 5000 + _ESCAPES, f'[1,{{"a":"{_ESCAPES}"}}]', b"\x1b[32m\xff", b""]
_COMMANDS = [["list"], ["search", "attack1"], ["show", "1"], ["changes"], ["history", "1"],
             ["status"], ["feeds"], ["household"], ["cache"], ["prune", "--dry-run"], ["doctor"]]
# The most bytes that are saved of a file, for each of its own.
_MOST_SAVED = 4
# Such an ending is a crash, whatever it tells.
_SIGNALS = range(-64, 0)


class Forged:
    """Each case is the number of a random change of values."""

    name = "files"

    def __init__(self, program, scenes):
        self._program = program
        self._scenes = scenes

    def cases(self, random):
        number = 0
        while True:
            number += 1
            yield f"files/{number}"

    def run(self, case, targets, random):
        home = self._scenes.copy("base")
        try:
            if random.random() < 0.1:
                return "files, salvage", self._salvage(home, random)
            changes = _forge(home.database, random)
            found = []
            for words in random.sample(_COMMANDS, 4):
                result = self._program.run(words, home)
                if result.code in _SIGNALS or result.timed_out:
                    found.append(f"{words[0]} ends with {result.code}")
                found += [f"{words[0]}: {text}" for text in check_ending(result)]
                match = CONTROLS.search(result.errors + result.output)
                if match:
                    found.append(f"{words[0]} prints the control character {match.group()!r}")
            return "files", [f"{changes}: {text}" for text in found]
        finally:
            home.remove()


    def _salvage(self, home, random):
        """Saves what can be read of a file whose keys go backwards on some pages."""
        pages = _turn_keys(home.database, random)
        before = os.path.getsize(home.database)
        result = self._program.run(["restore", "--salvage"], home)
        found = check_ending(result)
        if os.path.getsize(home.database) > _MOST_SAVED * before:
            found.append(f"it saves {os.path.getsize(home.database)} bytes")
        return [f"pages {pages}: {text}" for text in found]


def _turn_keys(path, random):
    """Turns round the order of the rows on some leaf pages of tables; returns the numbers of the pages."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = connection.execute("PRAGMA page_size").fetchone()[0]
    connection.close()
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        turned = []
        for start in range(size, len(data), size):
            count = int.from_bytes(data[start + 3:start + 5], "big")
            if data[start] != 0x0D or not 1 < count < size // 4 or random.random() < 0.5:
                continue
            cells = data[start + 8:start + 8 + 2 * count]
            data[start + 8:start + 8 + 2 * count] = b"".join(
                cells[place:place + 2] for place in range(2 * count - 2, -1, -2))
            turned.append(start // size + 1)
        file.seek(0)
        file.write(data)
    return turned


def _forge(path, random):
    """Writes one to five values past the constraints of the tables; returns what was changed."""
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        tables = [name for name, sql in connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            if sql and "VIRTUAL" not in sql and not re.match(r"sqlite_|offer_search", name)]
        changes = []
        for _ in range(200):
            table = random.choice(tables)
            column = random.choice(
                [row[1] for row in connection.execute(f"PRAGMA table_info({table})")])
            value = random.choice(_VALUES)
            try:
                changed = connection.execute(
                    f"UPDATE {table} SET {column} = ? WHERE ({column}) IN "
                    f"(SELECT {column} FROM {table} LIMIT 1)", [value]).rowcount
            except sqlite3.Error:
                continue
            if changed > 0:
                changes.append(f"{table}.{column} = {str(value)[:20]!r}")
            if len(changes) == random.randint(1, 5):
                break
        connection.commit()
        return ", ".join(changes)
    finally:
        connection.close()
