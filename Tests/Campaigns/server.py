"""A running `offers serve` on a free port of loopback, and a client that measures it."""

import http.client
import signal
import subprocess
import threading
import time

_READY_SECONDS = 60


class RunningServer:
    """A server in a process of its own, on a free port of loopback."""

    def __init__(self, program, home, control, *arguments, **settings):
        self.process = program.start(
            ["serve", "--port", "0", *arguments], home, control, **settings)
        self.errors = []
        self._ready = threading.Event()
        self.port = None
        threading.Thread(target=self._read, daemon=True).start()
        deadline = time.monotonic() + _READY_SECONDS
        while not self._ready.wait(0.01):
            if self.process.poll() is not None or time.monotonic() > deadline:
                break

    def _read(self):
        for line in self.process.stderr:
            text = line.decode(errors="replace").rstrip()
            self.errors.append(text)
            if self.port is None and "http://" in text:
                digits = text.rpartition(":")[2]
                self.port = int("".join(filter(str.isdigit, digits)) or 0) or None
                self._ready.set()

    def ask(self, method, path, timeout=20, headers=None, body=None):
        """Sends a request on a connection of its own, and returns the status and the body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def end(self, timeout=30):
        """Ends the server by SIGTERM and returns its exit code, or None if it does not end."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None

    def memory(self, name="VmRSS"):
        """The resident memory in bytes: the current one, or with `VmHWM` the peak."""
        return memory_of(self.process.pid, name)


def memory_of(pid, name):
    """A size of the memory of a process in bytes, such as `VmHWM`; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            line = next(line for line in file if line.startswith(name + ":"))
        return int(line.split()[1]) << 10
    except (OSError, StopIteration):
        return 0


class Watch:
    """A well-behaved client that asks for a page of offers again and again, while others attack."""

    _PAUSE_SECONDS = 0.05
    _TIMEOUT_SECONDS = 20

    def __init__(self, server, headers):
        self.seconds = []
        self.failures = []
        self._server = server
        self._headers = headers
        self._is_ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        while not self._is_ended.wait(self._PAUSE_SECONDS):
            begun = time.monotonic()
            try:
                status, _ = self._server.ask(
                    "GET", "/api/v1/offers?limit=20", self._TIMEOUT_SECONDS, self._headers)
                if status != 200:
                    self.failures.append(f"status {status}")
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(type(error).__name__)
            self.seconds.append(time.monotonic() - begun)

    def end(self):
        self._is_ended.set()
        self._thread.join()

    @property
    def p99(self):
        """The 99th percentile of the answer times, in seconds."""
        ordered = sorted(self.seconds) or [0]
        return ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
