"""lade fix and lade lineage, without a server."""

import json
import sys
import unittest

from program import HEADER, ROOT, ProgramTest

sys.path.insert(0, str(ROOT / "tests" / "testing"))
from workbook import make_workbook, read_workbook  # noqa: E402

NUMBERS = """\
lade: 1
definition: numbers
columns:
  code: {from: Code, required: true}
  name: {from: Name}
  amount: {from: Amount, type: "decimal(8,2)", locale: de}
load:
  - {table: number, key: code}
"""


class Fix(ProgramTest):
    def imported(self, name, definition="things.yaml"):
        code, output = self.lade("import", name, "-d", definition, "--output", "json")
        self.assertEqual(code, 2, output)
        return json.loads(output.splitlines()[-1])

    def fixed(self, *words, code=0):
        found, output = self.lade("fix", *words, "--output", "json")
        self.assertEqual(found, code, output)
        return json.loads(output.splitlines()[-1])

    def test_a_row_and_the_corrected_file(self):
        self.write("wrong.csv", HEADER + "a,first\n,second\nc,third\n,fourth\n")
        job = self.imported("wrong.csv")
        once = self.fixed(job["job_id"], "--row", "2", "--set", "Code=b", code=2)
        self.assertEqual((once["outcome"], once["rows"]["inserted"], once["rows"]["failed"]), ("succeeded", 3, 1))
        with open(self.folder / once["files"]["failed"], encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn("second", text)
        self.write("corrected.csv", text.replace(",fourth", "d,fourth", 1))
        done = self.fixed(job["job_id"], "corrected.csv")
        self.assertEqual((done["rows"]["inserted"], done["rows"]["failed"], done["rows"]["read"]), (4, 0, 4))
        code, output = self.lade("fix", job["job_id"], "corrected.csv")
        self.assertEqual(code, 4, output)
        code, output = self.lade("fix", job["job_id"])
        self.assertEqual(code, 1, output)
        told = self.json("lineage", "thing", "code=b")["items"]
        self.assertEqual([(row["job_id"], row["action"], row["row"], row["line"]) for row in told], [(job["job_id"], "inserted", 2, 3)])
        self.assertEqual(len(self.json("lineage", "--job", job["job_id"])["items"]), 4)
        code, output = self.lade("lineage", "thing", "code=b")
        self.assertIn("thing code=b: inserted by job things-1 (wrong.csv, row 2, line 3)", output)

    def test_a_workbook_keeps_what_it_knows_of_numbers(self):
        self.sql("CREATE TABLE number (code text PRIMARY KEY, name text, amount text)")
        self.write("numbers.yaml", NUMBERS)
        rows = [["Code", "Name", "Amount"], ["a", "first", 1234.5], ["b", "second", "x"], ["", "third", 2.25]]
        self.write("numbers.xlsx", make_workbook({"Data": rows}))
        job = self.imported("numbers.xlsx", "numbers.yaml")
        failed = read_workbook((self.folder / job["files"]["failed"]).read_bytes())
        self.assertEqual([row[:4] for row in failed[1:]], [["b", "second", "x", "2"], ["", "third", "2.25", "3"]])
        failed[1][2] = 7.75
        failed[2][0], failed[2][2] = "c", 2.25
        self.write("corrected.xlsx", make_workbook({"Data": failed}))
        done = self.fixed(job["job_id"], "corrected.xlsx")
        self.assertEqual((done["rows"]["inserted"], done["rows"]["failed"]), (3, 0))
        self.assertEqual(self.amounts(), [("a", "1234.50"), ("b", "7.75"), ("c", "2.25")])

    def amounts(self):
        return self.sql("SELECT code, amount FROM number ORDER BY code")


if __name__ == "__main__":
    unittest.main()
