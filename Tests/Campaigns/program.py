"""Runs the program under test, with the shims loaded into it."""

import mmap
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

# The kinds of intercepted calls, in the order of campaign.h.
KINDS = [
    "open", "create", "write", "sync", "truncate", "rename", "link", "unlink", "allocate", "map",
    "folder",
]
_CONTROL = struct.Struct(f"<q{len(KINDS)}qqqq")
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
    timed_out: bool = False


class Control:
    """The file through which a run's shims count calls and find the room that is left."""

    def __init__(self, folder, room=0):
        self.path = tempfile.mktemp(prefix="control-", dir=folder)
        with open(self.path, "wb") as file:
            file.write(_CONTROL.pack(0, *[0] * len(KINDS), room, room, 0))
        self._file = open(self.path, "r+b")
        self._map = mmap.mmap(self._file.fileno(), 0)

    def values(self):
        total, *rest = _CONTROL.unpack(self._map[:])
        counts = dict(zip(KINDS, rest))
        _, least_room, outside = rest[len(KINDS):]
        return total, counts, least_room, outside

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
        self.outside = {}
        """The writes of the database outside of its write guard, by the words of the command."""

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

    def environment(self, home, control=None, settings=None):
        """The environment in a home; with the shims if a control counts what they intercept."""
        environment = {
            "HOME": home.folder, "TMPDIR": home.temporary, "OFFERS_DATABASE": home.database,
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "NO_COLOR": "1",
            **home.variables,
        }
        if control:
            environment |= {
                "LD_PRELOAD": self.library, "CAMPAIGN_FOLDER": home.folder,
                "CAMPAIGN_DATABASE": home.database, "CAMPAIGN_CONTROL": control.path}
        for name, value in (settings or {}).items():
            environment["CAMPAIGN_" + name.upper()] = str(value)
        return environment

    def start(self, arguments, home, control=None, **settings):
        """Starts the program without waiting for it."""
        return subprocess.Popen(
            [self.path, *arguments], cwd=home.folder, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=self.environment(home, control, settings))

    def run_plainly(self, arguments, home, text="", timeout=TIMEOUT_SECONDS):
        """Runs the program without the shims; returns its exit code, output and errors."""
        process = self.start(arguments, home)
        try:
            output, errors = process.communicate(text.encode(), timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, "", f"no end within {timeout} s"
        return process.returncode, output.decode(errors="replace"), errors.decode(errors="replace")

    def run(self, arguments, home, kill_after=None, timeout=TIMEOUT_SECONDS, control=None,
            begins=None, **settings):
        """Runs the program to its end.

        `kill_after`: the seconds after which it is killed. `begins`: is called with the process.
        `settings`: those of campaign.h, in lower case and without their prefix.
        """
        own = control is None
        control = control or Control(self.scratch)
        begun = time.monotonic()
        process = self.start(arguments, home, control, **settings)
        timed_out = False
        if begins:
            begins(process)
        try:
            output, errors = process.communicate(timeout=kill_after or timeout)
        except subprocess.TimeoutExpired:
            timed_out = kill_after is None
            process.send_signal(signal.SIGKILL)
            output, errors = process.communicate()
        total, counts, _, outside = control.values()
        if outside:
            self.outside[" ".join(arguments)] = outside
        if own:
            control.close()
        return Result(
            process.returncode, output.decode(errors="replace"), errors.decode(errors="replace"),
            time.monotonic() - begun, counts, total, timed_out)
