"""The campaign of attacks on a running server, and on the commands by feeds and files."""


from .clients import Clients
from .hostile import Feeds, Files
from .logins import Logins
from .report import run_parts
from .requests import Requests
from .scenes import Scenes
from .server import Loop
from .target import Target

# The feeds come last: a case of theirs may take minutes, which would be taken from the other parts.
PARTS = ["requests", "clients", "logins", "files", "feeds"]
_SHARES = [30, 20, 15, 10, 25]
# The bounds of the server while it is attacked.
_MOST_GROWTH_BYTES = 192 << 20
_MOST_P99_SECONDS = 2.5


def run(program, report, seconds, case=None, only=None, jobs=None):
    """Runs all parts, or one case."""
    program.build_shims()
    scenes = Scenes(program, only=())
    feeds = Feeds(program, scenes)
    targets = []
    try:
        targets += [Target(program, scenes, is_guarded) for is_guarded in (True, False)]
        # The first answers allocate what later ones use.
        for target in targets:
            target.send("GET", "/", {**target.credentials, "Accept": "text/html"})
        starts = [target.server.memory() for target in targets]
        watches = [_Watch(target) for target in targets]
        parts = [Requests(), Clients(), Logins(), Files(program, scenes), feeds]
        run_parts(list(zip(parts, _SHARES)), targets, report, seconds, case, only, jobs)
        for target, start, watch in zip(targets, starts, watches):
            watch.end()
            watch.join()
            report.add("server", target.name, _check_server(target, start, watch) + target.end())
    finally:
        for target in targets:
            target.end()
        feeds.close()
        scenes.close()


class _Watch(Loop):
    """A well-behaved client that asks for a page of offers again and again, while others attack."""

    def __init__(self, target):
        super().__init__(0.05, self._ask)
        self._target = target
        self.start()

    def _ask(self):
        answer = self._target.send("GET", "/api/v1/offers?limit=20", self._target.credentials)
        return answer and answer[0]


def _check_server(target, start, watch):
    """The server's memory and its answers to a good client stayed within bounds."""
    seconds = sorted(ended - begun for begun, ended, _ in watch.runs) or [0]
    p99 = seconds[min(len(seconds) - 1, int(len(seconds) * 0.99))]
    peak = target.server.memory("VmHWM")
    print(f"server {target.name}: memory {start >> 20} MB, at most {peak >> 20} MB; "
          f"{len(watch.runs)} answers to a good client, p99 {p99 * 1000:.0f} ms")
    found = []
    if peak - start > _MOST_GROWTH_BYTES:
        found.append("its memory grows past the bound")
    if p99 > _MOST_P99_SECONDS:
        found.append("a good client waits past the bound")
    if (statuses := {status for *_, status in watch.runs}) != {200}:
        found.append(f"a good client gets {statuses}")
    return found
