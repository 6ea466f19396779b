"""Runs the browser tests, and names the slowest of them:  run.py [TEST...]"""

import sys
import time
import unittest
from pathlib import Path


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


names = sys.argv[1:] or sorted(file.stem for file in Path(__file__).parent.glob("test_*.py"))
result = unittest.TextTestRunner(sys.stdout, verbosity=2, resultclass=TimedResult).run(
    unittest.defaultTestLoader.loadTestsFromNames(names))
print("The slowest browser tests, in seconds:")
for name, seconds in sorted(result.seconds.items(), key=lambda each: -each[1])[:10]:
    print(f"{seconds:.1f} {name}")
failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
sys.exit(0 if result.wasSuccessful() else 1)
