"""Guesses at tokens, cookies and passphrases, and requests whose session ends before their body."""

import contextlib
import itertools
import socket
import threading
from urllib.parse import quote

_COMMON = ["", "admin", "password", "a" * 16, "0" * 24, "' OR '1'='1", "null", "undefined", "true",
           "*", "%", "a" * 4096, "a" * 60_000, "Bearer", "../token", "\u0000" * 16]
_MANY = 20
_WRITES = [
    ("PUT", "/api/v1/offers/ibotta:2/favorite", "application/json", b"{}"),
    ("POST", "/users", "application/x-www-form-urlencoded", b"name=Mallory&role=admin"),
    ("POST", "/tokens", "application/x-www-form-urlencoded", b"name=late&scope=read&days=30"),
    ("POST", "/sync", "application/x-www-form-urlencoded", b"feed=ibotta"),
    ("POST", "/pairing", "application/x-www-form-urlencoded", b""),
]


class Logins:
    """Each case is a way and its number."""

    name = "logins"

    def __init__(self):
        self._lock = threading.Lock()
        self._peers = itertools.count(1)

    def cases(self, random):
        for number in itertools.count(1):
            way = random.choice(["form", "bearer", "cookie", "bearer", "cookie", "late", "one-peer"])
            yield f"logins/{way}/{number}"

    def run(self, case, targets, random):
        way = case.split("/")[1]
        target = next(target for target in targets if target.token)
        if way in ("late", "one-peer"):
            # One after another: each uses up the waits and the sessions of the one user.
            with self._lock:
                found = self._late(target, random) if way == "late" else self._one_peer(target, random)
        else:
            found = self._check_guess(target, way, random)
        return f"logins, {way}", [f"{way}: {text}" for text in found]

    def _peer(self):
        """An address of a network that no login was from."""
        number = next(self._peers)
        return {"X-Forwarded-For": f"10.{number >> 8 & 255}.{number & 255}.1"}

    @staticmethod
    def _guess_passphrase(target, name, passphrase, fields):
        body = f"name={quote(name, safe='')}&passphrase={quote(passphrase, safe='')}&next=/".encode()
        return target.send("POST", "/login", {**target.form, **fields}, body)

    def _log_in(self, target):
        """Logs in by the right passphrase, in a browser that the server knows."""
        fields = {**self._peer(), "Cookie": target.browser}
        return self._guess_passphrase(target, "ana", target.passphrase, fields)

    def _check_guess(self, target, way, random):
        guess = self._guess(target.passphrase if way == "form" else target.token, random)
        printable = "".join(c if " " <= c < "\x7f" else "x" for c in guess)[:7000]
        if way == "form":
            answer = self._guess_passphrase(target, random.choice(["ana", "nobody"]), guess, self._peer())
        elif way == "bearer":
            scheme = random.choice(["Bearer", "bearer", "Basic", "Bearer  ", ""])
            answer = target.send("GET", "/api/v1/favorites",
                                 {**self._peer(), "Authorization": f"{scheme} {printable}"})
        else:
            name = random.choice(["offers-session", "__Host-offers-session", "session"])
            answer = target.send("GET", "/api/v1/favorites",
                                 {**self._peer(), "Cookie": f"{name}={printable}"})
        found = target.check_answer(answer)
        if answer:
            status, fields, _ = answer
            if status < 400:
                found.append(f"a guess gets {status}")
            if status == 429 and not fields.get("Retry-After", "").isdigit():
                found.append("429 without Retry-After")
        return found

    @staticmethod
    def _guess(secret, random):
        near = [secret[:-1], secret + "x", secret.swapcase(), secret[::-1], secret[1:], secret + "\0",
                secret[:-1] + chr(ord(secret[-1]) ^ 1)]
        length = random.randint(16, 40)
        return random.choice([*_COMMON, *near, *(random.randbytes(length).hex() for _ in range(20))])

    def _one_peer(self, target, random):
        """Many guesses of one peer are made to wait; a browser that has logged in before is not."""
        peer = self._peer()
        statuses = {answer[0] for _ in range(_MANY)
                    if (answer := self._guess_passphrase(target, "ana", str(random.random()), peer))}
        found = [] if 429 in statuses else [f"none of {_MANY} guesses has to wait: {statuses}"]
        if statuses & {200, 303}:
            found.append("a guess gets in")
        return found + self._check_right(target)

    def _check_right(self, target):
        """The right passphrase gets in; its session has safe attributes, and ends with the logout."""
        answer = self._log_in(target)
        if not answer or answer[0] != 303:
            return [f"the right passphrase gets {answer and answer[0]}"]
        cookie = answer[1].get("Set-Cookie", "")
        found = [f"a session cookie without {word}" for word in ["HttpOnly", "SameSite", "Path=/"]
                 if word not in cookie]
        pair = {"Cookie": cookie.split(";")[0]}
        answer = target.send("GET", "/api/v1/favorites", pair)
        if not answer or answer[0] != 200:
            found.append(f"a session gets {answer and answer[0]}")
        target.send("POST", "/logout", {**target.form, **pair}, b"")
        answer = target.send("GET", "/api/v1/favorites", pair)
        if not answer or answer[0] == 200:
            found.append("a session is valid after its logout")
        return found

    def _late(self, target, random):
        """A body that comes after the session of its head has ended."""
        answer = self._log_in(target)
        if not answer or answer[0] != 303:
            return [f"the right passphrase gets {answer and answer[0]}"]
        pairs = [value.split(";")[0] for value in answer[1].get_all("Set-Cookie")]
        session = {**target.form, "Cookie": "; ".join(pairs)}
        method, path, kind, body = random.choice(_WRITES)
        fields = {"Host": target.host, **session, "Content-Type": kind,
                  "Content-Length": str(len(body) + 1), "Connection": "close"}
        head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        received = b""
        with contextlib.suppress(OSError):
            with socket.create_connection(("127.0.0.1", target.server.port), 15) as connection:
                connection.sendall(f"{head}\r\n".encode() + body)
                # Both are answered after the head was read, or nearly so.
                target.send("GET", "/api/v1/favorites", session)
                target.send("POST", "/logout", session, b"")
                connection.sendall(b" ")
                while piece := connection.recv(65_536):
                    received += piece
        status = received[9:12].decode(errors="replace")
        return [] if status == "401" else [f"{method} {path} gets {status or 'nothing'} after the logout"]
