"""Three PostgreSQL servers of the campaign's own on loopback: a primary whose commits wait until a standby
has them, and which can be killed and replaced."""

import contextlib
import glob
import os
import pwd
import random
import secrets
import shutil
import signal
import socket
import subprocess
import time

from .server import is_among

# The seconds that a start, a promotion or a return may take.
_PATIENCE_SECONDS = 60
_NODES = (1, 2, 3)
_CONFIGURATION = """
listen_addresses = '127.0.0.1'
unix_socket_directories = '{folder}'
max_connections = 200
shared_buffers = 64MB
# A commit waits until one of the other two has it on its disk. A server never counts itself.
synchronous_commit = on
synchronous_standby_names = 'ANY 1 (node1, node2, node3)'
# Each standby follows whichever server accepts writes.
primary_conninfo = 'host=127.0.0.1,127.0.0.1,127.0.0.1 port={ports} user=replicator passfile={folder}/replication.pgpass connect_timeout=5 target_session_attrs=read-write'
wal_retrieve_retry_interval = 500ms
# Standbys that were away, and pg_rewind, need old WAL.
wal_keep_size = 512MB
wal_log_hints = on
"""
_ACCESS = """
local all postgres trust
local replication postgres trust
host all all 127.0.0.1/32 scram-sha-256
host replication replicator 127.0.0.1/32 scram-sha-256
"""
_QUORUM = ("SELECT 1 FROM pg_stat_replication WHERE application_name = 'node{}'"
           " AND state = 'streaming' AND sync_state = 'quorum'")
_RECEIVED = "SELECT pg_wal_lsn_diff(greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), '0/0')"


def _wait(description, condition):
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"not within {_PATIENCE_SECONDS} s: {description}")
        time.sleep(0.1)


def _free_port():
    """A port below those that the system gives to clients, which would take it while a server is away."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class Cluster:
    """The three servers. The role `offers` owns the database `offers`; its password is in `passwords`."""

    def __init__(self, folder):
        found = glob.glob("/usr/lib/postgresql/*/bin")
        if not found:
            raise SystemExit("soak: the server of PostgreSQL is missing: install postgresql-15")
        self._bin = max(found, key=lambda path: int(path.split("/")[4]))
        self._folder = folder
        self.outages = []
        """The spans without a primary."""
        # PostgreSQL refuses to run as root.
        self._user = {}
        if os.getuid() == 0:
            nobody = pwd.getpwnam("nobody")
            self._user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        os.makedirs(folder)
        ports = []
        while len(ports) < len(_NODES):
            if (port := _free_port()) not in ports:
                ports.append(port)
        self._ports = dict(zip(_NODES, ports))
        self.passwords = os.path.join(folder, "pgpass")
        list_of_hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        self.url = f"postgres://offers@{list_of_hosts}/offers?target_session_attrs=read-write"
        self._make(ports)

    def _make(self, ports):
        offers, replication = secrets.token_hex(12), secrets.token_hex(12)
        for name, role, password in [("pgpass", "offers", offers),
                                     ("replication.pgpass", "replicator", replication)]:
            path = os.path.join(self._folder, name)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
                file.write(f"*:*:*:{role}:{password}\n")
            if self._user and name != "pgpass":
                os.chown(path, self._user["user"], self._user["group"])
        if self._user:
            os.chown(self._folder, self._user["user"], self._user["group"])
        self._call("initdb", "-D", self._data(1), "--username=postgres", "--auth=trust",
                   "--encoding=UTF8", "--locale=C")
        for name, mode, text in [
                ("postgresql.conf", "a", _CONFIGURATION.format(
                    folder=self._folder, ports=",".join(map(str, ports)))),
                ("pg_hba.conf", "w", _ACCESS)]:
            with open(os.path.join(self._data(1), name), mode, encoding="utf-8") as file:
                file.write(text)
        self._run(1)
        # There is no standby yet to wait for. By a pipe, so that no list of processes shows passwords.
        subprocess.run(
            self._psql(1), check=True, text=True, input=(
                "SET synchronous_commit = local;\n"
                f"CREATE ROLE replicator LOGIN REPLICATION PASSWORD '{replication}';\n"
                f"CREATE ROLE offers LOGIN PASSWORD '{offers}';\n"
                "CREATE DATABASE offers OWNER offers;\n"))
        for node in (2, 3):
            self._copy(1, node)
            self._follow(1, node)

    def _data(self, node):
        return os.path.join(self._folder, f"node{node}")

    def _call(self, name, *words, check=True):
        """Runs a program of PostgreSQL as its user; returns whether it succeeded."""
        with open(os.path.join(self._folder, "log"), "ab") as log:
            done = subprocess.run([os.path.join(self._bin, name), *words], cwd="/", stdin=subprocess.DEVNULL,
                                  stdout=log, stderr=log, timeout=300, check=False, **self._user)
        if check and done.returncode != 0:
            with open(os.path.join(self._folder, "log"), encoding="utf-8", errors="replace") as log:
                raise RuntimeError(f"{name} fails: {log.read()[-500:]}")
        return done.returncode == 0

    def _psql(self, node):
        return [os.path.join(self._bin, "psql"), "-qXAt", "-v", "ON_ERROR_STOP=1", "-h", self._folder,
                "-p", str(self._ports[node]), "-U", "postgres", "-d", "postgres"]

    def _ask(self, node, statement):
        """The single value of a query at a server, or None if it does not answer."""
        done = subprocess.run([*self._psql(node), "-c", statement], capture_output=True, text=True,
                              timeout=_PATIENCE_SECONDS, check=False)
        return done.stdout.strip() if done.returncode == 0 else None

    def _run(self, node):
        # pg_rewind copies the configuration of the primary: so what differs is said here.
        self._call("pg_ctl", "start", "-w", "-t", str(_PATIENCE_SECONDS), "-D", self._data(node),
                   "-l", os.path.join(self._folder, f"node{node}.log"),
                   "-o", f"-p {self._ports[node]} -c cluster_name=node{node}")

    def _copy(self, primary, node):
        shutil.rmtree(self._data(node), ignore_errors=True)
        self._call("pg_basebackup", "-h", self._folder, "-p", str(self._ports[primary]), "-U", "postgres",
                   "-D", self._data(node), "--checkpoint=fast")

    def _follow(self, primary, node):
        """Starts a server as a standby, and waits until its acknowledgements count."""
        with open(os.path.join(self._data(node), "standby.signal"), "w", encoding="utf-8"):
            pass
        self._run(node)
        _wait(f"node {node} follows node {primary}", lambda: self._ask(primary, _QUORUM.format(node)) == "1")

    def _process(self, node):
        """The process of a server, or None."""
        with contextlib.suppress(OSError, ValueError):
            with open(os.path.join(self._data(node), "postmaster.pid"), encoding="utf-8") as file:
                process = int(file.readline())
            with open(f"/proc/{process}/cmdline", "rb") as file:
                # The file of a killed server stays.
                if self._data(node).encode() in file.read().split(b"\0"):
                    return process
        return None

    def _kill(self, node):
        """Ends all processes of a server at once, by SIGKILL."""
        process = self._process(node)
        if process is None:
            return
        # A stopped server begins no further processes while they are listed.
        os.kill(process, signal.SIGSTOP)
        with open(f"/proc/{process}/task/{process}/children", encoding="utf-8") as file:
            children = [int(word) for word in file.read().split()]
        for each in [process, *children]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        _wait(f"node {node} ends", lambda: self._process(node) is None)

    def replace_primary(self, pause):
        """Kills the primary and promotes a standby; returns the lost server, and when the other one
        accepted writes."""
        primary = next(node for node in _NODES if self._ask(node, "SELECT pg_is_in_recovery()") == "f")
        self.outages.append((time.monotonic(), float("inf")))
        self._kill(primary)
        time.sleep(pause)
        standbys = [node for node in _NODES if node != primary]
        for node in standbys:
            # What the lost primary sent has arrived.
            _wait(f"node {node} misses the primary", lambda: self._ask(
                node, "SELECT count(*) FROM pg_stat_wal_receiver WHERE status = 'streaming'") == "0")
        # The other one may lack a commit that was acknowledged.
        chosen = max(standbys, key=lambda node: int(self._ask(node, _RECEIVED)))
        if self._ask(chosen, f"SELECT pg_promote(true, {_PATIENCE_SECONDS})") != "t":
            raise RuntimeError(f"node {chosen} was not promoted")
        promoted = time.monotonic()
        other = next(node for node in standbys if node != chosen)
        _wait(f"node {other} follows node {chosen}",
              lambda: self._ask(chosen, _QUORUM.format(other)) == "1")
        self.outages[-1] = (self.outages[-1][0], time.monotonic())
        return primary, promoted

    def bring_back(self, node):
        """Starts a lost server as a standby, with the data of the primary."""
        primary = next(node for node in _NODES if self._ask(node, "SELECT pg_is_in_recovery()") == "f")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self._data(node), "postmaster.pid"))
        # Until its first checkpoint, a promoted server does not say that its history has branched.
        self._ask(primary, "CHECKPOINT")
        source = f"host={self._folder} port={self._ports[primary]} user=postgres dbname=postgres"
        if not self._call("pg_rewind", "-D", self._data(node), f"--source-server={source}", check=False):
            # pg_rewind cannot recover a standby that was killed.
            self._copy(primary, node)
        self._follow(primary, node)

    def was_out(self, begin, end):
        return is_among(self.outages, begin, end)

    def close(self):
        for node in _NODES:
            if self._process(node) is not None and not self._call(
                    "pg_ctl", "stop", "-m", "fast", "-t", "20", "-D", self._data(node), check=False):
                self._kill(node)
