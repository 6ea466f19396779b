"""Runs the browser tests, those of the files in two processes at once, and names the slowest of them:

  run.py [TEST...]

The whole suite usually runs beside the Swift tests. Up to two tests that fail are run once more at its end, when
this machine is not as busy: one that passes then is named as unstable, and its first failure stays in the output.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from queue import Empty, SimpleQueue

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
    failed = [test.id() for test, _ in result.failures + result.errors]
    return {"seconds": result.seconds, "failed": failed + [test.id() for test in result.unexpectedSuccesses]}


def run_asked():
    """Runs the tests of each file that a line of standard input names, and answers by a line of standard output."""
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        print(json.dumps(run([line.strip()])), file=answers, flush=True)


def run_files():
    """Runs the tests of all files in two processes, each of which takes the next file when it is ready, and prints the
    output of one after the other's."""
    waiting, parts = SimpleQueue(), []
    for file in sorted(FOLDER.glob("test_*.py"), key=lambda each: -each.stat().st_size):
        waiting.put(file.stem)

    def follow(log):
        process = None
        while True:
            try:
                name = waiting.get_nowait()
            except Empty:
                break
            if process is None:
                process = subprocess.Popen([sys.executable, __file__, "--asked"], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, stderr=log, text=True)
            print(name, file=process.stdin, flush=True)
            answer = process.stdout.readline()
            if answer:
                parts.append(json.loads(answer))
            else:
                # The process has ended early: the rest is run by another one.
                parts.append({"seconds": {}, "failed": [f"the process that ran {name}"]})
                process.communicate()
                process = None
        if process:
            process.communicate()

    with tempfile.TemporaryFile("w+", encoding="utf-8") as one, tempfile.TemporaryFile("w+", encoding="utf-8") as other:
        threads = [threading.Thread(target=follow, args=(log,)) for log in (one, other)]
        for thread in threads:
            thread.start()
        for thread, log in zip(threads, (one, other)):
            thread.join()
            log.seek(0)
            print(log.read())
    total = {"seconds": {}, "failed": []}
    for part in parts:
        total["seconds"].update(part["seconds"])
        total["failed"] += part["failed"]
    return total


def run_failed_again(total):
    """Runs one or two failed tests again, and takes those that pass from the failures."""
    failed = total["failed"]
    if not 0 < len(failed) <= 2 or not all(name in total["seconds"] for name in failed):
        return
    print(f"Running again: {', '.join(failed)}", flush=True)
    total["failed"] = run(failed)["failed"]
    for name in failed:
        if name not in total["failed"]:
            print(f"unstable, failed once and passed alone: {name}")


names = sys.argv[1:]
if names == ["--asked"]:
    run_asked()
    sys.exit()
found = run(names) if names else run_files()
if not names:
    run_failed_again(found)
print("The slowest browser tests, in seconds:")
for name, seconds in sorted(found["seconds"].items(), key=lambda each: -each[1])[:10]:
    print(f"{seconds:.1f} {name}")
print(f"{max(0, len(found['seconds']) - len(found['failed']))} passed, {len(found['failed'])} failed")
sys.exit(1 if found["failed"] else 0)
