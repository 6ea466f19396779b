"""What is attacked: a server with hostile texts and secrets, and what no answer of it may contain."""

import html.parser
import json
import re
import secrets
import socket
from urllib.parse import quote

from .program import Control
from .server import Server

MARK = "attack1"
"""Stands in every hostile text: a page that runs it, or has it as an attribute, is injected."""
REPEATED = "pasta"
"""A word that some offers repeat as often as they may."""
PRIVATE = "Tea of the house"
"""A name that only a user may see."""

TEXTS = [
    f"<script>{MARK}()</script>", f"<img src=x onerror={MARK}()>", f"\" onmouseover=\"{MARK}()",
    f"'><svg/onload={MARK}()>", f"</title></textarea></style><script>{MARK}()</script>",
    f"{{{{{{{MARK}}}}}}} {{{{#cards}}}}<script>{MARK}()</script>", f"javascript:{MARK}()",
    f"\"\u0301 onfocus={MARK}() x=\"\u0301", f"<\u0338script>{MARK}()</script>",
    f"\u202e\u2066\u202dtxet {MARK}\u200f\u061c", f"\x1b]0;{MARK}\x07\x1b[31m\x9b31m\x7f",
    f"--><script>{MARK}()</script><!--", f"]]><script>{MARK}()</script>",
    f"${{{MARK}}} $({MARK}) `{MARK}` '; DROP TABLE offer; --", f"%3Cscript%3E{MARK}()%3C/script%3E",
    f"&lt;script&gt;{MARK}()&lt;/script&gt;", f"+ADw-script+AD4-{MARK}()+ADw-/script+AD4-",
    f"\r\nX-Injected: {MARK}\r\n\r\n<script>{MARK}()</script>", "W" * 5000, "Z" + "\u0300" * 400,
]


def hostile_offers():
    """Offers whose texts are attacks in every field."""
    offers = []
    for number, text in enumerate(TEXTS, 1):
        offers.append({
            "id": str(number), "name": text, "description": text, "terms": text,
            "current_value": text, "url": f"http://127.0.0.1:1/{number}.png?\"'><x onload={MARK}()>",
            "link": f"javascript:{MARK}()", "retailer": text, "categories": [text, text[:40]]})
    offers.append({"id": f"x/../<script>{MARK}()</script>?a#b", "name": PRIVATE,
                   "current_value": "$1.00"})
    return offers


def repeating_offers():
    """Offers whose texts are as long as allowed, and have the same few words again and again."""
    return [{"id": f"r{number}", "name": f"{REPEATED} {number}", "current_value": "$1.00",
             "description": f"{REPEATED} " * 42_000, "terms": "a " * 130_000,
             "categories": [f"{REPEATED} " * 170] * 250} for number in range(6)]


class _Reader(html.parser.HTMLParser):
    """Finds scripts, handlers and addresses in a page that a text of a feed has brought in."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.found = []
        self._tag = ""

    def handle_starttag(self, tag, attributes):
        self._tag = tag
        for name, value in attributes:
            value = value or ""
            if name.startswith("on") and MARK in value or MARK in name:
                self.found.append(f"the attribute {name} of <{tag}>")
            address = re.sub(r"[\x00-\x20]", "", value).lower()
            if name in ("href", "src", "action", "formaction") and re.match(
                    r"(javascript|vbscript|data:text)", address):
                self.found.append(f"{name}={address[:20]} of <{tag}>")
        if MARK in tag:
            self.found.append(f"the tag {tag}")

    def handle_data(self, data):
        if self._tag in ("script", "style") and MARK in data:
            self.found.append(f"the text of <{self._tag}>")

    def handle_endtag(self, tag):
        self._tag = ""


class Target:
    """A home with hostile offers, and its server: a guarded one, which has two users, or one that asks for
    no login."""

    passphrase = "seven green trams"

    def __init__(self, program, scenes, is_guarded):
        self.program = program
        self.name = "with a login" if is_guarded else "without a login"
        self.home = scenes.copy("base")
        self.header_secret = secrets.token_hex(12)
        self.home.write("in/hostile.json", json.dumps(hostile_offers() + repeating_offers()))
        self.home.write("in/feeds.yaml", (
            "feeds:\n  own:\n    source: http://127.0.0.1:1/own.json\n"
            f"    headers: {{X-Key: {self.header_secret}}}\n    id: id\n    fields: {{name: name}}\n"))
        self.home.variables["OFFERS_CONFIG"] = self.home.file("in/feeds.yaml")
        self._call("sync", "--quiet", "--accept-removals", "--from", "in/hostile.json")
        self.token = None
        if is_guarded:
            self._call("user", "add", "ana", "--role", "admin")
            self._call("user", "passphrase", "ana", text=self.passphrase)
            self.token = self._call("token", "add", "campaign", "--scope", "admin", "--expires", "1d").strip()
        self._control = Control(program.scratch)
        self.server = Server(program, self.home, "--trusted-proxy", "127.0.0.1", control=self._control)
        self.browser = self._log_in_once() if is_guarded else ""
        """The cookie by which the server knows a browser in which the user has logged in before."""

    def _log_in_once(self):
        answer = self.send("POST", "/login", self.form, f"name=ana&passphrase={quote(self.passphrase)}".encode())
        pairs = [value.split(";")[0] for value in answer[1].get_all("Set-Cookie")] if answer else []
        return next(pair for pair in pairs if "offers-browser=" in pair)

    def _call(self, *words, text=""):
        code, output, errors = self.program.run_plainly(list(words), self.home, text + "\n")
        if code != 0:
            raise SystemExit(f"soak: offers {' '.join(words)}: {errors}")
        return output

    @property
    def host(self):
        return f"127.0.0.1:{self.server.port}"

    @property
    def credentials(self):
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    @property
    def form(self):
        """The fields of a form that a page of the server sends."""
        return {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"http://{self.host}"}

    def secrets(self):
        """Texts that no answer may contain."""
        found = [self.header_secret, "root:x:", "Fatal error", ".swift:", self.passphrase]
        return found + ([self.token] if self.token else [])

    def send(self, method, path, fields=None, body=None):
        """Sends a request; returns the status, the fields and the body, or None if it was closed."""
        return self.server.ask(method, path, fields, body)

    def exchange(self, data, timeout=15):
        """Sends bytes and reads what comes back, up to 1 MiB, until the server closes."""
        received = b""
        try:
            with socket.create_connection(("127.0.0.1", self.server.port), timeout) as connection:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                while len(received) < 1 << 20 and (piece := connection.recv(65_536)):
                    received += piece
        except OSError:
            pass
        return received

    def check_served(self, when):
        """A good client is served."""
        answer = self.send("GET", "/api/v1/favorites", self.credentials)
        return [] if answer and answer[0] == 200 else [f"{when} a good client gets {answer and answer[0]}"]

    def check_answer(self, answer):
        """What is wrong with an answer, whatever was asked."""
        if answer is None:
            return []
        status, fields, body = answer
        found = []
        if status >= 500 and status not in (501, 502, 503, 504, 505, 507):
            found.append(f"status {status}")
        text = body.decode("utf-8", "replace")
        found += [f"it discloses {place}" for place, secret in enumerate(self.secrets())
                  if secret in str(fields) + text]
        if "X-Injected" in fields:
            found.append("a field was injected")
        kind = fields.get("Content-Type", "")
        if kind.startswith("text/html"):
            reader = _Reader()
            reader.feed(text)
            found += [f"injected: {place}" for place in sorted(set(reader.found))]
            if "default-src 'none'" not in fields.get("Content-Security-Policy", ""):
                found.append("a page without a policy")
        elif "json" in kind and body:
            try:
                json.loads(body)
            except ValueError:
                found.append("JSON that is none")
        if status < 300 and fields.get("X-Content-Type-Options") != "nosniff":
            found.append("an answer that may be sniffed")
        return found

    def end(self):
        """Ends the server; returns what went wrong."""
        if self._control is None:
            return []
        code = self.server.end()
        total, _, _, outside = self._control.values()
        self._control.close()
        self._control = None
        self.home.remove()
        found = [] if code == 0 else [f"the server ends with {code}: {self.server.errors[-2:]}"]
        if total == 0:
            found.append("nothing was intercepted")
        if outside:
            found.append(f"{outside} writes outside of the write guard")
        return found
