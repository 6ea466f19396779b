"""The invariants that are checked after each fault."""

import dataclasses
import json
import re
import signal
import sqlite3

from .home import MOST_IMAGES, Unreadable, one_line, read_state
from .program import EXIT_CODES

# Each command takes less than a second. The lease of a fetch lasts for 12 s.
_MOST_SECONDS_AGAIN = 10
_NOTHING_CHANGED = re.compile(r"nothing (was|has been|is) (changed|written|stored|imported)", re.I)
_CRASH_WORDS = re.compile(
    r"fatal error|stack dump|\*\*\*|swift runtime|precondition|backtrace|0x[0-9a-f]{8,}", re.I)


def check_ending(result, was_killed=False, tells_late=False):
    """A command ends with a documented code, and a failure tells one clear error, or none yet if it
    tells late of a failed feed."""
    found = []
    if result.timed_out:
        return [f"it did not end within {result.seconds:.0f} s"]
    if was_killed and result.code == -signal.SIGKILL:
        return found
    if result.code not in EXIT_CODES:
        return [f"it ends with {result.code}, which is not documented: {one_line(result.errors)}"]
    if result.code != 0:
        first = [line for line in result.errors.split("\n") if line.startswith("offers: ")]
        # The doctor tells of problems on standard output.
        tells = re.search(r"^problem ", result.output, re.M) or tells_late
        if len(first) != 1 and not (tells and not first):
            found.append(f"exit {result.code} with {len(first)} errors: {one_line(result.errors)}")
        if re.search(r"offers: *(\||$)", one_line(result.errors)):
            found.append("an error without a text")
    if _CRASH_WORDS.search(result.errors):
        found.append(f"it tells of its inside: {one_line(result.errors)}")
    return found


def compare(before, after, now, acknowledged, said_nothing=False):
    """Each part of the state is as before or as after the command; as after it if acknowledged."""
    found = []

    def compare_part(name, old, new, current, said_nothing=said_nothing):
        if current == new and (not said_nothing or new == old):
            return
        if current == old:
            if acknowledged:
                found.append(f"acknowledged, and lost: {name}")
            return
        if current == new:
            found.append(f"it says that nothing was changed, and changed {name}")
            return
        found.append(f"neither before nor after: {name}{_difference(old, new, current)}")

    for feed in sorted({*before.offers, *after.offers, *now.offers}):
        compare_part(f"feed {feed}", before.feed(feed), after.feed(feed), now.feed(feed))
    compare_part("favorites", before.favorites, after.favorites, now.favorites)
    for feed in sorted({*before.feeds, *after.feeds, *now.feeds}):
        compare_part(f"source of {feed}", before.feeds.get(feed), after.feeds.get(feed),
                     now.feeds.get(feed))
    for name in sorted({*before.outputs, *after.outputs}):
        # The message is about the database.
        compare_part(f"file {name}", before.outputs.get(name), after.outputs.get(name),
                     now.outputs.get(name), said_nothing=False)
    return found


def _difference(old, new, current):
    """A few words about a state, if it is short."""
    text = f" is {current}, was {old}, to be {new}"
    return text if len(text) < 200 else ""


def check_state(program, home, scene, result, acknowledged):
    """The state after a fault, as `compare` demands it, from a database that can be read."""
    try:
        now = read_state(program, home, scene.outputs)
    except Unreadable as error:
        return [f"after the fault: {error}"]
    said_nothing = bool(_NOTHING_CHANGED.search(result.errors)) and not acknowledged
    return compare(scene.before, scene.after, now, acknowledged, said_nothing)


def check_health(program, home, expected=()):
    """The doctor finds no problem but of the expected subjects, and the images are at most 50."""
    result = program.run(["doctor", "--json"], home)
    found = []
    try:
        findings = json.loads(result.output)["findings"]
    except ValueError:
        return [f"the doctor ends with {result.code}: {one_line(result.errors)}"]
    problems = [f"{finding['subject']}: {finding['message']}" for finding in findings
                if finding["level"] == "problem" and finding["subject"] not in expected
                and "There is no database yet" not in finding["message"]]
    if problems:
        # Paths and times differ from run to run.
        told = re.sub(r"/[^ ]*/|\d{4}-\d\d-\d\d \d\d:\d\d", "…", one_line("; ".join(problems)))
        found.append(f"the doctor finds: {told}")
    try:
        if (count := home.image_count()) > MOST_IMAGES:
            found.append(f"{count} images")
    except sqlite3.Error as error:
        found.append(f"the images cannot be counted: {error}")
    return found


def check_repetition(program, home, scene):
    """The same command then completes, and nothing is left behind that it or a repair clears."""
    result = program.run(scene.again or scene.arguments, home)
    if scene.name == "feeds-add" and result.code == 64 and "already" in result.errors:
        # The definition was saved. The feed may not have been synced yet.
        result = program.run(["sync", "tea", "--quiet"], home)
    if result.code != scene.code:
        return [f"afterwards the command ends with {result.code}: {one_line(result.errors)}"]
    found = []
    if result.seconds > _MOST_SECONDS_AGAIN:
        found.append("afterwards the command is held up by what the last one left")
    repair = program.run(["doctor", "--repair"], home)
    if repair.code != 0:
        found.append(f"the repair ends with {repair.code}: {one_line(repair.errors)}")
    strays = home.strays(scene.known)
    if strays:
        found.append(f"it leaves {', '.join(strays)}, also after the next write and a repair")
    try:
        now = read_state(program, home, scene.outputs)
    except Unreadable as error:
        return found + [f"after the repetition: {error}"]
    return found + [f"after the repetition, {text}"
                    for text in compare(scene.after, scene.after, now, True)]


def check_strays(home, scene):
    """A command that failed by itself leaves no file. A copy that restore could not put in place
    waits for the next command."""
    strays = [name for name in home.strays(scene.known) if not name.endswith("-restored")]
    return [f"it leaves {', '.join(strays)}"] if strays else []


def check_all(program, home, scene, result, was_killed=False):
    """All invariants, after a command met a fault. It is run again at the end."""
    found = check_ending(result, was_killed, "--news" in scene.arguments)
    if result.code != scene.code and not (was_killed and result.code < 0):
        found += check_strays(home, scene)
    acknowledged = result.code == 0
    found += check_state(program, home, scene, result, acknowledged)
    found += check_health(program, home)
    return found + check_repetition(program, home, scene)


# The favorites in the export and the backup of another machine.
OTHERS_FAVORITES = frozenset(f"ibotta:{number}" for number in (10, 11, 12))


def expected_after(before, measured, words, home):
    """The measured state after a command, with what is known of it in place of what was measured.

    A program that acknowledges what it does not do must not be its own witness.
    """
    return dataclasses.replace(
        measured, favorites=_favorites(before, words), offers=_offers(before, measured, words, home))


def _favorites(before, words):
    if words[0] == "favorite":
        refs = {word if ":" in word else f"ibotta:{word}"
                for word in words[1:] if not word.startswith("-")}
        return before.favorites - refs if "--remove" in words else before.favorites | refs
    if words[0] == "import":
        return before.favorites | OTHERS_FAVORITES
    if words[0] == "restore":
        return OTHERS_FAVORITES
    return before.favorites


def _offers(before, measured, words, home):
    if words[0] != "sync" or "--from" not in words:
        return measured.offers if words[0] in ("sync", "import", "restore", "prune", "feeds") \
            else before.offers
    with open(home.file(words[words.index("--from") + 1]), encoding="utf-8") as file:
        records = json.load(file)
    current = {(f"ibotta:{record['id']}", record["name"], record["current_value"], False)
               for record in records}
    refs = {offer[0] for offer in current}
    gone = {(ref, name, reward, True) for ref, name, reward, _ in before.offers.get("ibotta", ())
            if ref not in refs}
    return {**before.offers, "ibotta": frozenset(current | gone)}
