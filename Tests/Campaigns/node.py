"""Nodes: processes of `offers serve` over one database, which a campaign kills and stops."""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import threading
import time

_READY_SECONDS = 60
REPLY_SECONDS = 20
"""The longest wait for an answer: a star waits for the database as long as the server lets it."""
# A node that stands still for less keeps its leases, which last ten seconds and are renewed.
_LEASE_SECONDS = 6


class Site:
    """A program, the database that it opens, and the folder of its home."""

    def __init__(self, program, database, folder, definitions=None, passwords=None):
        self.program = program
        self.database = database
        self.folder = folder
        self._definitions = definitions
        self._passwords = passwords

    def environment(self, name):
        values = {
            "HOME": self.folder, "TMPDIR": self.folder, "OFFERS_DATABASE": self.database,
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "NO_COLOR": "1",
            "NODE": name,
        }
        if self._definitions:
            values["OFFERS_CONFIG"] = self._definitions
        if self._passwords:
            values["PGPASSFILE"] = self._passwords
        return values

    def run(self, *arguments, name="command", timeout=60):
        """Runs a command and returns its exit code, output and errors."""
        try:
            done = subprocess.run(
                [self.program, *arguments], cwd=self.folder, env=self.environment(name),
                stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return None, "", f"no end within {timeout} s"
        return done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace")


class Node:
    """One server. After a kill it is started again on the same port."""

    def __init__(self, site, name):
        self.name = name
        self.port = 0
        self.faults = []
        """The spans in which the node was dead or stopped."""
        self.deaths = []
        """When it was killed."""
        self._site = site
        self._log = os.path.join(site.folder, f"{name}.log")
        self._process = None
        self.start()

    def start(self):
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(
                [self._site.program, "serve", "--port", str(self.port), "--refresh", "1m", "--json"],
                cwd=self._site.folder, env=self._site.environment(self.name),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        lines = []
        reader = threading.Thread(
            target=lambda: lines.append(self._process.stdout.readline()), daemon=True)
        reader.start()
        reader.join(_READY_SECONDS)
        try:
            self.port = int(json.loads(lines[0])["url"].rpartition(":")[2])
        except (IndexError, ValueError, KeyError):
            self.kill()
            raise SystemExit(f"soak: {self.name} does not start: {self.errors()[-500:]}") from None

    def errors(self):
        with open(self._log, encoding="utf-8", errors="replace") as log:
            return log.read()

    @property
    def is_running(self):
        return self._process.poll() is None

    def kill(self):
        if self.is_running:
            self._process.kill()
        self._process.wait()

    def kill_and_restart(self, pause):
        begun = time.monotonic()
        self.faults.append((begun, float("inf")))
        self.deaths.append(begun)
        self.kill()
        time.sleep(pause)
        self.start()
        self.faults[-1] = (begun, time.monotonic())

    @contextlib.contextmanager
    def stopped(self):
        """Stops the process meanwhile, as a machine does that hangs."""
        begun = time.monotonic()
        self.faults.append((begun, float("inf")))
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)
            self.faults[-1] = (begun, time.monotonic())

    def was_faulty(self, begin, end):
        return any(begin <= until and since <= end for since, until in list(self.faults))

    def lost_lease(self, begin, end):
        """Whether a fault in this time took the node's leases from it: it was killed, or stood still for
        longer than a lease."""
        return any(begin <= at <= end for at in list(self.deaths)) or any(
            begin <= until and since <= end and until - since > _LEASE_SECONDS
            for since, until in list(self.faults) if since not in self.deaths)

    def end(self):
        """Ends the server by SIGTERM; returns its exit code, or None if it had to be killed."""
        if self.is_running:
            self._process.terminate()
        try:
            return self._process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def ask(self, method, path, body=None, timeout=REPLY_SECONDS):
        """Sends a request; returns status, fields and body, or None for a lost connection."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            fields = {"Content-Type": "application/json"} if method != "GET" else {}
            connection.request(method, "/api/v1/" + path, body, fields)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
