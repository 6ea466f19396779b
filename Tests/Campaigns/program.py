"""Runs the program under test, with the shims loaded into it."""

import mmap
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field

# The kinds of intercepted calls, in the order of campaign.h.
KINDS = [
    "open", "create", "write", "sync", "truncate", "rename", "link", "unlink", "allocate", "map",
    "folder",
]
_CONTROL = struct.Struct(f"<q{len(KINDS)}qqqq256s")
_ROOM_OFFSET = 8 * (1 + len(KINDS))

# The documented exit codes.
EXIT_CODES = {0, 1, 3, 11, 64, 66}

# No command of a campaign should take longer than this, on a busy machine.
TIMEOUT_SECONDS = 60


@dataclass
class Result:
    """The end of a run, and the calls that were intercepted in it."""

    code: int
    """The exit code, or the negated number of the signal."""
    output: str
    errors: str
    seconds: float
    counts: dict = field(default_factory=dict)
    total: int = 0
    outside: int = 0
    first_outside: str = ""
    timed_out: bool = False

    @property
    def succeeded(self):
        return self.code == 0


class Control:
    """The file through which a run's shims count calls and find the room that is left."""

    def __init__(self, folder, room=0):
        self.path = tempfile.mktemp(prefix="control-", dir=folder)
        with open(self.path, "wb") as file:
            file.write(_CONTROL.pack(0, *[0] * len(KINDS), room, room, 0, b""))
        self._file = open(self.path, "r+b")
        self._map = mmap.mmap(self._file.fileno(), 0)

    def values(self):
        total, *rest = _CONTROL.unpack(self._map[:])
        counts = dict(zip(KINDS, rest))
        _, least_room, outside, first = rest[len(KINDS):]
        return total, counts, least_room, outside, first.split(b"\0")[0].decode(errors="replace")

    def set_room(self, room):
        self._map[_ROOM_OFFSET:_ROOM_OFFSET + 8] = struct.pack("<q", room)

    def close(self):
        self._map.close()
        self._file.close()
        os.unlink(self.path)


class Program:
    """The program under test."""

    def __init__(self, path, scratch):
        self.path = os.path.abspath(path)
        self.scratch = scratch
        self.library = os.path.join(scratch, "campaign.so")
        self.intercepted = 0
        self.monitored = 0
        self.outside = {}
        self._lock = threading.Lock()

    def build_shims(self):
        """Compiles the shims into the scratch folder."""
        sources = os.path.join(os.path.dirname(__file__), "Shims")
        files = [os.path.join(sources, name) for name in sorted(os.listdir(sources))
                 if name.endswith(".c")]
        compiler = os.environ.get("CC") or "cc"
        if not shutil.which(compiler):
            raise SystemExit("soak: the shims need a C compiler, such as Debian's gcc")
        subprocess.run(
            [compiler, "-std=gnu17", "-O1", "-fPIC", "-shared", "-pthread", "-o", self.library,
             *files], check=True)

    def like(self, path):
        """Another program with the same shims, such as one with a planted fault."""
        other = Program(path, self.scratch)
        other.library = self.library
        return other

    def environment(self, home, settings, control):
        environment = {
            "HOME": home.folder, "TMPDIR": home.temporary, "OFFERS_DATABASE": home.database,
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "NO_COLOR": "1",
            "LD_PRELOAD": self.library, "CAMPAIGN_FOLDER": home.folder,
            "CAMPAIGN_DATABASE": home.database, "CAMPAIGN_CONTROL": control.path,
        }
        for name, value in settings.items():
            environment["CAMPAIGN_" + name.upper()] = str(value)
        return environment

    def start(self, arguments, home, control, **settings):
        """Starts the program without waiting for it."""
        return subprocess.Popen(
            [self.path, *arguments], cwd=home.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=self.environment(home, settings, control))

    def run(self, arguments, home, kill_after=None, timeout=TIMEOUT_SECONDS, control=None,
            **settings):
        """Runs the program to its end.

        `kill_after`: the seconds after which it is killed. `settings`: those of campaign.h, in lower
        case and without their prefix.
        """
        own = control is None
        control = control or Control(self.scratch)
        begun = time.monotonic()
        process = self.start(arguments, home, control, **settings)
        timed_out = False
        try:
            output, errors = process.communicate(timeout=kill_after or timeout)
        except subprocess.TimeoutExpired:
            timed_out = kill_after is None
            process.send_signal(signal.SIGKILL)
            output, errors = process.communicate()
        result = self.result(
            process.returncode, output, errors, time.monotonic() - begun, control, timed_out)
        if own:
            control.close()
        self.note(arguments, result)
        return result

    @staticmethod
    def result(code, output, errors, seconds, control, timed_out=False):
        total, counts, _, outside, first = control.values()
        return Result(
            code, output.decode(errors="replace"), errors.decode(errors="replace"), seconds, counts,
            total, outside, first, timed_out)

    def note(self, arguments, result):
        """Adds a run to the totals of the monitor of the write guard."""
        with self._lock:
            self.intercepted += result.total
            self.monitored += 1
            if result.outside:
                self.outside[" ".join(arguments)] = (result.outside, result.first_outside)
