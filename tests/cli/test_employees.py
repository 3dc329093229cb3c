"""The pack for employees: its samples by tables and a step in Lua, and by a handler in Python that is the whole import; it may be killed."""

import csv
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest
from decimal import Decimal

from program import ROOT, OnServer, ProgramTest

PACK = ROOT / "packs" / "employees"
COLUMNS = ("number, first_name, last_name, email, login, phone, department, manager, contract, started_on, ends_on, probation_until, "
           "salary, iban")
READ, HIRED = 28, 13
TAKEN = "there is an employee {} already, and allow_update is not set"
# Lines of the sample that fail by either definition: code, and message where it does not depend on the database.
FAILED = {
    6: ("handler_failed", "the phone number '55 01 215' has no area code"),
    8: ("handler_failed", "the IBAN's check digits are wrong"),
    10: ("handler_failed", "no login can be made of the name 'Ольга Иванова': write it in Latin letters"),
    14: ("value_not_allowed", None),
    15: ("not_a_date", None),
    16: ("not_a_number", None),
    18: ("wrong_currency", None),
    19: ("no_end", "A fixed term has an end"),
    21: ("required", None),
    27: ("handler_failed", "the IBAN has 21 characters; those of DE have 22"),
    28: ("ends_before_start", "The contract ends before it begins"),
}
FAILED_BY_TABLES = FAILED | {
    11: ("lookup_missing", "no department with this department_name"),
    13: ("lookup_missing", "no employee with this manager_email"),
    23: ("unique_violation", None),
}
FAILED_BY_HANDLER = FAILED | {
    11: ("value_not_allowed", None),
    13: ("handler_failed", "no manager has the address b.niemand@example.com"),
    22: ("handler_failed", TAKEN.format(1101)),
    23: ("handler_failed", "the email a.vogt@example.com belongs to employee 1001"),
}

# Runs the handler; with its answer number STOP_AT to rows it does what STOP_BY says, once. All rows of the batch are committed by then.
STOPPING = """
import os, runpy, signal, sys, time

class Output:
    def __init__(self, file):
        self.file, self.answers = file, 0

    def write(self, text):
        self.answers += '"row_index"' in text
        if self.answers == int(os.environ["STOP_AT"]) and not os.path.exists("stopped"):
            self.file.flush()
            open("stopped", "w").close()
            if os.environ["STOP_BY"] == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(600)
        return self.file.write(text)

    def flush(self):
        self.file.flush()

sys.stdout = Output(sys.stdout)
runpy.run_path("handlers/hire.py", run_name="__main__")
"""


class EmployeesTest(ProgramTest):
    """On SQLite; the same tests run on PostgreSQL. The pack is copied: its handler runs in its folder."""

    def setUp(self):
        super().setUp()
        self.pack = self.folder / "pack"
        shutil.copytree(PACK, self.pack)
        self.register_handlers()
        with open(PACK / "reference" / "department.csv", newline="", encoding="utf-8") as file:
            departments = ", ".join(f"('{row['code']}', '{row['name']}')" for row in csv.DictReader(file))
        self.make_tables((PACK / "schema.sql").read_text() + f"INSERT INTO department (code, name) VALUES {departments};")

    def register_handlers(self, command=None, **environment):
        text = (PACK / "handlers.yaml").read_text().replace("[/usr/bin/python3, handlers/hire.py]", "COMMAND")
        more = "".join(f", {name}: \"{value}\"" for name, value in environment.items())
        self.assertIn("HIRED_FILE: hired.db", text)
        text = text.replace("COMMAND", json.dumps(command or [sys.executable, "handlers/hire.py"]))
        (self.pack / "handlers.yaml").write_text(text.replace("HIRED_FILE: hired.db", f"HIRED_FILE: hired.db{more}"))

    def make_tables(self, script):
        with sqlite3.connect(self.folder / "company.db") as connection:
            connection.executescript(script)
        connection.close()

    def ask(self, text):
        return [tuple("" if cell is None else str(cell) for cell in row) for row in self.sql(text)]

    def hired(self, text):
        return [tuple("" if cell is None else str(cell) for cell in row) for row in self.sql(text, "pack/hired.db")]

    def load(self, file, definition, exit_code):
        code, output = self.lade("import", file, "-d", definition, "--handlers", self.pack / "handlers.yaml", "--output", "json")
        self.assertEqual(code, exit_code, output)
        self.assert_no_secret(output)
        return json.loads(output.splitlines()[-1])

    def load_samples(self, definition):
        """The heads, then the others; gives the summary of these."""
        self.assertEqual(self.load(PACK / "samples" / "heads.csv", definition, 0)["rows"]["inserted"], 4)
        return self.load(PACK / "samples" / "employees.csv", definition, 2)

    def by_tables(self):
        return PACK / "employees.yaml"

    def by_handler(self, allow_update=False):
        text = (PACK / "employees_by_handler.yaml").read_text()
        self.assertIn("{allow_update: false}", text)
        return self.write("by_handler.yaml", text.replace("allow_update: false", f"allow_update: {str(allow_update).lower()}"))

    def assert_counts(self, summary, **counts):
        rows = summary["rows"]
        self.assertEqual({key: rows[key] for key in counts}, counts, rows)

    def assert_no_secret(self, text):
        """Neither salaries nor IBANs of rows that fail because of them."""
        for secret in ("4,250", "5.100", "0532 0130", "05320130"):
            self.assertNotIn(secret, text)

    def assert_failed(self, summary, expected):
        """The lines that failed, why, and that they come back in the failed file."""
        found = {}
        for line, code, message, value in self.ask(f"""
                SELECT line, code, message, value FROM lade_issue JOIN lade_job ON lade_job.id = job_id
                WHERE severity = 'error' AND uuid = '{summary["job_id"]}'"""):
            found.setdefault(int(line), (code, message))
            self.assert_no_secret(message + value)
        self.assertEqual({line: code for line, (code, _) in found.items()}, {line: code for line, (code, _) in expected.items()})
        for line, (_, message) in expected.items():
            self.assertIn(message, (found[line][1], None), line)
        lines = (PACK / "samples" / "employees.csv").read_text().splitlines()
        failed = (self.folder / summary["files"]["failed"]).read_text()
        for line in expected:
            self.assertIn(lines[line - 1].split(";")[3], failed)

    def stored(self, ask):
        rows = sorted(ask(f"SELECT {COLUMNS} FROM employee"))
        return [(*row[:12], f"{Decimal(row[12]):.2f}", row[13]) for row in rows]


class Samples(EmployeesTest):
    def test_definitions_are_valid(self):
        for name in ("department", "employees", "employees_by_handler"):
            code, output = self.run_lade("definitions", "validate", PACK / f"{name}.yaml")
            self.assertEqual(code, 0, output)
            self.assertNotIn("warning", output)

    def test_by_tables(self):
        summary = self.load_samples(self.by_tables())
        self.assert_counts(summary, read=READ, inserted=HIRED, skipped=1, failed=14)
        self.assert_failed(summary, FAILED_BY_TABLES)
        stored = {row[0]: row for row in self.stored(self.ask)}
        self.assertEqual(len(stored), HIRED + 4)
        self.assertEqual(stored["1103"], ("1103", "Mehmet", "Yıldız", "m.yildiz@example.com", "myildiz1103", "+494315501213", "LOG", "1004",
                                          "fixed_term", "2024-04-01", "2026-03-31", "2024-09-30", "3180.50", "DE83555979711471049746"))
        # A foreign number stays one; 31 August and six months; a contract that ends before its probation would.
        self.assertEqual((stored["1102"][5], stored["1104"][11], stored["1106"][11]), ("+46812345678", "2025-02-28", "2024-07-31"))
        self.assertEqual((stored["1104"][4], stored["1124"][4]), ("cvonoestergaa1104", "eschulzewiech1124"))

    def test_by_tables_again(self):
        self.load_samples(self.by_tables())
        sample = PACK / "samples" / "employees.csv"
        self.assert_counts(self.load(sample, self.by_tables(), 2), inserted=0, updated=0, unchanged=HIRED, failed=14)
        raised = self.write("raised.csv", sample.read_text().replace("6.200,00", "6.400,00"))
        self.assert_counts(self.load(raised, self.by_tables(), 2), inserted=0, updated=1, unchanged=HIRED - 1, failed=14)
        self.assertEqual(Decimal(self.ask("SELECT salary FROM employee WHERE number = '1127'")[0][0]), 6400)

    def test_by_handler_gives_the_same_rows(self):
        self.load_samples(self.by_tables())
        summary = self.load_samples(self.by_handler())
        self.assert_counts(summary, read=READ, inserted=HIRED, skipped=0, failed=15)
        self.assert_failed(summary, FAILED_BY_HANDLER)
        self.assertEqual(self.stored(self.hired), self.stored(self.ask))
        self.assertEqual(self.hired("SELECT status, rows_read, inserted, updated, unchanged, failed FROM import_log ORDER BY rows_read"),
                         [("succeeded", "4", "4", "0", "0", "0"), ("succeeded", str(READ), str(HIRED), "0", "0", "15")])

    def test_by_handler_again(self):
        self.load_samples(self.by_handler())
        before = self.stored(self.hired)
        sample = PACK / "samples" / "employees.csv"
        summary = self.load(sample, self.by_handler(), 2)
        self.assert_counts(summary, inserted=0, updated=0, unchanged=0, failed=READ)
        messages = [message for message, in self.ask("SELECT message FROM lade_issue WHERE line = 2 AND code = 'handler_failed'")]
        self.assertEqual(messages, [TAKEN.format(1101)])
        self.assertEqual(self.stored(self.hired), before)
        # The second row of 1101 is an update, too, and the first one would be in the run after it.
        self.assert_counts(self.load(sample, self.by_handler(True), 2), inserted=0, updated=1, unchanged=HIRED, failed=14)
        self.assert_counts(self.load(sample, self.by_handler(True), 2), inserted=0, updated=2, unchanged=HIRED - 1, failed=14)
        self.assertEqual(self.hired("SELECT salary FROM employee WHERE number = '1101'"), [("4350.00",)])


class Trouble(EmployeesTest):
    def assert_hired_once(self, summary_rows):
        self.assertEqual((summary_rows["inserted"], summary_rows["failed"]), (HIRED, 15), summary_rows)
        self.assertEqual(self.hired("SELECT count(*), count(DISTINCT number) FROM employee"), [(str(HIRED + 4),) * 2])
        self.assertEqual(self.hired("SELECT count(*), count(DISTINCT job_id) FROM done_row"), [(str(HIRED + 4), "2")])

    def stop_handler(self, at, by):
        """From now on the handler is stopped once."""
        (self.pack / "stopping.py").write_text(STOPPING)
        self.register_handlers([sys.executable, "stopping.py"], STOP_AT=at, STOP_BY=by)

    def test_a_target_that_cannot_be_opened_refuses_the_import(self):
        (self.pack / "hired.db").write_text("this is no database, and long enough to be seen as none\n" * 20)
        summary = self.load(PACK / "samples" / "heads.csv", self.by_handler(), 3)
        self.assertEqual(summary["error"]["code"], "handler_refused")
        self.assertIn("hired.db: file is not a database", summary["error"]["message"])
        self.assertEqual(summary["rows"]["inserted"], 0)

    def test_a_killed_handler_hires_everybody_once(self):
        heads = PACK / "samples" / "heads.csv"
        for at in (1, 7):  # no answer has come, or some have
            with self.subTest(at):
                for name in ("hired.db", "stopped"):
                    (self.pack / name).unlink(missing_ok=True)
                self.register_handlers()
                self.load(heads, self.by_handler(), 0)
                self.stop_handler(at, "kill")
                summary = self.load(PACK / "samples" / "employees.csv", self.by_handler(), 2)
                self.assertTrue((self.pack / "stopped").exists())
                self.assert_hired_once(summary["rows"])
                self.assert_failed(summary, FAILED_BY_HANDLER)

    def test_a_killed_lade_hires_everybody_once(self):
        self.load(PACK / "samples" / "heads.csv", self.by_handler(), 0)
        self.stop_handler(7, "sleep")
        handlers = self.pack / "handlers.yaml"
        code, output = self.lade("import", PACK / "samples" / "employees.csv", "-d", self.by_handler(), "--async", "--handlers", handlers,
                                 "--output", "json")
        self.assertEqual(code, 0, output)
        job = json.loads(output.splitlines()[-1])["job_id"]
        words = ["worker", "--until-idle", "--handlers", handlers]
        with subprocess.Popen(self.command(*words, "--database", self.url), cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as worker:
            deadline = time.monotonic() + 60
            while not (self.pack / "stopped").exists() and worker.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
            worker.send_signal(signal.SIGKILL)
        self.assertTrue((self.pack / "stopped").exists())
        self.assertEqual(self.hired("SELECT count(*) FROM done_row"), [(str(HIRED + 4),)])
        code, output = self.lade(*words)
        self.assertEqual(code, 0, output)
        self.assert_hired_once(self.json("jobs", "show", job)["rows"])
        self.assertEqual(self.hired(f"SELECT status, inserted FROM import_log WHERE job_id = '{job}'"), [("succeeded", str(HIRED))])

    def test_a_fixed_row_is_hired_in_the_same_job(self):
        self.load(PACK / "samples" / "heads.csv", self.by_handler(), 0)
        summary = self.load(PACK / "samples" / "employees.csv", self.by_handler(), 2)
        failed = (self.folder / summary["files"]["failed"]).read_text()
        fixed = self.write("fixed.csv", failed.replace("b.niemand@", "a.vogt@"))
        code, output = self.lade("fix", summary["job_id"], fixed, "--handlers", self.pack / "handlers.yaml")
        self.assertEqual(code, 2, output)
        self.assertEqual(self.hired("SELECT login, manager FROM employee WHERE number = '1112'"), [("dclaasen1112", "1001")])
        self.assertEqual(self.hired("SELECT count(*) FROM done_row"), [(str(HIRED + 5),)])


class OnPostgresql(OnServer):
    def make_tables(self, script):
        self.query(script)

    def ask(self, text):
        return self.query(text)


class SamplesOnPostgresql(OnPostgresql, Samples):
    pass


class TroubleOnPostgresql(OnPostgresql, Trouble):
    pass


if __name__ == "__main__":
    unittest.main()
