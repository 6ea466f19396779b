"""A running `offers serve` on loopback, a client that measures it, and a server of feeds and images."""

import contextlib
import http.client
import http.server
import signal
import subprocess
import threading
import time

_READY_SECONDS = 60
REPLY_SECONDS = 20
"""The longest wait for an answer: a star waits for the database as long as the server lets it."""


class Server:
    """A server in a process of its own. After a kill it can be started again on the same port."""

    def __init__(self, program, home, *arguments, control=None):
        self.port = None
        self.errors = []
        self.faults = []
        """The spans in which it was dead or stopped."""
        self.deaths = []
        """When it was killed."""
        self._program, self._home, self._control = program, home, control
        self._arguments = arguments
        self.start()

    def start(self):
        self.process = self._program.start(
            ["serve", "--port", str(self.port or 0), *self._arguments], self._home, self._control)
        ready = threading.Event()
        for stream in (self.process.stderr, self.process.stdout):
            threading.Thread(target=self._read, args=(stream, ready), daemon=True).start()
        deadline = time.monotonic() + _READY_SECONDS
        while not ready.wait(0.01):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise SystemExit(f"soak: a server does not start: {self.errors[-3:]}")

    def _read(self, stream, ready):
        for line in stream:
            text = line.decode(errors="replace").rstrip()
            self.errors.append(text)
            if not ready.is_set() and "Serving at http://" in text:
                self.port = int("".join(filter(str.isdigit, text.rpartition(":")[2])))
                ready.set()

    def ask(self, method, path, fields=None, body=None, timeout=REPLY_SECONDS):
        """Sends a request on a connection of its own; returns status, fields and body, or None if no
        answer came."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            fields = {"Host": f"127.0.0.1:{self.port}", **(fields or {})}
            if method != "GET":
                fields.setdefault("Content-Type", "application/json")
            if body is not None:
                fields.setdefault("Content-Length", str(len(body)))
            for name, value in fields.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()

    def ask_api(self, method, path, body=None, timeout=REPLY_SECONDS):
        return self.ask(method, "/api/v1/" + path, body=body.encode() if body else None, timeout=timeout)

    @property
    def is_running(self):
        return self.process.poll() is None

    def kill(self):
        if self.is_running:
            self.process.kill()
        self.process.wait()

    def kill_and_restart(self, pause):
        begun = time.monotonic()
        self.deaths.append(begun)
        with self._fault(begun):
            self.kill()
            time.sleep(pause)
            self.start()

    @contextlib.contextmanager
    def stopped(self):
        """Stops the process meanwhile, as a machine does that hangs."""
        with self._fault(time.monotonic()):
            self.process.send_signal(signal.SIGSTOP)
            try:
                yield
            finally:
                self.process.send_signal(signal.SIGCONT)

    @contextlib.contextmanager
    def _fault(self, begun):
        self.faults.append((begun, float("inf")))
        try:
            yield
        finally:
            self.faults[-1] = (begun, time.monotonic())

    def was_faulty(self, begin, end):
        return is_among(self.faults, begin, end)

    def end(self, timeout=30):
        """Ends the server by SIGTERM; returns its exit code, or None if it had to be killed."""
        if self.is_running:
            self.process.terminate()
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def memory(self, name="VmRSS"):
        """The resident memory in bytes: the current one, or with `VmHWM` the peak."""
        return memory_of(self.process.pid, name)


def is_among(spans, begin, end):
    """Whether a time has a part in one of several spans."""
    return any(begin <= until and since <= end for since, until in list(spans))


def memory_of(pid, name):
    """A size of the memory of a process in bytes, such as `VmHWM`; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            line = next(line for line in file if line.startswith(name + ":"))
        return int(line.split()[1]) << 10
    except (OSError, StopIteration):
        return 0


class Loop(threading.Thread):
    """Does something again and again until it is ended, and keeps when each began and ended, and what
    it returned."""

    def __init__(self, pause, action):
        super().__init__(daemon=True)
        self.runs = []
        self._pause = pause
        self._action = action
        self._is_ended = threading.Event()

    def run(self):
        while not self._is_ended.wait(self._pause):
            begun = time.monotonic()
            outcome = self._action()
            self.runs.append((begun, time.monotonic(), outcome))

    def end(self):
        self._is_ended.set()


class Web:
    """A web server on loopback that answers each GET by a function, until it is closed."""

    def __init__(self, answer):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(handler):
                # A killed or wary client has closed the connection.
                with contextlib.suppress(OSError):
                    answer(handler)

            def log_message(self, *_):
                pass

        class Threads(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self._server = Threads(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def send_document(handler, body, kind="application/json"):
    handler.send_response(200)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
