"""packs/price-lists: a million components as a whole set, with versions and in a plain table; beside it \\copy and upserts of clean rows."""

import pathlib
import shutil
import sqlite3
import subprocess

from .components import FOLDER as COMPONENTS
from .measure import CommandFailed, Contender, compete
from .on_postgresql import PostgresqlBench
from .on_sqlite import SqliteBench

ROOT = COMPONENTS.parent.parent
FORMS = {"versions": ("price_list_components", "price_list_component"),
         "plain table": ("price_list_components_plain", "price_list_component_plain")}
# Keys only: the pack adds up the quantities of repeated components, the peers keep the last one.
FINGERPRINT = "SELECT count(*), sum(item_id), min(component_code), max(component_code), sum(length(component_code)) FROM "


class WholeSets:
    """What lade does on both databases."""

    def lade_command(self, *words):
        return [str(self.lade), *map(str, words), "--database", self.url, "--data", str(self.work / "lade"), "-q"]

    def load(self, path, form):
        return self.lade_command("import", path, "-d", FORMS[form][0], "--workers", "2")

    def must(self, words):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise CommandFailed(f"{' '.join(map(str, words))}\n{done.stderr[-2000:]}")

    def by_lade(self, path, form, result, existing=None):
        before = [self.load(existing, form)] if existing else []
        return Contender(f"lade, {form}", lambda: [self.load(path, form)], lambda: self.prepare_set(before),
                         check=lambda: self.same_keys(f"lade, {form}", FORMS[form][1], result))

    def peer(self, name, commands, result, before=()):
        return Contender(name, commands, lambda: self.prepare_set(before), check=lambda: self.same_keys(name, "component", result))

    def same_keys(self, name, table, result):
        found = self.fingerprint_of(table)
        known = self.fingerprints.setdefault(result, found)
        if known != found:
            raise CommandFailed(f"{name} left other keys than the contender before: {found}, not {known}")


class PriceListsOnPostgresql(WholeSets, PostgresqlBench):
    def prepare_set(self, before):
        self.ask("DROP SCHEMA public CASCADE")
        self.ask("CREATE SCHEMA public")
        self.must(self.lade_command("packs", "install", "price-lists"))
        script = self.work / "items.sql"
        script.write_text(self.data.items_script())
        for path in (script, COMPONENTS / "target.sql"):
            self.must(self.psql("-f", path))
        for words in before:
            self.must(words)
        self.ask("VACUUM ANALYZE")
        self.ask("CHECKPOINT")

    def fingerprint_of(self, table):
        return self.ask(FINGERPRINT.replace("component_code)", 'component_code COLLATE "C")') + table)

    def run(self, rounds, rows):
        data = self.data
        halves = data.halves(data.clean)
        upsert, replace = COMPONENTS / "upsert_resolved.sql", ROOT / "bench" / "price-lists" / "replace_resolved.sql"
        copies = self.peer("\\copy of clean rows, two connections", lambda: [self.copy(half) for half in halves], "first")
        upserts = self.peer("resolved upsert, one connection", lambda: [self.psql("-v", f"clean={data.clean}", "-f", upsert)], "first")
        yield compete(f"Price lists on PostgreSQL, {rows:,} components, first load",
                      [copies, upserts, *(self.by_lade(data.first, form, "first") for form in FORMS)], rounds, copies.name)
        again = self.peer("resolved upsert and delete, one connection",
                          lambda: [self.psql("-v", f"clean={data.second_clean}", "-f", replace)], "second", [self.copy(data.clean)])
        yield compete(f"Price lists on PostgreSQL, {rows:,} components, 5 % changed, 2 % removed",
                      [again, *(self.by_lade(data.second, form, "second", data.first) for form in FORMS)], rounds, again.name)


class PriceListsOnSqlite(WholeSets, SqliteBench):
    @property
    def url(self):
        return f"sqlite:{self.path}"

    def prepare_set(self, before):
        for suffix in ("", "-wal", "-shm", "-journal"):
            pathlib.Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        shutil.rmtree(self.work / "lade", ignore_errors=True)
        self.must(self.lade_command("packs", "install", "price-lists"))
        connection = sqlite3.connect(self.path)
        connection.execute("PRAGMA journal_mode = wal")
        connection.executescript(self.data.items_script() + (COMPONENTS / "target.sql").read_text())
        connection.close()
        for words in before:
            self.must(words)

    def fingerprint_of(self, table):
        connection = sqlite3.connect(self.path)
        try:
            return connection.execute(FINGERPRINT + table).fetchone()
        finally:
            connection.close()

    def in_c(self, path, verb):  # pylint: disable=arguments-differ
        return [str(self.prepared), str(self.path), str(path), verb, "wal"]

    def run(self, rounds, rows):
        data = self.data
        insert = self.peer("C program, prepared insert of clean rows", lambda: [self.in_c(data.clean, "insert")], "first")
        yield compete(f"Price lists on SQLite, {rows:,} components, first load",
                      [insert, *(self.by_lade(data.first, form, "first") for form in FORMS)], rounds, insert.name)
        # It removes nothing: what it leaves is not compared.
        upsert = Contender("C program, prepared upsert of clean rows", lambda: [self.in_c(data.second_clean, "upsert")],
                           lambda: self.prepare_set([self.in_c(data.clean, "insert")]))
        yield compete(f"Price lists on SQLite, {rows:,} components, 5 % changed, 2 % removed",
                      [upsert, *(self.by_lade(data.second, form, "second", data.first) for form in FORMS)], rounds, upsert.name)
