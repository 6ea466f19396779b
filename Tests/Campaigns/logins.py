"""Logins: bodies that come after the login has ended, a full queue, a passphrase changed meanwhile."""

import concurrent.futures
import contextlib
import http.client
import socket
import subprocess
import threading
from urllib.parse import quote

from .program import Control
from .server import RunningServer

_FIRST = "seven green trams"
_STRANGERS = 64
_NOT_IN = (401, 403, 429, 503)
_WRITES = [
    ("PUT", "/api/v1/offers/ibotta:2/favorite", "application/json", b"{}"),
    ("POST", "/users", "application/x-www-form-urlencoded", b"name=Mallory&role=admin"),
    ("POST", "/tokens", "application/x-www-form-urlencoded", b"name=late&scope=read&days=30"),
    ("POST", "/sync", "application/x-www-form-urlencoded", b"feed=ibotta"),
    ("POST", "/pairing", "application/x-www-form-urlencoded", b""),
]


class Logins:
    """Each case is a way to attack the logins of a server of its own, and its number."""

    name = "logins"

    def __init__(self, program, scenes):
        self._program = program
        self._scenes = scenes
        self._lock = threading.Lock()
        self._home = None

    def close(self):
        if self._home:
            self._server.end()
            self._control.close()
            self._home.remove()

    def cases(self, random):
        number = 0
        while True:
            for way in ["late", "late", "late", "queue", "changed"]:
                number += 1
                yield f"logins/{way}/{number}"

    def run(self, case, targets, random):
        way = case.split("/")[1]
        # One after another: each uses up the waits and the sessions of the one user.
        with self._lock:
            if not self._home:
                self._begin()
            found = getattr(self, f"_{way}")(random)
        return f"logins, {way}", [f"{way}: {text}" for text in found]

    def _begin(self):
        self._home = self._scenes.copy("base")
        self._control = Control(self._program.scratch)
        self._call("user", "add", "ana", "--role", "admin")
        self._passphrase = _FIRST
        self._call("user", "passphrase", "ana", text=_FIRST)
        self._server = RunningServer(
            self._program, self._home, self._control, "--trusted-proxy", "127.0.0.1")
        self._count = 0

    def _call(self, *words, text=""):
        result = subprocess.run(
            [self._program.path, *words], cwd=self._home.folder, input=text + "\n",
            env=self._program.environment(self._home, {}, self._control), capture_output=True, text=True,
            check=False)
        if result.returncode != 0:
            raise SystemExit(f"soak: offers {' '.join(words)}: {result.stderr}")

    def _fields(self, peer=None, cookie=None, kind="application/x-www-form-urlencoded"):
        fields = {"Host": f"127.0.0.1:{self._server.port}", "Content-Type": kind,
                  "Origin": f"http://127.0.0.1:{self._server.port}"}
        if peer:
            fields["X-Forwarded-For"] = peer
        if cookie:
            fields["Cookie"] = cookie
        return fields

    def _send(self, method, path, fields, body=None):
        """Sends a request; returns the status and the cookies, or None if the connection was closed."""
        connection = http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=60)
        try:
            connection.request(method, path, body, fields)
            answer = connection.getresponse()
            answer.read()
            pairs = [value.split(";")[0] for value in answer.headers.get_all("Set-Cookie") or []]
            return answer.status, "; ".join(pairs)
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def _log_in(self, name, passphrase, peer):
        body = f"name={quote(name)}&passphrase={quote(passphrase)}&next=/".encode()
        return self._send("POST", "/login", self._fields(peer), body)

    def _peer(self):
        """An address of a network that no login was from."""
        self._count += 1
        return f"10.{self._count >> 8 & 255}.{self._count & 255}.1"

    def _late(self, random):
        """A body that comes after the session of its head has ended."""
        answer = self._log_in("ana", self._passphrase, self._peer())
        if not answer or answer[0] != 303:
            return [f"the right passphrase gets {answer and answer[0]}"]
        cookie = answer[1]
        method, path, kind, body = random.choice(_WRITES)
        head = f"{method} {path} HTTP/1.1\r\nContent-Length: {len(body) + 1}\r\nConnection: close\r\n"
        head += "".join(f"{name}: {value}\r\n"
                        for name, value in self._fields(None, cookie, kind).items())
        received = b""
        with contextlib.suppress(OSError):
            with socket.create_connection(("127.0.0.1", self._server.port), 15) as connection:
                connection.sendall(f"{head}\r\n".encode() + body)
                # Both are answered after the head was read, or nearly so.
                self._send("GET", "/api/v1/favorites", {**self._fields(None, cookie)})
                self._send("POST", "/logout", self._fields(None, cookie), b"")
                connection.sendall(b" ")
                while piece := connection.recv(65_536):
                    received += piece
        status = received[9:12].decode(errors="replace")
        return [] if status == "401" else [f"{method} {path} gets {status} after the logout"]

    def _queue(self, random):
        """Strangers in many networks, and one user in another."""
        peers = [self._peer() for _ in range(_STRANGERS)]
        own = self._peer()
        with concurrent.futures.ThreadPoolExecutor(_STRANGERS + 1) as pool:
            guesses = [pool.submit(self._log_in, f"nobody{peer}", "guess", peer) for peer in peers]
            answer = pool.submit(self._log_in, "ana", self._passphrase, own).result()
            statuses = [guess.result() for guess in guesses]
        found = [f"a guess gets {status[0]}" for status in statuses
                 if status and status[0] not in _NOT_IN]
        if not answer or answer[0] != 303:
            found.append(f"the right passphrase gets {answer and answer[0]} among strangers")
        return found

    def _changed(self, random):
        """A login that waits while its passphrase is changed: no session outlives the change."""
        old, self._passphrase = self._passphrase, f"{_FIRST} {random.randrange(1 << 30)}"
        peers = [self._peer() for _ in range(16)]
        own = self._peer()
        with concurrent.futures.ThreadPoolExecutor(len(peers) + 1) as pool:
            guesses = [pool.submit(self._log_in, f"nobody{peer}", "guess", peer) for peer in peers]
            login = pool.submit(self._log_in, "ana", old, own)
            self._call("user", "passphrase", "ana", text=self._passphrase)
            answer = login.result()
            for guess in guesses:
                guess.result()
        if not answer or answer[0] != 303:
            return []
        status = self._send("GET", "/api/v1/favorites", self._fields(None, answer[1]))
        return [] if status and status[0] == 401 else ["a session by the passphrase of before goes on"]
