"""What a command promises to have done when it ends with 0, worked out without the program."""

import dataclasses
import json

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
