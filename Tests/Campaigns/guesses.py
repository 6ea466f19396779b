"""Guesses at the login: tokens, cookies and forged peers. None gets in, and the right token does."""

import threading
from urllib.parse import quote

_COMMON = ["", "admin", "password", "a" * 16, "0" * 24, "' OR '1'='1", "null", "undefined", "true",
           "*", "%", "a" * 4096, "a" * 60_000, "Bearer", "../token", "\u0000" * 16]

_MANY = 60


class Guesses:
    """Each case is the number of a random guess."""

    name = "guesses"

    def __init__(self):
        self._lock = threading.Lock()
        self._guess_count = 0
        self._waits = 0

    def cases(self, random):
        number = 0
        while True:
            number += 1
            yield f"guesses/{number}"

    def run(self, case, targets, random):
        target = next(target for target in targets if target.token)
        way = random.choice(["form", "bearer", "cookie", "form", "right"])
        if way == "right":
            return "guesses, the right token", self._check_right(target, random)
        guess = self._guess(target, random)
        fields = {"X-Forwarded-For": f"10.0.0.{random.randrange(256)}"} if random.random() < 0.3 else {}
        printable = "".join(c if " " <= c < "\x7f" else "x" for c in guess)[:7000]
        if way == "form":
            fields |= {"Content-Type": "application/x-www-form-urlencoded",
                       "Origin": f"http://{target.host}"}
            answer = target.send("POST", "/login", fields, f"token={quote(guess, safe='')}".encode())
        elif way == "bearer":
            scheme = random.choice(["Bearer", "bearer", "Basic", "Bearer  ", ""])
            answer = target.send(
                "GET", "/api/v1/favorites", {**fields, "Authorization": f"{scheme} {printable}"})
        else:
            name = random.choice(["offers-session", "__Host-offers-session", "session"])
            answer = target.send("GET", "/api/v1/favorites", {**fields, "Cookie": f"{name}={printable}"})
        found = target.check_answer(answer)
        if answer:
            status, fields, _ = answer
            if status < 400:
                found.append(f"a guess gets {status}")
            if "session=" in fields.get("Set-Cookie", "").lower() and status < 400:
                found.append("a guess gets a session")
            if way != "cookie":
                with self._lock:
                    self._guess_count += 1
                    self._waits += status == 429
            if status == 429 and not fields.get("Retry-After", "").isdigit():
                found.append("429 without Retry-After")
        return f"guesses, {way}", [f"{way}: {text}" for text in found]

    def finish(self, report):
        """Many guesses of one peer are made to wait, whatever peers they forge."""
        if self._guess_count < _MANY:
            return
        found = [] if self._waits else [f"none of {self._guess_count} guesses has to wait"]
        report.add("guesses, waits", "guesses", found)

    @staticmethod
    def _guess(target, random):
        token = target.token
        near = [token[:-1], token + "x", token.swapcase(), token[::-1], token[1:], token + "\0",
                " " + token[:-1], token[:-1] + chr(ord(token[-1]) ^ 1)]
        length = random.randint(16, 40)
        return random.choice([*_COMMON, *near, *(random.randbytes(length).hex() for _ in range(20))])

    @staticmethod
    def _check_right(target, random):
        """The right token gets in; its session has safe attributes, and ends with the logout."""
        found = []
        answer = target.send("GET", "/api/v1/favorites", target.credentials)
        if not answer or answer[0] != 200:
            return [f"the right token gets {answer and answer[0]}"]
        if random.random() > 0.2:
            return found
        form = {"Content-Type": "application/x-www-form-urlencoded",
                "Origin": f"http://{target.host}"}
        answer = target.send("POST", "/login", form, f"token={quote(target.token)}".encode())
        if not answer or answer[0] != 303:
            return [f"a login with the right token gets {answer and answer[0]}"]
        cookie = answer[1].get("Set-Cookie", "")
        found += [f"a session cookie without {word}" for word in ["HttpOnly", "SameSite", "Path=/"]
                  if word not in cookie]
        pair = {"Cookie": cookie.split(";")[0]}
        answer = target.send("GET", "/api/v1/favorites", pair)
        if not answer or answer[0] != 200:
            found.append(f"a session gets {answer and answer[0]}")
        target.send("POST", "/logout", {**form, **pair}, b"")
        answer = target.send("GET", "/api/v1/favorites", pair)
        if not answer or answer[0] == 200:
            found.append("a session is valid after its logout")
        return found
