"""Faults of a server amid stars: kills, failing writes, and a disk that fills and gets room again."""

import errno
import http.client
import threading
from urllib.parse import quote

from .checks import check_health
from .home import Unreadable, one_line, read_state
from .program import EXIT_CODES, KINDS, Control, Result
from .server import RunningServer

_WRITER_COUNT = 3


class Served:
    """Each case is a fault and the number of the call at which it begins."""

    name = "served"

    def __init__(self, scenes):
        self._scenes = scenes

    def cases(self, random):
        """Endless: random faults."""
        while True:
            way = random.choice(["kill", "kill", "kill", "room", "fail"])
            if way == "kill":
                yield f"served/kill/{random.randint(8, 600)}/{random.choice(['after', 'torn'])}"
            elif way == "room":
                yield f"served/room/{random.randrange(0, 60_000, 512)}/bytes"
            else:
                kind = random.choice(["write", "sync", "truncate"])
                yield f"served/fail/{random.randint(1, 60)}/{kind}"

    def run(self, case, program, random):
        _, way, number, detail = case.split("/")
        home = self._scenes.copy("base")
        control = Control(program.scratch, int(number) if way == "room" else 0)
        settings = {"kill": f"{number} {detail}"} if way == "kill" else {"room": 1}
        if way == "fail":
            settings = {"fail": f"{KINDS.index(detail)} {number} {errno.EIO} once"}
        server = None
        try:
            before = read_state(program, home).favorites
            server = RunningServer(program, home, control, **settings)
            asked, acknowledged = self._star(server)
            found = []
            if way == "room":
                found += self._check_full(server, control, acknowledged, asked)
            if way == "kill":
                server.process.kill()
                server.process.wait()
            else:
                found += self._check_end(server)
            total = control.values()[0]
            program.note(["serve"], Result(0, "", "", 0, {}, total, control.values()[3]))
            if total == 0:
                found.append("nothing was intercepted")
            found += self._check_after(program, home, before, asked, acknowledged)
            return f"served {way}", [f"serve, {way}: {text}" for text in found]
        finally:
            if server and server.process.poll() is None:
                server.process.kill()
                server.process.wait()
            control.close()
            home.remove()

    @staticmethod
    def _check_end(server):
        """A server that began ends cleanly; one that could not begin says why."""
        code = server.end()
        if server.port is not None:
            return [] if code == 0 else [f"the server ends with {code}"]
        if code in EXIT_CODES and any(line.startswith("offers: ") for line in server.errors):
            return []
        return [f"it could not begin, and ends with {code}: {one_line(' '.join(server.errors))}"]

    @staticmethod
    def _star(server):
        """Stars offers from several threads until the server has died or all are starred."""
        asked, acknowledged = set(), set()

        def work(writer):
            for number in range(4 + writer, 56, _WRITER_COUNT):
                ref = f"ibotta:{number}"
                asked.add(ref)
                try:
                    status, _ = server.ask("PUT", f"/api/v1/offers/{quote(ref)}/favorite")
                except (OSError, http.client.HTTPException):
                    if server.process.poll() is not None:
                        return
                    continue
                if status == 200:
                    acknowledged.add(ref)

        if server.port is not None:
            threads = [threading.Thread(target=work, args=[writer]) for writer in range(_WRITER_COUNT)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        return asked, acknowledged

    @staticmethod
    def _check_full(server, control, acknowledged, asked):
        """A server on a full disk still answers reads, and writes again once there is room."""
        if server.port is None:
            return [] if server.errors else ["it did not start, and said nothing"]
        found = []
        status, _ = server.ask("GET", "/api/v1/favorites")
        if status != 200:
            found.append(f"on a full disk it answers a read with {status}")
        control.set_room(1 << 40)
        status, body = server.ask("PUT", "/api/v1/offers/ibotta%3A2/favorite")
        asked.add("ibotta:2")
        if status == 200:
            acknowledged.add("ibotta:2")
        else:
            found.append(f"with room again, a star gets {status}: {one_line(body.decode())}")
        return found

    @staticmethod
    def _check_after(program, home, before, asked, acknowledged):
        try:
            now = read_state(program, home).favorites
        except Unreadable as error:
            return [str(error)]
        found = []
        if (before | acknowledged) - now:
            found.append("an acknowledged favorite is lost")
        if now - before - asked:
            found.append("a favorite that nobody asked for")
        result = program.run(["favorite", "55"], home)
        if result.code != 0:
            found.append(f"a favorite then fails: {one_line(result.errors)}")
        repair = program.run(["doctor", "--repair"], home)
        if repair.code != 0:
            found.append(f"the repair fails: {one_line(repair.errors)}")
        return found + check_health(program, home)
