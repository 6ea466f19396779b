"""Wrong clocks: a command runs a day early, in 1970 or 401 days late, and then all is right again."""

import json
import time

from .checks import check_ending, check_health
from .home import Unreadable, one_line, read_state, state_of

_DAY = 86_400
# The seconds within which every command must end, whatever the clock says.
_MOST_SECONDS = 20

_CLOCKS = {"a-day-early": lambda: -_DAY, "1970": lambda: -int(time.time()) + 3600,
           "401-days-late": lambda: 401 * _DAY}

_IMAGES = ["--images", "--allow-private-network"]
_COMMANDS = {
    "sync": [["sync", "--quiet", "--from", "in/B.json"]],
    "same-sync": [["sync", "--quiet", "--from", "in/A.json"]],
    "due": [["sync", "--due"]],
    "syncs": [["sync", "--quiet", "--from", "in/B.json"], ["sync", "--quiet", "--from", "in/A.json"]],
    "favorite": [["favorite", "7"]],
    "prune": [["prune"]],
    "images": [["sync", "--quiet", "--from", "in/images.json", *_IMAGES]],
    "killed-image": [["image", "60", "--allow-private-network", "-o", "out/60.png"]],
    "import": [["import", "in/other.json", "--accept-sources"]],
    "changes": [["changes", "--since", "last"]],
    "backup": [["backup", "out/copy.sqlite"]],
}
# What then runs with the right clock, by the home.
_AFTERWARDS = {
    "vanished": [["sync", "--due"], ["sync", "--quiet", "--from", "in/A.json"],
                 ["sync", "--quiet", "--from", "in/B.json"], ["favorite", "9"]],
    "images": [["sync", "--quiet", "--from", "in/images.json", *_IMAGES],
               ["image", "60", "--allow-private-network", "-o", "out/60.png"],
               ["sync", "--due"], ["favorite", "9"]],
}


class Clocks:
    """Each case is a clock and a command."""

    name = "clocks"

    def __init__(self, scenes):
        self._scenes = scenes

    def cases(self, random):
        cases = [f"clocks/{clock}/{command}/{template}" for clock in _CLOCKS
                 for command in _COMMANDS for template in _AFTERWARDS
                 if template == "images" or command != "killed-image"]
        random.shuffle(cases)
        return cases

    def run(self, case, program, random):
        _, clock, command, template = case.split("/")
        home = self._scenes.copy(template)
        found = []
        try:
            before = read_state(program, home)
            for words in _COMMANDS[command]:
                settings = {"clock": _CLOCKS[clock]()}
                if command == "killed-image":
                    settings["kill"] = f"{random.randint(25, 43)} after"
                found += self._step(program, home, before, words, **settings)
            for words in _AFTERWARDS[template]:
                found += self._step(program, home, before, words)
            # The doctor may tell of what happened in the future.
            found += check_health(program, home, expected=["clock"])
            found += _check_favorites(program, home, before, command)
        except Unreadable as error:
            found.append(str(error))
        finally:
            home.remove()
        return f"clocks {clock}", [f"clock {clock}, {command}: {text}" for text in found]

    @staticmethod
    def _step(program, home, before, words, **settings):
        result = program.run(words, home, **settings)
        name = " ".join(words[:2])
        found = check_ending(result, was_killed="kill" in settings)
        if result.seconds > _MOST_SECONDS:
            found.append("it takes too long")
        if result.code not in (0, -9):
            found.append(f"ends with {result.code}: {one_line(result.errors)}")
        if result.total == 0:
            found.append("nothing was intercepted")
        export = program.run(["export"], home)
        if export.code != 0:
            raise Unreadable(f"{name}: export ends with {export.code}: {one_line(export.errors)}")
        return [f"{name}: {text}" for text in found + _check_history(before, json.loads(export.output))]


def _check_history(before, document):
    """No offer, change or favorite of before is missing; no offer is gone before it appeared."""
    now = state_of(document)
    found = []
    for feed, offers in before.offers.items():
        lost = {offer[0] for offer in offers} - {offer[0] for offer in now.offers.get(feed, ())}
        if lost:
            found.append(f"offers are removed from {feed}")
        if before.changes.get(feed, {}) - now.changes.get(feed, {}):
            found.append(f"changes of {feed} are removed")
    if before.favorites - now.favorites:
        found.append("favorites are lost")
    if any(offer["gone_at"] and offer["gone_at"] < offer["first_seen_at"]
           for offer in document["offers"]):
        found.append("an offer is gone before it appeared")
    return found


def _check_favorites(program, home, before, command):
    """The acknowledged favorites are there at the end."""
    expected = set(before.favorites) | {"ibotta:9"}
    if command == "favorite":
        expected.add("ibotta:7")
    now = read_state(program, home).favorites
    return [] if expected <= now else ["an acknowledged favorite is lost"]
