"""The pack for back offices: its samples, as CSV and as the workbooks that its manifest names."""

import csv
import json
import pathlib
import sqlite3
import sys
import unittest

from program import ROOT, ProgramTest

sys.path.insert(0, str(ROOT / "tests" / "testing"))
from workbook import make_workbook  # noqa: E402

PACK = ROOT / "packs" / "backoffice"
MANIFEST = json.loads((PACK / "import-manifest.json").read_text())
DEFINITIONS = {"ap": "ap", "budgetForecast": "budget_forecast", "customers": "customers"}
TABLES = {"ap": "accounts_payable", "budgetForecast": "budget_forecast", "customers": "customer"}
# Rows of the sample by what becomes of them, and the lines of those that fail with their code.
EXPECTED = {
    "ap": ({"read": 11, "inserted": 5, "failed": 5, "skipped": 1},
           {7: "value_not_allowed", 8: "not_a_date", 9: "due_before_invoice", 10: "required", 12: "wrong_currency"}),
    "budgetForecast": ({"read": 10, "inserted": 6, "failed": 4, "skipped": 0},
                       {8: "below_min", 9: "required", 10: "below_min", 11: "not_a_number"}),
    "customers": ({"read": 9, "inserted": 5, "failed": 4, "skipped": 0},
                  {7: "pattern_mismatch", 8: "required", 9: "value_not_allowed", 10: "below_min"}),
}


def sample_rows(name):
    with open(PACK / "samples" / (pathlib.Path(name).stem + ".csv"), newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


class BackOffice(ProgramTest):
    def setUp(self):
        super().setUp()
        with sqlite3.connect(self.folder / "company.db") as connection:
            connection.executescript((PACK / "schema.sql").read_text())
        connection.close()

    def import_sample(self, path, kind):
        code, output = self.run_lade("import", path, "-d", PACK / f"{DEFINITIONS[kind]}.yaml", "--database", self.url, "--output", "json")
        self.assertEqual(code, 2, output)
        return json.loads(output.splitlines()[-1])

    def failed_lines(self):
        rows = self.sql("SELECT line, code FROM lade_issue WHERE severity = 'error' ORDER BY line, code")
        return dict(rows)

    def stored(self, kind):
        return sorted(self.sql(f"SELECT * FROM {TABLES[kind]}"))

    def test_samples_give_the_same_as_csv_and_as_workbook(self):
        for name, entry in MANIFEST.items():
            kind = entry["type"]
            with self.subTest(kind):
                counts, lines = EXPECTED[kind]
                book = self.write(name, make_workbook({"Notes": [["nothing", "here"]], entry["sheetName"]: sample_rows(name)}))
                stored = []
                for path in (PACK / "samples" / f"{pathlib.Path(name).stem}.csv", book):
                    self.sql(f"DELETE FROM {TABLES[kind]}")
                    self.sql("DELETE FROM lade_issue") if "lade_issue" in self.tables() else None
                    rows = self.import_sample(path, kind)["rows"]
                    self.assertEqual({key: rows[key] for key in counts}, counts, path)
                    self.assertEqual(self.failed_lines(), lines, path)
                    stored.append(self.stored(kind))
                self.assertEqual(stored[0], stored[1])

    def test_numbers_and_dates_of_a_workbook_are_taken_as_they_are(self):
        rows = [["invoiceNumber", "vendor", "invoiceDate", "dueDate", "amount", "amountPaid", "status"],
                ["INV-1", "Northwind", ("date", 45292), ("date", 45323), 1250.5, 0.125, "Partial"],
                ["INV-2", "Northwind", ("date", 45293), "2/1/2024", "$1,250.50", 0, "Open"]]
        book = self.write("Accounts-Payable.xlsx", make_workbook({"AP Data": rows}))
        summary = self.import_sample(book, "ap")
        self.assertEqual((summary["rows"]["inserted"], summary["rows"]["failed"]), (1, 1))
        self.assertEqual(self.failed_lines(), {2: "too_many_decimals"})
        self.assertEqual(self.sql("SELECT invoice_date, due_date, amount, status FROM accounts_payable"),
                         [("2024-01-02", "2024-02-01", 1250.5, "Open")])

    def test_a_second_run_changes_what_changed(self):
        kind = "ap"
        self.import_sample(PACK / "samples" / "Accounts-Payable.csv", kind)
        self.assertEqual(self.sql("SELECT status, amount, amount_paid FROM accounts_payable WHERE invoice_number = 'INV-1003'"),
                         [("PartiallyPaid", 12000, 6000)])
        text = (PACK / "samples" / "Accounts-Payable.csv").read_text().replace('"6,000.00",Partial', '"12,000.00",Paid')
        rows = self.import_sample(self.write("again.csv", text), kind)["rows"]
        self.assertEqual((rows["updated"], rows["unchanged"], rows["inserted"]), (1, 4, 0))

    def test_definitions_are_valid(self):
        for slug in DEFINITIONS.values():
            code, output = self.run_lade("definitions", "validate", PACK / f"{slug}.yaml")
            self.assertEqual(code, 0, output)
            self.assertNotIn("warning", output)


if __name__ == "__main__":
    unittest.main()
