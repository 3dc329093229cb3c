"""The register pack on PostgreSQL: legal units into five tables with identifiers and history, by lade; beside it \\copy into one table with a
key, and one SQL upsert into one table."""

import subprocess

from .legal_units import FOLDER
from .measure import CommandFailed, Contender, compete
from .on_postgresql import PostgresqlBench

TABLES = ("enterprise", "legal_unit", "external_ident", "location", "activity")
PHASES = """
SELECT round(extract(epoch FROM analysed.created_at - planned.created_at), 2), round(extract(epoch FROM completed.created_at - analysed.created_at), 2)
FROM lade_event planned JOIN lade_event analysed USING (job_id) JOIN lade_event completed USING (job_id)
WHERE planned.kind = 'planned' AND analysed.kind = 'analysed' AND completed.kind = 'completed' ORDER BY job_id DESC LIMIT 1"""


class RegisterBench(PostgresqlBench):
    def lade_command(self, *words):
        return [str(self.lade), *map(str, words), "--database", self.url, "--data", str(self.work / "lade"), "-q"]

    def load(self, path):
        return [*self.lade_command("import", path, "-d", FOLDER / "legal_units.yaml"), "--workers", "2"]

    def prepare(self, existing=None, constraint=""):
        self.ask("DROP SCHEMA public CASCADE")
        self.ask("CREATE SCHEMA public")
        for words in (self.lade_command("packs", "install", "register"), self.psql("-f", FOLDER / "flat.sql"),
                      self.psql("-f", FOLDER / "resolved.sql")):
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        for words in existing or ():
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        self.ask("VACUUM ANALYZE")
        self.ask("CHECKPOINT")

    def check_lade(self, changed):
        units = int(self.ask("SELECT count(DISTINCT id) FROM legal_unit"))
        counts = {table: int(self.ask(f"SELECT count(*) FROM {table}")) for table in TABLES}
        wanted = dict.fromkeys(TABLES, self.data.rows) | {"external_ident": 2 * self.data.rows}
        if units != self.data.rows or counts != wanted:
            raise CommandFailed(f"lade left {units} legal units and {counts}")
        renamed = int(self.ask("SELECT count(*) FROM legal_unit WHERE name LIKE '% Renamed'"))
        if (renamed > 0) != changed:
            raise CommandFailed(f"{renamed} legal units are renamed")

    def upsert(self, path):
        return self.psql("-v", f"file={path}", "-f", FOLDER / "upsert.sql")

    def run(self, rounds, rows):
        data = self.data
        copy = Contender("\\copy into one keyed table", lambda: [self.copy(data.first, "flat_legal_unit")], self.prepare)
        upsert = Contender("one SQL upsert into one table", lambda: [self.upsert(data.first)], self.prepare)
        lade = Contender("lade, five tables, two workers", lambda: [self.load(data.first)], self.prepare,
                         check=lambda: self.check_lade(changed=False))
        yield self.with_rates(rows, compete(f"Register, {rows:,} legal units, first load", [copy, upsert, lade], rounds, copy.name))
        again = Contender(upsert.name, lambda: [self.upsert(data.changed)], lambda: self.prepare([self.upsert(data.first)]))
        lade_again = Contender(lade.name, lambda: [self.load(data.changed)], lambda: self.prepare([self.load(data.first)]),
                               check=lambda: self.check_lade(changed=True))
        yield self.with_rates(rows, compete(f"Register, {rows:,} legal units, all exist, 5 % changed", [again, lade_again], rounds,
                                            again.name))

    def with_rates(self, rows, result):
        """Rows a second, and of lade's last round the seconds of its two phases."""
        table, best = result
        rates = ", ".join(f"{name}: {rows / sample.wall:,.0f} rows/s" for name, sample in best.items())
        analyse, process = self.ask(PHASES).split("|")
        return f"{table}\n{rates}; analyse {analyse} s, process {process} s in the last round\n", best
