"""SQLite: a C program with prepared inserts, the shell's .import, and lade."""

import pathlib
import shutil
import sqlite3
import subprocess

from .components import FOLDER
from .measure import CommandFailed, Contender, compete


class SqliteBench:
    def __init__(self, lade, data, work: pathlib.Path):
        self.lade = lade
        self.data = data
        self.work = work
        self.path = work / "bench.sqlite"
        self.prepared = work / "sqlite_prepared"
        self.fingerprints = {}
        subprocess.run(["gcc", "-O2", "-o", self.prepared, FOLDER.parent / "sqlite_prepared.c", "-lsqlite3"], check=True)

    def prepare(self, existing=None, journal="wal"):
        for suffix in ("", "-wal", "-shm", "-journal"):
            pathlib.Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        shutil.rmtree(self.work / "lade", ignore_errors=True)
        connection = sqlite3.connect(self.path)
        connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.executescript(self.data.items.read_text() + (FOLDER / "target.sql").read_text())
        connection.close()
        subprocess.run([str(self.lade), "definitions", "add", str(FOLDER / "definition.yaml"), "--database", f"sqlite:{self.path}", "-q"],
                       check=True, stdout=subprocess.DEVNULL)
        if existing:
            subprocess.run([self.prepared, self.path, existing, "insert", journal], check=True)

    def compare(self, name, result):
        connection = sqlite3.connect(self.path)
        # .import stores blanks as empty text and every number as the column's affinity makes it; so does NULLIF here.
        found = connection.execute(
            "SELECT count(*), sum(length(component_code)), sum(quantity), sum(unit_price), sum(waste_pct <> ''), "
            "sum(length(description)), max(valid_from) FROM component").fetchone()
        connection.close()
        found = tuple(round(value, 1) if isinstance(value, float) else value for value in found)
        known = self.fingerprints.setdefault(result, found)
        if known != found:
            raise CommandFailed(f"{name} left another table than the contender before: {found}, not {known}")

    def contender(self, name, commands, existing=None, accepted=(0,), result="clean", journal="wal"):
        return Contender(name, commands, lambda: self.prepare(existing, journal), accepted, lambda: self.compare(name, result))

    def in_c(self, clean, verb, journal, existing=None, result="clean"):
        name = f"C program, prepared {verb}, clean rows, journal {journal}"
        return self.contender(name, lambda: [[str(self.prepared), str(self.path), str(clean), verb, journal]], existing, result=result,
                              journal=journal)

    def by_shell(self):
        words = ["sqlite3", str(self.path), "PRAGMA journal_mode = wal", f".import --csv --skip 1 {self.data.clean} component"]
        return self.contender("sqlite3 .import of clean rows", lambda: [words])

    def by_lade(self, dirty, journal, existing=None, result="clean"):
        words = [str(self.lade), "import", str(dirty), "-d", str(FOLDER / "definition.yaml"), "--database", f"sqlite:{self.path}",
                 "--data", str(self.work / "lade"), "--workers", "2", "--output", "json"]
        return self.contender(f"lade, journal {journal}", lambda: [words], existing, (0, 2), result, journal)

    def run(self, rounds, rows):
        data = self.data
        wal, delete = "wal", "delete"
        yield compete(f"SQLite, {rows:,} dirty rows, empty target",
                      [self.in_c(data.clean, "insert", wal), self.in_c(data.clean, "insert", delete), self.by_shell(),
                       self.by_lade(data.dirty, wal), self.by_lade(data.dirty, delete)], rounds,
                      "C program, prepared insert, clean rows, journal wal")
        yield compete(f"SQLite, {rows:,} rows, all exist, 5 % changed",
                      [self.in_c(data.changed_clean, "upsert", wal, data.clean, "changed"),
                       self.in_c(data.changed_clean, "upsert", delete, data.clean, "changed"),
                       self.by_lade(data.changed_dirty, wal, data.clean, "changed"),
                       self.by_lade(data.changed_dirty, delete, data.clean, "changed")], rounds,
                      "C program, prepared upsert, clean rows, journal wal")
