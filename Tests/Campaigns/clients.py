"""Clients that misbehave: slow, idle, many, never reading, costly, and such that send no proper HTTP."""

import contextlib
import itertools
import socket
import time

from .target import REPEATED

_IDLE_COUNT = 300
_FLOOD_COUNT = 400
_UNREAD_BYTES = 4 << 20
_MOST_HEAD_SECONDS = 75
_MOST_READ_SECONDS = 2
# The deadline of a read, and what its answer takes besides.
_MOST_SEARCH_SECONDS = 7
# Searches that are costly for a store.
_SEARCHES = [REPEATED, f"{REPEATED[:-1]}", f"{REPEATED}+{REPEATED}-{REPEATED}", f"a+{REPEATED}",
             "-".join(["a"] * 49), "-".join(["a"] * 3500), "+".join([REPEATED] * 1000)]


def _malformed(host):
    get = b"GET /api/v1/health HTTP/1.1\r\nHost: " + host + b"\r\n"
    post = b"POST /login HTTP/1.1\r\nHost: " + host + b"\r\n"
    smuggled = b"GET /api/v1/offers HTTP/1.1\r\nHost: " + host + b"\r\n\r\n"
    return [
        b"\0" * 500, b"\r\n" * 2000, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\0\1\0",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET  /  HTTP/1.1\r\n\r\n", get[:-2], get + b": x\r\n\r\n",
        get + b"A" * 40_000 + b": x\r\n\r\n", get + b"X: " + b"a" * 40_000 + b"\r\n\r\n",
        get + b"X: y\r\n" * 500 + b"\r\n", get + b"Host: other\r\n\r\n", get + b"X\0Y: z\r\n\r\n",
        get + b"X: a\rb\r\n\r\n", get + b" folded\r\n\r\n", b"GET http://[::1 HTTP/1.1\r\n\r\n",
        b"CONNECT evil:1 HTTP/1.1\r\nHost: evil\r\n\r\n", b"TRACE / HTTP/1.1\r\nHost: " + host + b"\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n", b"GET /\xff\xfe\x80 HTTP/1.1\r\nHost: " + host + b"\r\n\r\n",
        post + b"Content-Length: -1\r\n\r\n", post + b"Content-Length: 1e3\r\n\r\n",
        post + b"Content-Length: 99999999999999999999\r\n\r\n",
        post + b"Content-Length: 5\r\nContent-Length: 50\r\n\r\n" + smuggled,
        post + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
        post + b"Transfer-Encoding: xchunked\r\n\r\n" + smuggled,
        post + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n",
        post + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n", post + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        post + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + smuggled,
        post + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + smuggled,
        post + b"Expect: 100-continue\r\nContent-Length: 999999999\r\n\r\n",
        get + b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n", get + b"Upgrade: h2c\r\n\r\n",
    ]


class Clients:
    """Each case is a way to misbehave, and its number."""

    name = "clients"

    def cases(self, random):
        for number in itertools.count(1):
            way = random.choice(["slow", "idle", "flood", "unread", "searches"]) if number % 3 == 0 else "malformed"
            yield f"clients/{'held' if number % 100 == 50 else way}/{number}"

    def run(self, case, targets, random):
        way = case.split("/")[1]
        target = random.choice(targets)
        found = getattr(self, f"_{way}")(target, random) or []
        # Whatever a client did, the next one is served.
        found += target.check_served("afterwards")
        return f"clients, {way}", [f"{way}: {text}" for text in found]

    @staticmethod
    def _searches(target, random):
        """Costly searches whose clients do not wait for the answers, and one that does."""
        path = random.choice(["/search", "/api/v1/search"]) + f"?q={random.choice(_SEARCHES)}"
        fields = "".join(f"{name}: {value}\r\n" for name, value in target.credentials.items())
        request = f"GET {path} HTTP/1.1\r\nHost: {target.host}\r\n{fields}\r\n".encode()
        for _ in range(4):
            with contextlib.suppress(OSError):
                with socket.create_connection(("127.0.0.1", target.server.port), 5) as connection:
                    connection.sendall(request)
                    time.sleep(0.2)
        found = []
        for what, read, most in [
                ("another read", f"/api/v1/offers?limit={random.randint(1, 500)}", _MOST_READ_SECONDS),
                (path[:40], path, _MOST_SEARCH_SECONDS)]:
            begun = time.monotonic()
            answer = target.send("GET", read, target.credentials)
            seconds = time.monotonic() - begun
            if answer is None or seconds > most:
                found.append(f"{what} takes {seconds:.1f} s after {path[:40]}")
        return found

    @staticmethod
    def _malformed(target, random):
        data = random.choice(_malformed(target.host.encode()))
        if random.random() < 0.4:
            mutated = bytearray(data)
            for _ in range(random.randint(1, 4)):
                mutated[random.randrange(len(mutated))] = random.randrange(256)
            data = bytes(mutated)
        received = target.exchange(data)
        found = []
        if b" 500 " in received[:20]:
            found.append(f"status 500 for {data[:80]!r}")
        if received.count(b"HTTP/1.1 200") and b"GET /api/v1/offers" in data:
            found.append(f"a smuggled request is answered: {data[:120]!r}")
        found += [f"it discloses {place} for {data[:80]!r}"
                  for place, secret in enumerate(target.secrets()) if secret.encode() in received]
        return found

    @staticmethod
    def _connect(target, stack, receives=None):
        connection = socket.socket()
        if receives:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        connection.settimeout(5)
        stack.enter_context(contextlib.closing(connection))
        connection.connect(("127.0.0.1", target.server.port))
        return connection

    def _slow(self, target, random):
        """Heads and bodies that arrive byte by byte."""
        data = random.choice([
            b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: " + b"a" * 100,
            b"POST /login HTTP/1.1\r\nHost: " + target.host.encode() + b"\r\nContent-Length: 90\r\n\r\n"
            + b"a" * 80])
        with contextlib.ExitStack() as stack:
            connections = [self._connect(target, stack) for _ in range(30)]
            for place in range(0, 60, 6):
                for connection in connections:
                    with contextlib.suppress(OSError):
                        connection.send(data[place:place + 6])
                time.sleep(0.02)

    def _held(self, target, random):
        """Heads that never end: the server closes their connections after its documented 60 s."""
        with contextlib.ExitStack() as stack:
            connections = [self._connect(target, stack) for _ in range(50)]
            begun = time.monotonic()
            for connection in connections:
                connection.settimeout(_MOST_HEAD_SECONDS)
                connection.send(b"GET / HTTP/1.1\r\nX-Held: ")
            for connection in connections:
                left = _MOST_HEAD_SECONDS - (time.monotonic() - begun)
                connection.settimeout(max(left, 0.01))
                try:
                    while connection.recv(4096):
                        pass
                except TimeoutError:
                    return ["a head without an end is waited for without an end"]
                except OSError:
                    pass
        return []

    def _idle(self, target, random):
        with contextlib.ExitStack() as stack:
            for _ in range(_IDLE_COUNT):
                with contextlib.suppress(OSError):
                    self._connect(target, stack)
            return target.check_served("meanwhile")

    def _flood(self, target, random):
        """Connections that come and go, some in the middle of a request."""
        for number in range(_FLOOD_COUNT):
            with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
                connection = self._connect(target, stack)
                if number % 3 == 1:
                    connection.send(b"GET / HTTP/1.1\r\nHost: " + target.host.encode() + b"\r\n\r\n")
                elif number % 3 == 2:
                    connection.send(b"POST /api/v1/sync HTTP/1.1\r\nContent-Le")
        return target.check_served("meanwhile")

    def _unread(self, target, random):
        """Requests whose answers are never read."""
        request = b"GET /api/v1/offers HTTP/1.1\r\nHost: " + target.host.encode() + b"\r\n"
        if target.token:
            request += b"Authorization: Bearer " + target.token.encode() + b"\r\n"
        with contextlib.ExitStack() as stack:
            for _ in range(4):
                connection = self._connect(target, stack, receives=4096)
                connection.settimeout(0.3)
                with contextlib.suppress(OSError):
                    connection.sendall((request + b"\r\n") * (_UNREAD_BYTES // len(request)))
            return target.check_served("meanwhile")
