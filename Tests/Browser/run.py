"""Runs the browser tests, those of the files in two processes at once, and names the slowest of them:

  run.py [TEST...]
"""

import json
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

FOLDER = Path(__file__).parent


class TimedResult(unittest.TextTestResult):
    """Results with the time of each test in seconds, without the set-up of its class."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.seconds = {}

    def startTest(self, test):
        self.begun = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        self.seconds[test.id()] = time.monotonic() - self.begun
        super().stopTest(test)


def run(names):
    """Runs tests in this process, and returns their times and the number of failures."""
    result = unittest.TextTestRunner(sys.stdout, verbosity=2, resultclass=TimedResult).run(
        unittest.defaultTestLoader.loadTestsFromNames(names))
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    return {"seconds": result.seconds, "failed": failed}


def run_files():
    """Runs the tests of all files in two processes, and prints the output of one after the other's."""
    parts, sizes = ([], []), [0, 0]
    for file in sorted(FOLDER.glob("test_*.py"), key=lambda each: -each.stat().st_size):
        smaller = sizes.index(min(sizes))
        parts[smaller].append(file.stem)
        sizes[smaller] += file.stat().st_size
    with tempfile.TemporaryDirectory() as folder:
        running = []
        for number, names in enumerate(parts):
            paths = Path(folder, f"{number}.log"), Path(folder, f"{number}.json")
            with open(paths[0], "w", encoding="utf-8") as log:
                command = [sys.executable, __file__, "--result", paths[1], *names]
                running.append((subprocess.Popen(command, stdout=log, stderr=log), *paths))
        total = {"seconds": {}, "failed": 0}
        for process, log, result in running:
            process.wait()
            print(log.read_text("utf-8"))
            # A process that ended early has written no result.
            part = json.loads(result.read_text("utf-8")) if result.exists() else {"seconds": {}, "failed": 1}
            total["seconds"].update(part["seconds"])
            total["failed"] += part["failed"]
    return total


names = sys.argv[1:]
if names[:1] == ["--result"]:
    Path(names[1]).write_text(json.dumps(run(names[2:])), "utf-8")
    sys.exit()
found = run(names) if names else run_files()
print("The slowest browser tests, in seconds:")
for name, seconds in sorted(found["seconds"].items(), key=lambda each: -each[1])[:10]:
    print(f"{seconds:.1f} {name}")
print(f"{max(0, len(found['seconds']) - found['failed'])} passed, {found['failed']} failed")
sys.exit(1 if found["failed"] else 0)
