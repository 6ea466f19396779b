"""The campaigns of Scripts/soak: `faults`, `nodes` and `attack`."""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile

from . import attack, faults, nodes
from .program import Program
from .report import Report

_CAMPAIGNS = {"faults": faults, "nodes": nodes, "attack": attack}
_MINUTES = {"faults": 20, "nodes": 5, "attack": 5}
_SHORT_SECONDS = {"faults": 20, "nodes": 20, "attack": 15}


class _Parser(argparse.ArgumentParser):
    """Ends with the exit code and the usage that Scripts/soak has for its other words."""

    def error(self, message):
        print("usage: Scripts/soak faults|nodes|attack [MINUTES] [--short] [--seed N] [--only PART] "
              f"[--jobs N] [--case CASE]\n{message}", file=sys.stderr)
        sys.exit(64)


def _arguments():
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("campaign", choices=_CAMPAIGNS)
    parser.add_argument("minutes", nargs="?", type=float)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    parser.add_argument("--case")
    parser.add_argument("--only", action="append")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--program", required=True)
    arguments = parser.parse_args()
    names = _CAMPAIGNS[arguments.campaign].PARTS
    for name in (arguments.only or []) + ([arguments.case.split("/")[0]] if arguments.case else []):
        if name not in names:
            parser.error(f"there is no part {name}: {', '.join(names) or 'the campaign has none'}")
    if arguments.minutes is not None and arguments.minutes <= 0:
        parser.error("MINUTES is a number above 0")
    return arguments


def main():
    arguments = _arguments()
    name = arguments.campaign
    seconds = 60 * (arguments.minutes or _MINUTES[name])
    if arguments.short:
        seconds = _SHORT_SECONDS[name]
    length = arguments.case or f"{seconds:.0f} s"
    print(f"soak {name}: seed {arguments.seed}, {length}, {arguments.program}", flush=True)
    # The scratch folder is removed after a SIGTERM, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    report = Report(name, arguments.seed)
    scratch = os.path.realpath(tempfile.mkdtemp(prefix="offers-soak-"))
    # The servers of PostgreSQL run as another user.
    os.chmod(scratch, 0o755)
    try:
        _CAMPAIGNS[name].run(Program(arguments.program, scratch), report, seconds,
                             arguments.case, arguments.only, arguments.jobs)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    report.print()
    return 1 if report.violations or report.tried == 0 else 0


sys.exit(main())
