"""The campaigns of Scripts/soak: `faults`, `attack`, `nodes` and `failover`."""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile

from . import attack, failover, faults, several
from .program import Program
from .report import Report

_USAGE = "[MINUTES] [--short] [--seed N] [--only PART] [--jobs N] [--case CASE]"
_CAMPAIGNS = {"faults": faults, "attack": attack}
_MINUTES = {"faults": 20, "attack": 5}
_SHORT_SECONDS = {"faults": 20, "attack": 15}


class _Parser(argparse.ArgumentParser):
    """Ends with the exit code and the usage that Scripts/soak has for its other words."""

    def __init__(self, usage):
        super().__init__(add_help=False, allow_abbrev=False)
        self._usage_line = f"usage: Scripts/soak {usage}"

    def error(self, message):
        print(f"{self._usage_line}\n{message}", file=sys.stderr)
        sys.exit(64)


def _arguments():
    parser = _Parser(f"faults|attack {_USAGE}")
    parser.add_argument("campaign", choices=_MINUTES)
    parser.add_argument("minutes", nargs="?", type=float)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--case")
    parser.add_argument("--only", action="append")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--program", required=True)
    arguments = parser.parse_args()
    names = _CAMPAIGNS[arguments.campaign].part_names()
    for name in (arguments.only or []) + [(arguments.case or names[0]).split("/")[0]]:
        if name not in names:
            parser.error(f"there is no part {name}: {', '.join(names)}")
    return arguments


def main():
    arguments = _arguments()
    name = arguments.campaign
    if arguments.seed is None:
        arguments.seed = random.randrange(1 << 31)
    seconds = _SHORT_SECONDS[name]
    if not arguments.short:
        minutes = _MINUTES[name] if arguments.minutes is None else arguments.minutes
        seconds = minutes * 60
    length = arguments.case or f"{seconds:.0f} s"
    print(f"soak {name}: seed {arguments.seed}, {length}, {arguments.program}", flush=True)
    # The scratch folder is removed after a SIGTERM, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    report = Report(name, arguments.seed, ["Scripts/soak", name])
    scratch = os.path.realpath(tempfile.mkdtemp(prefix="offers-soak-"))
    try:
        program = Program(arguments.program, scratch)
        program.build_shims()
        _CAMPAIGNS[name].run(program, report, seconds, arguments.case, arguments.only, arguments.jobs)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    report.print()
    return 1 if report.violations or report.tried == 0 else 0


def _run_nodes(words):
    """Runs a campaign of several nodes, which loads no shims into the program."""
    is_failover = words[0] == "failover"
    parser = _Parser("failover [KILLS] [--short] [--seed N]" if is_failover else
                     "nodes [SECONDS] [--short] [--seed N] [--store postgres|file]")
    parser.add_argument("campaign")
    parser.add_argument("amount", nargs="?", type=int)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    if not is_failover:
        parser.add_argument("--store", choices=["postgres", "file"], default="postgres")
    parser.add_argument("--program", required=True)
    arguments = parser.parse_args(words)
    name = arguments.campaign
    amount = arguments.amount or ((2 if is_failover else 20) if arguments.short else
                                  (20 if is_failover else 60))
    unit = "kills" if is_failover else "s"
    print(f"soak {name}: seed {arguments.seed}, {amount} {unit}, {arguments.program}", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    report = Report(name, arguments.seed)
    scratch = os.path.realpath(tempfile.mkdtemp(prefix="offers-soak-"))
    # The servers of PostgreSQL run as another user.
    os.chmod(scratch, 0o755)
    try:
        if is_failover:
            failover.run(arguments.program, report, amount, scratch)
        else:
            several.run(arguments.program, report, amount, scratch, arguments.store)
    finally:
        if os.environ.get("OFFERS_KEEP"):
            print(f"soak: the folder is {scratch}")
        else:
            shutil.rmtree(scratch, ignore_errors=True)
    report.print()
    return 1 if report.violations or report.tried == 0 else 0


sys.exit(_run_nodes(sys.argv[1:]) if sys.argv[1:2] and sys.argv[1] in ("nodes", "failover") else main())
