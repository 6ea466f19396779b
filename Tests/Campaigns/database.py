"""A PostgreSQL server of the campaign's own, with a pgbouncer in front of it that may be killed."""

import os
import pwd
import shutil
import socket
import subprocess
import time

_SCRIPT = os.path.join(os.path.dirname(__file__), "..", "..", "Scripts", "postgres-cluster")
_READY_SECONDS = 60


class Bouncer:
    """pgbouncer in transaction mode. The server behind it asks for no password on its socket."""

    def __init__(self, scratch):
        self._cluster = subprocess.Popen(
            [_SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self._cluster.stdout.readline().split()
        if len(line) != 3:
            raise SystemExit("soak: PostgreSQL does not start")
        self._sockets, port, _ = line
        subprocess.run(
            ["psql", "-qX", "-h", self._sockets, "-p", port, "-U", "postgres", "-d", "postgres",
             "-c", "CREATE DATABASE offers OWNER offers"], check=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self.outages = []
        self._configuration = self._configure(scratch, port)
        self._process = None
        self._start()
        self.url = f"postgres://offers@127.0.0.1:{self._port}/offers?sslmode=disable"

    def _configure(self, scratch, port):
        folder = os.path.join(scratch, "pgbouncer")
        os.makedirs(folder, mode=0o755)
        with open(os.path.join(folder, "users.txt"), "w", encoding="utf-8") as file:
            file.write('"offers" ""\n')
        path = os.path.join(folder, "pgbouncer.ini")
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                f"[databases]\n* = host={self._sockets} port={port}\n[pgbouncer]\n"
                f"listen_addr = 127.0.0.1\nlisten_port = {self._port}\nunix_socket_dir =\n"
                f"auth_type = trust\nauth_file = {folder}/users.txt\npool_mode = transaction\n"
                "default_pool_size = 20\nmax_client_conn = 400\n")
        return path

    def _start(self):
        # It refuses to run as root.
        user = {}
        if os.getuid() == 0:
            nobody = pwd.getpwnam("nobody")
            user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        program = shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin")
        self._process = subprocess.Popen(
            [program, "-q", self._configuration], cwd="/", stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user)
        deadline = time.monotonic() + _READY_SECONDS
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self._port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("soak: pgbouncer does not start")

    def kill_and_restart(self, pause):
        begun = time.monotonic()
        self.outages.append((begun, float("inf")))
        self._process.kill()
        self._process.wait()
        time.sleep(pause)
        self._start()
        self.outages[-1] = (begun, time.monotonic())

    def close(self):
        if self._process:
            self._process.kill()
            self._process.wait()
        self._cluster.stdin.close()
        try:
            self._cluster.wait(20)
        except subprocess.TimeoutExpired:
            self._cluster.terminate()
            self._cluster.wait()


class File:
    """One SQLite file, which all nodes open."""

    outages = ()

    def __init__(self, scratch):
        self.url = os.path.join(scratch, "offers.sqlite")

    def close(self):
        pass
