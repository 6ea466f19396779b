"""Measures the PostgreSQL store beside PostgreSQL's own tools, and beside the SQLite store.

Prints a line for each figure, with its budget. The processor time is that of the client and of all
processes of the server together.
"""

import argparse
import http.client
import json
import os
import resource
import subprocess
import tempfile
import time
import urllib.parse

TICK = os.sysconf("SC_CLK_TCK")


class Cluster:
    """A PostgreSQL server that ends with this program; see Scripts/postgres-cluster."""

    def __init__(self, scripts, *settings):
        self.script = subprocess.Popen(
            [os.path.join(scripts, "postgres-cluster"), *settings],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.folder, port, _ = self.script.stdout.readline().split()
        self.port = int(port)
        with open(os.path.join(self.folder, "data", "postmaster.pid")) as file:
            self.process = int(file.readline())

    def close(self):
        self.script.stdin.close()
        self.script.wait()

    def url(self, name):
        host = urllib.parse.quote(self.folder, safe="")
        return f"postgres://offers@{host}:{self.port}/{name}"

    def psql(self, name, *arguments):
        """Runs psql and returns its output."""
        return subprocess.run(
            ["psql", "-qXAt", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-p", str(self.port),
             "-U", "postgres", "-d", name, *arguments],
            check=True, capture_output=True, text=True).stdout.strip()

    def create(self, name):
        self.psql("postgres", "-c", f"CREATE DATABASE {name} OWNER offers")
        return self.url(name)

    def seconds(self):
        """The processor time of the server: of its processes, and of those that have ended."""
        total = 0
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(entry) == self.process:
                total += sum(int(field) for field in fields[11:15])
            elif int(fields[1]) == self.process:
                total += int(fields[11]) + int(fields[12])
        return total / TICK


def measured(cluster, command, **options):
    """Runs a command and returns its processor time with that of the server, and its memory in MB."""
    before = cluster.seconds(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **options)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{command[0]} failed.")
    time.sleep(0.2)
    return usage.ru_utime + usage.ru_stime + cluster.seconds() - before[0], usage.ru_maxrss / 1024


def write_feed(path, count, changed=0):
    """Writes a feed like Ibotta's; every hundredth reward differs for `changed` = 1."""
    with open(path, "w") as file:
        file.write("[")
        for number in range(count):
            reward = number % 89 + (changed if number % 100 == 0 else 0)
            words = [f"w{number * 7919 * k % 4999}" for k in range(1, 13)]
            json.dump({
                "id": str(100_000 + number), "name": f"{words[0]} {words[1]} Tea",
                "description": "Earn cash back on " + " ".join(words[2:8]),
                "terms": "Offer valid on " + " ".join(words[8:12]) + " only.",
                "current_value": f"${reward // 10 + 1}.{reward % 10}0 Cash Back",
                "url": f"https://img.example/{number}.png"}, file)
            file.write(",\n" if number + 1 < count else "]")


class Node:
    """A server over a database."""

    def __init__(self, program, database):
        self.process = subprocess.Popen(
            [program, "serve", "--port", "0", "--json", "--database", database],
            stdout=subprocess.PIPE, text=True)
        self.address = urllib.parse.urlsplit(json.loads(self.process.stdout.readline())["url"])

    def connect(self):
        return http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=30)

    def close(self):
        self.process.terminate()
        self.process.wait()


def mark(connection, method, ref):
    connection.request(
        method, f"/api/v1/offers/{ref}/favorite", headers={"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    if answer.status >= 300:
        raise SystemExit(f"A star was answered with {answer.status}.")


def star_seconds(program, database, count=300, warmup=100):
    """The mean time of a star by the API, each of another offer."""
    node = Node(program, database)
    try:
        connection = node.connect()
        refs = [f"ibotta:{100_000 + number}" for number in range(warmup + count)]
        # The first ones open the connections.
        for ref in refs[:warmup]:
            mark(connection, "PUT", ref)
        start = time.monotonic()
        for ref in refs[warmup:]:
            mark(connection, "PUT", ref)
        return (time.monotonic() - start) / count
    finally:
        node.close()


def insert_seconds(cluster, name):
    """The mean time of a bare INSERT, by pgbench over one connection."""
    cluster.psql(name, "-c", "CREATE TABLE bare (a bigint, b text, c text, d bigint)",
                 "-c", "GRANT ALL ON bare TO offers")
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write("INSERT INTO bare VALUES (1, 'ibotta', '100000', 1700000000);\n")
        file.flush()
        text = subprocess.run(
            ["pgbench", "-n", "-c", "1", "-t", "300", "-f", file.name, "-h", cluster.folder,
             "-p", str(cluster.port), "-U", "offers", name],
            check=True, capture_output=True, text=True).stdout
    line = next(line for line in text.splitlines() if line.startswith("latency average"))
    return float(line.split("=")[1].split()[0]) / 1000


def rate(program, database, seconds=5):
    """The answers a second of two nodes over a database, each asked for single offers by wrk."""
    nodes = [Node(program, database) for _ in range(2)]
    try:
        runs = [
            subprocess.Popen(
                ["wrk", "-t1", "-c4", f"-d{seconds}s", node.address.geturl()
                 + "/api/v1/offers/ibotta:100017"], stdout=subprocess.PIPE, text=True)
            for node in nodes]
        texts = [run.communicate()[0] for run in runs]
        return sum(
            float(line.split(":")[1]) for text in texts for line in text.splitlines()
            if line.startswith("Requests/sec"))
    finally:
        for node in nodes:
            node.close()


def tell(name, value, budget):
    print(f"{name:<34}{value:<34}budget {budget}", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="Scripts/benchmark postgres")
    parser.add_argument("--offers", type=int, default=100_000)
    parser.add_argument("--program", required=True)
    parser.add_argument("--scripts", required=True)
    options = parser.parse_args()
    program = options.program
    # As in production: a commit waits for the disk.
    cluster = Cluster(options.scripts, "fsync=on", "synchronous_commit=on", "full_page_writes=on",
                      "autovacuum=off")
    try:
        with tempfile.TemporaryDirectory() as folder:
            feeds = [os.path.join(folder, name) for name in ("a.json", "b.json")]
            for changed, feed in enumerate(feeds):
                write_feed(feed, options.offers, changed)
            database = cluster.create("measured")
            environment = dict(os.environ, OFFERS_DATABASE=database, HOME=folder)
            sync = [program, "sync", "--quiet", "--from"]
            imported, memory = measured(cluster, [*sync, feeds[0]], env=environment)
            rows = os.path.join(folder, "rows")
            cluster.psql("measured", "-c", f"\\copy offer TO '{rows}'",
                         "-c", "CREATE TABLE copied (LIKE offer INCLUDING ALL)")
            copied, _ = measured(
                cluster,
                ["psql", "-qX", "-h", cluster.folder, "-p", str(cluster.port), "-U", "postgres",
                 "-d", "measured", "-c", f"\\copy copied FROM '{rows}'"])
            tell("first import, CPU", f"{imported:.2f} s, {imported / copied:.2f}x of COPY",
                 "2.5x of psql's COPY")
            tell("first import, client's memory", f"{memory:.0f} MB", "128 MB at 1,000,000")
            changed, _ = measured(cluster, [*sync, feeds[1]], env=environment)
            tell("1 % changed, CPU", f"{changed:.2f} s, {changed / imported:.2f}x of the import",
                 "0.3x of the import")
            # A server does both by itself in time. Until then the disk is busy with the import.
            cluster.psql("measured", "-c", "VACUUM ANALYZE", "-c", "CHECKPOINT")
            star, bare = star_seconds(program, database), insert_seconds(cluster, "measured")
            tell("a star by the API", f"{star * 1000:.2f} ms, {star / bare:.1f}x of an INSERT",
                 "3x of a bare INSERT by libpq")
            file = os.path.join(folder, "offers.sqlite")
            subprocess.run([*sync, feeds[0]], check=True,
                           env=dict(environment, OFFERS_DATABASE=file))
            served, beside = rate(program, database), rate(program, file)
            tell("an offer served by 2 nodes",
                 f"{served:,.0f} a second, {served / beside:.2f}x of SQLite", "0.5x of SQLite")
    finally:
        cluster.close()


if __name__ == "__main__":
    main()
