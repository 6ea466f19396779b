"""The monitor of the write guard: under every command, alone and several at once, no write of the
database or its log happens outside of the guard."""

from concurrent.futures import ThreadPoolExecutor

from .checks import check_ending, check_guard
from .home import one_line

_READING = [
    ["list"], ["list", "--favorites", "--json"], ["search", "offer"], ["search"], ["show", "7"],
    ["history", "7"], ["changes"], ["status"], ["feeds"], ["feeds", "show", "ibotta"],
    ["feeds", "check", "ibotta"], ["cache"], ["export"], ["doctor"], ["schedule", "show"],
    ["prune", "--dry-run"], ["sync", "--dry-run", "--from", "in/B.json"], ["image", "7"],
    ["feeds", "guess", "in/tea.json"], ["open", "7"],
]
_TOGETHER = 4


class Guard:
    """Each case is a command, or several commands at once on one database."""

    name = "guard"

    def __init__(self, scenes):
        self._scenes = scenes

    def cases(self, random):
        alone = [f"guard/alone/{number}" for number in range(len(_READING))]
        alone += [f"guard/scene/{scene.name}" for scene in self._scenes.all]
        together = [f"guard/together/{number}" for number in range(20)]
        random.shuffle(together)
        return alone + together

    def run(self, case, program, random):
        _, way, which = case.split("/")
        home = self._scenes.copy("images")
        try:
            if way == "alone":
                commands = [_READING[int(which)]]
            elif way == "scene":
                home.remove()
                home = self._scenes.home(self._scenes[which])
                commands = [self._scenes[which].arguments]
            else:
                lists = [scene.arguments for scene in self._scenes.all
                         if scene.arguments[0] not in ("restore", "feeds")]
                commands = random.sample(lists, _TOGETHER)
            with ThreadPoolExecutor(len(commands)) as pool:
                results = list(pool.map(lambda words: program.run(words, home), commands))
            found = []
            for words, result in zip(commands, results):
                texts = check_guard(result) + check_ending(result)
                if way == "together" and result.code not in (0, 11):
                    texts.append(f"ends with {result.code}: {one_line(result.errors)}")
                found += [f"{' '.join(words)}: {text}" for text in texts]
            if sum(result.total for result in results) == 0 and which != "14":
                found.append(f"{commands}: nothing was intercepted")
            return "guard", found
        finally:
            home.remove()
