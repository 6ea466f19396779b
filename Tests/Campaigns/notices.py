"""Channels that keep each message that they get, and kills while messages are delivered over them."""

import collections
import itertools
import json
import os
import sqlite3
import sys
import threading
import time

from .home import one_line

# Python without the user's settings and packages, so that it starts soon. A message is one write.
_RECEIVER = """#!{python} -IS
import json, os, random, sys, time
message = json.load(sys.stdin)
time.sleep(random.uniform(0, {seconds}))
if random.random() < {failures}: sys.exit(1)
refs = [entry["ref"] for entry in message["entries"]]
line = json.dumps([message["id"], refs, len(refs) + message["more"]]) + "\\n"
file = os.open({log!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
os.write(file, line.encode())
"""


class Receiver:
    """A channel of a program that keeps the identity of each message, the offers that it names, and the
    number of all of its offers.

    `failures`: the share of the messages that it does not take. `seconds`: the longest time that it takes
    for one.
    """

    def __init__(self, program, home, name, failures=0.0, seconds=0.0):
        self.name = name
        self._log = home.file(f"out/{name}.log")
        path = home.write(f"in/{name}", _RECEIVER.format(
            python=sys.executable, seconds=seconds, failures=failures, log=self._log))
        os.chmod(path, 0o755)
        code, _, errors = program.run_plainly(["channel", "add", "command", path, "--name", name], home)
        if code != 0:
            raise SystemExit(f"soak: the channel {name} cannot be added: {one_line(errors)}")

    def messages(self):
        """The messages in the order in which they came."""
        if not os.path.exists(self._log):
            return []
        with open(self._log, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def repeated(self):
        """The number of messages that came again."""
        messages = self.messages()
        return len(messages) - len({identity for identity, _, _ in messages})

    def check(self, expected, deliveries):
        """What is wrong with the messages about offers of which each is told once: of which offers nothing
        was told, and which are in two messages. A message that comes again has its identity."""
        found, messages, places = [], {}, collections.defaultdict(set)
        for identity, refs, count in self.messages():
            if messages.setdefault(identity, (refs, count)) != (refs, count):
                found.append("a message comes again with other offers")
            for ref in refs:
                places[ref].add(identity)
        # A message counts the offers behind those that it names; the deliveries name all.
        own = [(ref, message) for channel, ref, message in deliveries if channel == self.name and ref]
        told = collections.Counter(ref for ref, _ in own)
        for ref, message in own:
            if message not in messages:
                found.append(f"a delivered message never came: {message}")
            places[ref].add(message)
        for text, refs in [
                ("nothing is told of", expected - set(told)),
                ("what was there before is told of", set(told) - expected),
                ("two notices tell of", {ref for ref, count in told.items() if count > 1}),
                ("two messages tell of", {ref for ref, found in places.items() if len(found) > 1})]:
            if refs:
                found.append(f"{text} {len(refs)} offers: {sorted(refs)[:3]}")
        return [f"{self.name}: {text}" for text in found]


def fetch_deliveries(program, home, state):
    """The channel, the offer and the message of each delivery of a state; None if they cannot be read. A
    notice about a feed has no offer."""
    code, output, _ = program.run_plainly(["notices", "--json", "--limit", "100000"], home)
    if code != 0:
        return None
    document = json.loads(output)
    refs = {notice["notice"]: notice["ref"] for notice in document["notices"]}
    return [(delivery["channel"], refs.get(delivery["notice"]), delivery["message"])
            for delivery in document["deliveries"] if delivery["state"] == state]


def await_deliveries(program, home, seconds, prepare=lambda: None):
    """Tries what waits until nothing does; returns what is wrong. `prepare`: is called before each try."""
    deadline = time.monotonic() + seconds
    while True:
        prepare()
        program.run_plainly(["notices", "--retry"], home)
        waiting = fetch_deliveries(program, home, "waiting")
        if waiting == []:
            return []
        if time.monotonic() > deadline:
            return [f"{'what' if waiting is None else len(waiting)} waits after {seconds} s"]
        time.sleep(0.2)


class Notices:
    """SIGKILL while three channels, each of which takes half of what it gets, deliver.

    A kill repeats what is under way, of each channel one message at most. So the share of the messages that come
    again is that of the syncs that are killed; here one of sixteen is.
    """

    name = "notices"
    _KILLS = 3
    _SYNCS_AFTER_KILL = 15
    _MOST_SHARE_AGAIN = 0.05
    # The share means nothing for fewer, nor beside other parts on a busy machine: --only notices --jobs 1.
    _LEAST_RECEIVED = 1000

    def __init__(self, scenes):
        self._scenes = scenes
        self._received = self._again = 0
        self._lock = threading.Lock()

    def cases(self, random):
        for number in itertools.count(1):
            yield f"notices/{number}"

    def run(self, case, program, random):
        home = self._scenes.copy("base")
        try:
            return "notices", self._work(program, home, random)
        finally:
            home.remove()

    def _work(self, program, home, random):
        code, _, errors = program.run_plainly(["watch", "add", "more"], home)
        if code != 0:
            return [f"the watch cannot be added: {one_line(errors)}"]
        receivers = [Receiver(program, home, name, failures=0.5, seconds=0.2) for name in ("a", "b", "c")]
        with open(home.file("in/A.json"), encoding="utf-8") as file:
            records = json.load(file)
        words = ["sync", "--quiet", "--from", "in/more.json"]
        times, expected = [], set()
        for number in range(self._KILLS * (1 + self._SYNCS_AFTER_KILL) + 1):
            records.append({"id": f"more-{number}", "name": f"More {number}", "current_value": "$1.00"})
            expected.add(f"ibotta:more-{number}")
            home.write("in/more.json", json.dumps(records))
            process = program.start(words, home)
            begun = time.monotonic()
            if number % (1 + self._SYNCS_AFTER_KILL) == 1:
                time.sleep(random.uniform(0, sum(times) / len(times)))
                process.kill()
                process.communicate()
            else:
                process.communicate()
                times.append(time.monotonic() - begun)
            _end_waits(home)
        # A killed sync may have stored nothing.
        program.run_plainly(words, home)
        found = await_deliveries(program, home, 60, lambda: _end_waits(home))
        delivered = fetch_deliveries(program, home, "delivered") or []
        for receiver in receivers:
            found += receiver.check(expected, delivered)
            if receiver.repeated() > self._KILLS:
                found.append(f"{receiver.name}: a kill repeats more than one message")
        with self._lock:
            self._received += sum(len(receiver.messages()) for receiver in receivers)
            self._again += sum(receiver.repeated() for receiver in receivers)
        return found

    def check_share(self, report):
        """Checks how many messages of all cases came again."""
        if self._received == 0:
            return
        share = self._again / self._received
        print(f"notices: {self._received} messages came, {self._again} of them again: {share:.1%}")
        if self._received >= self._LEAST_RECEIVED:
            report.add("notices again", "share", [] if share < self._MOST_SHARE_AGAIN else
                       [f"{share:.1%} of the messages came again"])


def _end_waits(home):
    """Ends leases and waits between attempts, as time does."""
    connection = sqlite3.connect(home.database, timeout=10)
    try:
        with connection:
            connection.execute("UPDATE channel SET leased_until = NULL, next_attempt_at = NULL")
    finally:
        connection.close()
