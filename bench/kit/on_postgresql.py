"""PostgreSQL: raw \\copy, the two ways people upsert, and lade."""

import os
import pathlib
import subprocess

from .components import FOLDER
from .measure import CommandFailed, Contender, compete

SETTINGS = ("-c shared_buffers=2GB -c max_wal_size=8GB -c fsync=on -c synchronous_commit=on -c checkpoint_timeout=30min "
            "-c maintenance_work_mem=256MB")
SCRIPT = FOLDER.parent.parent / "scripts" / "private_postgresql.sh"
FOREIGN_KEY = "ALTER TABLE component ADD FOREIGN KEY (item_id) REFERENCES price_list_item (id);"
FINGERPRINT = "SELECT count(*), sum(('x' || substr(md5(component::text), 1, 8))::bit(32)::bigint) FROM component"


class PostgresqlBench:
    def __init__(self, lade, data, work: pathlib.Path):
        self.lade = lade
        self.data = data
        self.work = work
        self.fingerprints = {}

    def __enter__(self):
        environment = {"PGOPTS": SETTINGS, **os.environ}
        # The guard stops the server when this process ends, however it ends.
        self.guard = subprocess.Popen([SCRIPT, "guard", f"/tmp/lade_bench_{os.getpid()}"], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True, env=environment)
        self.url = self.guard.stdout.readline().strip()
        if not self.url:
            raise CommandFailed(f"{SCRIPT} started no server")
        return self

    def __exit__(self, *_):
        self.guard.stdin.close()
        self.guard.wait()

    def psql(self, *words):
        return ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", self.url, *map(str, words)]

    def ask(self, sql):
        done = subprocess.run(self.psql("-At", "-c", sql), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise CommandFailed(done.stderr)
        return done.stdout.strip()

    def copy(self, path, table="component"):
        return self.psql("-c", f"\\copy {table} FROM '{path}' WITH (FORMAT csv, HEADER)")

    def prepare(self, existing=None, constraint=""):
        """A fresh database with the items, the target and the rows it already holds, in which lade was set up."""
        self.ask("DROP SCHEMA public CASCADE")
        self.ask("CREATE SCHEMA public")
        for path in (self.data.items, FOLDER / "target.sql"):
            subprocess.run(self.psql("-f", path), check=True)
        subprocess.run([str(self.lade), "definitions", "add", str(FOLDER / "definition.yaml"), "--database", self.url, "-q"],
                       check=True, stdout=subprocess.DEVNULL)
        if constraint:
            self.ask(constraint)
        if existing:
            subprocess.run(self.copy(existing), check=True)
        self.ask("VACUUM ANALYZE")
        self.ask("CHECKPOINT")

    def import_command(self, path):
        return [str(self.lade), "import", str(path), "-d", str(FOLDER / "definition.yaml"), "--database", self.url, "--data",
                str(self.work / "lade"), "--workers", "2", "--output", "json"]

    def contender(self, name, commands, existing=None, constraint="", accepted=(0,), result="clean"):
        return Contender(name, commands, lambda: self.prepare(existing, constraint), accepted, lambda: self.compare(name, result))

    def compare(self, name, result):
        """Every contender of one result must leave the same table."""
        found = self.ask(FINGERPRINT)
        known = self.fingerprints.setdefault(result, found)
        if known != found:
            raise CommandFailed(f"{name} left another table than the contender before: {found}, not {known}")

    def copies(self, constraint=""):
        first, second = self.data.halves(self.data.clean)
        return [
            self.contender("\\copy of clean rows, one connection", lambda: [self.copy(self.data.clean)], constraint=constraint),
            self.contender("\\copy of clean rows, two connections", lambda: [self.copy(first), self.copy(second)],
                           constraint=constraint),
        ]

    def resolved(self, clean, existing=None, result="clean"):
        first, second = self.data.halves(clean)
        script = FOLDER / "upsert_resolved.sql"
        return [
            self.contender("resolved upsert, one connection", lambda: [self.psql("-v", f"clean={clean}", "-f", script)], existing,
                           result=result),
            self.contender("resolved upsert, two connections",
                           lambda: [self.psql("-v", f"clean={part}", "-f", script) for part in (first, second)], existing,
                           result=result),
        ]

    def in_sql(self, dirty, existing=None, result="clean"):
        words = ("-v", f"dirty={dirty}", "-v", f"failed={self.work / 'failed.csv'}", "-f", FOLDER / "upsert_in_sql.sql")
        return self.contender("staging and one SQL upsert with lookups", lambda: [self.psql(*words)], existing, result=result)

    def by_lade(self, dirty, existing=None, constraint="", result="clean"):
        return self.contender("lade, two workers", lambda: [self.import_command(dirty)], existing, constraint, (0, 2), result)

    def run(self, rounds, rows):
        data = self.data
        two = "\\copy of clean rows, two connections"
        yield compete(f"PostgreSQL, {rows:,} dirty rows, empty target",
                      [*self.copies(), *self.resolved(data.clean), self.in_sql(data.dirty), self.by_lade(data.dirty)], rounds, two)
        yield compete(f"PostgreSQL, {rows:,} rows, all exist, 5 % changed",
                      [*self.resolved(data.changed_clean, data.clean, "changed"), self.in_sql(data.changed_dirty, data.clean, "changed"),
                       self.by_lade(data.changed_dirty, data.clean, result="changed")], rounds, "resolved upsert, one connection")
        yield compete(f"PostgreSQL, {rows:,} rows, half of them exist",
                      [self.copies()[1], *self.resolved(data.clean, data.every_second), self.by_lade(data.dirty, data.every_second)],
                      rounds, two)
        yield compete(f"PostgreSQL, {rows:,} dirty rows, empty target with a foreign key",
                      [self.copies(FOREIGN_KEY)[1], self.by_lade(data.dirty, constraint=FOREIGN_KEY)], rounds, two)
