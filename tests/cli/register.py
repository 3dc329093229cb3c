"""A register of packs/register in a fresh database, and what its timelines must be according to a file: rows laid over each other day by day,
in a way that has nothing in common with lade's."""

import collections
import csv
import datetime
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from program import ROOT, OnServer, ProgramTest

PACK = ROOT / "packs" / "register"
TEMPORAL = {"legal_unit": "id", "establishment": "id", "location": "legal_unit_id, establishment_id, type",
            "activity": "legal_unit_id, establishment_id, type", "contact": "legal_unit_id, establishment_id",
            "stat_for_unit": "legal_unit_id, establishment_id, stat_definition_id", "tag_for_unit": "legal_unit_id, establishment_id, tag_id"}
NULLS = {"", "na", "n/a", "null", "none", "nan"}
# Column of the file → reference table and its column.
CODES = {"sector_code": ("sector", "code"), "unit_size_code": ("unit_size", "code"), "status_code": ("status", "code"),
         "legal_form_code": ("legal_form", "code"), "data_source_code": ("data_source", "code")}
UNIT_COLUMNS = {"legal_unit": ["name", "birth_date", "death_date", *CODES],
                "establishment": ["name", "birth_date", "death_date", *(code for code in CODES if code != "legal_form_code")]}


def iso_day(text):
    """2016-10-01 for that, 01.10.2016 and 01-10-2016; None when it is no day."""
    if text.lower() == "infinity":
        return "infinity"
    if found := re.fullmatch(r"(\d\d)[.-](\d\d)[.-](\d{4})", text):
        text = "-".join(reversed(found.groups()))
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        return None


def day_after(day):
    return day if day == "infinity" else (datetime.date.fromisoformat(day) + datetime.timedelta(days=1)).isoformat()


def laid_over(rows):
    """Slices (from, until, values) of rows (from, until, values), later rows over earlier ones; touching slices that are equal are one."""
    days = sorted({day for row in rows for day in row[:2]})
    slices = []
    for begin, end in zip(days, days[1:]):
        holding = [values for first, until, values in rows if first <= begin and end <= until]
        if not holding:
            continue
        if slices and slices[-1][1] == begin and slices[-1][2] == holding[-1]:
            slices[-1] = (slices[-1][0], end, holding[-1])
        else:
            slices.append((begin, end, holding[-1]))
    return slices


def read_rows(path):
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


class RegisterTest(ProgramTest):
    """On SQLite; mixed with Postgresql below, on PostgreSQL. What many tests begin with is made once for each class, and copied."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = pathlib.Path(tempfile.mkdtemp(prefix="lade_made_"))
        cls.addClassCleanup(shutil.rmtree, cls.made, ignore_errors=True)

    def setUp(self):
        super().setUp()
        self.begin_with("pack", self.install_pack)

    def begin_with(self, name, make):
        """The database is as `make` has left it before, or does now."""
        saved = self.made / name
        if saved.exists():
            shutil.copy(saved, self.folder / "company.db")
        else:
            make()
            shutil.copy(self.folder / "company.db", saved)

    def install_pack(self):
        code, output = self.lade("packs", "install", "register", "-q")
        self.assertEqual(code, 0, output)

    def ask(self, text):
        """Rows as texts, NULL as an empty one."""
        return [tuple("" if value is None else str(value) for value in row) for row in self.sql(text)]

    def write_sql(self, text):
        self.sql(text)

    def number(self, text):
        return int(self.ask(text)[0][0])

    def load(self, path, definition, *words):
        """The counts of an import that ran to its end."""
        code, output = self.lade("import", path, "-d", definition, "--output", "json", *words)
        self.assertIn(code, (0, 2), output)
        summary = json.loads(output.splitlines()[-1])
        self.assertEqual(summary["outcome"], "succeeded", output)
        self.job = summary["job_id"]
        return {key: value for key, value in summary["rows"].items() if value}

    def issues(self, severity="error"):
        """(line, column, code) of the last import."""
        rows = self.ask(f"""SELECT i.line, i.column_name, i.code FROM lade_issue i JOIN lade_job j ON j.id = i.job_id
                            WHERE j.uuid = '{self.job}' AND i.severity = '{severity}' ORDER BY 1, 2, 3""")
        return [(int(line), column, code) for line, column, code in rows]

    def clear_units(self):
        for table in (*TEMPORAL, "enterprise", "external_ident", "source_period"):
            self.write_sql(f"DELETE FROM {table}")

    def assert_sound(self):
        """No unit has two slices on one day or two that touch and say the same, and every unit is known by a number."""
        for table, key in TEMPORAL.items():
            order = f"PARTITION BY {key} ORDER BY valid_from"
            overlaps = self.ask(f"""SELECT * FROM (SELECT id, valid_from, lag(valid_until) OVER ({order}) AS previous FROM {table}) s
                                    WHERE previous > valid_from""")
            self.assertEqual(overlaps, [], table)
        for unit in ("legal_unit", "establishment"):
            self.assertEqual(self.number(f"""SELECT count(*) FROM {unit} u WHERE NOT EXISTS
                                             (SELECT 1 FROM external_ident x WHERE x.{unit}_id = u.id)"""), 0, unit)
        self.assertEqual(self.number("SELECT count(*) FROM legal_unit u WHERE NOT EXISTS (SELECT 1 FROM enterprise e WHERE e.id = u.enterprise_id)"), 0)
        self.assertEqual(self.number("SELECT count(*) FROM (SELECT unit_type, unit_id, valid_from FROM statistical_unit GROUP BY 1, 2, 3 "
                                     "HAVING count(*) > 1) s"), 0)

    def assert_unchanged_again(self, path, definition, *words):
        before = self.all_rows()
        counts = self.load(path, definition, *words)
        self.assertEqual(set(counts) - {"read", "unchanged", "skipped", "failed"}, set(), f"{path}: {counts}")
        self.assertEqual(self.all_rows(), before, path)

    def all_rows(self):
        return {table: sorted(self.ask(f"SELECT * FROM {table}")) for table in (*TEMPORAL, "enterprise", "external_ident", "source_period")}

    def known_codes(self):
        return {column: {code for code, in self.ask(f"SELECT {name} FROM {table}")} for column, (table, name) in CODES.items()}

    def stored_timelines(self, unit="legal_unit", ident="tax_ident"):
        """By the unit's number: (from, until, values) as expected_timelines() gives them."""
        columns = UNIT_COLUMNS[unit]
        shown = [f"{CODES[column][0]}.code" if column in CODES else f"u.{column}" for column in columns]
        joins = " ".join(f"LEFT JOIN {CODES[column][0]} ON {CODES[column][0]}.id = u.{CODES[column][0]}_id" for column in columns if column in CODES)
        rows = self.ask(f"""SELECT x.ident, u.valid_from, u.valid_until, {', '.join(shown)} FROM {unit} u {joins}
                            JOIN external_ident x ON x.{unit}_id = u.id JOIN external_ident_type t ON t.id = x.type_id AND t.code = '{ident}'
                            ORDER BY x.ident, u.valid_from""")
        timelines = collections.defaultdict(list)
        for number, first, until, *values in rows:
            timelines[number].append((first, until, tuple(values)))
        return dict(timelines)

    def expected_timelines(self, rows, unit="legal_unit", ident="tax_ident", period=None):
        """What the rows of a file say, one after another; `period` is that of a job: inclusive days."""
        known = self.known_codes()
        timelines = collections.defaultdict(list)
        for row in rows:
            values = []
            for column in UNIT_COLUMNS[unit]:
                cell = (row.get(column) or "").strip()
                if cell.lower() in NULLS:
                    cell = ""
                elif column.endswith("_date"):
                    cell = iso_day(cell) or ""
                elif column in CODES and cell not in known[column]:
                    cell = ""
                values.append(cell)
            first, last = period or (row["valid_from"], row["valid_to"])
            timelines[row[ident].strip()].append((iso_day(first), day_after(iso_day(last)), tuple(values)))
        return {number: laid_over(own) for number, own in timelines.items()}


class Postgresql(OnServer):
    """Mixed in before a RegisterTest. Databases are copied inside the server."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.first_url = cls.url
        cls.saved, cls.tests = set(), 0

    def setUp(self):
        type(self).tests += 1
        self.database = f"test_{self.tests}"
        self.administer(f"CREATE DATABASE {self.database}")
        self.addCleanup(self.administer, f"DROP DATABASE {self.database}")
        self.url = self.first_url.replace("/postgres?", f"/{self.database}?")
        super(OnServer, self).setUp()

    def administer(self, *statements):
        for statement in statements:
            subprocess.run(["psql", "-Xq", self.first_url, "-v", "ON_ERROR_STOP=1", "-c", statement], check=True, capture_output=True)

    def begin_with(self, name, make):
        if name in self.saved:
            self.administer(f"DROP DATABASE {self.database}", f"CREATE DATABASE {self.database} TEMPLATE saved_{name}")
        else:
            make()
            self.administer(f"CREATE DATABASE saved_{name} TEMPLATE {self.database}")
            self.saved.add(name)

    def ask(self, text):
        return self.query(text)

    def write_sql(self, text):
        self.query(text)
