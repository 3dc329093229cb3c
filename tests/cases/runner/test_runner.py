"""Tests of the runner itself: it must see differences. Run with: python3 -m unittest discover -s tests/cases/runner -t tests/cases"""

import pathlib
import stat
import tempfile
import unittest

from . import compare
from .case import Case, Table, read_table
from .databases import canonical
from .execute import Task, execute

FAKE = """#!/bin/sh
# Claims to have imported one row, and stores nothing.
echo '{"status":"succeeded","outcome":"succeeded","rows":{"read":1,"inserted":1},"issues":[]}'
"""


class Canonical(unittest.TestCase):
    def test_types(self):
        for value, declared, expected in (
                (None, "text", "\\N"), ("t", "boolean", "1"), ("true", "boolean", "1"), (0, "boolean", "0"),
                (1.5, "numeric(14,4)", "1.5000"), ("1.50", "numeric(14,2)", "1.50"), ("10.500", "numeric", "10.5"), (10, "numeric", "10"),
                ("2024-01-01 10:00:00+00", "timestamp with time zone", "2024-01-01T10:00:00Z"),
                ("2024-01-01T10:00:00.5Z", "timestamp with time zone", "2024-01-01T10:00:00.500000Z"),
                ("abc", "numeric(14,4)", "abc"), ("1.50", "text", "1.50")):
            self.assertEqual(canonical(value, declared), expected, (value, declared))


class Compare(unittest.TestCase):
    def test_tables(self):
        expected = Table(["id", "name"], [["2", "b"], ["10", "*"]])
        self.assertEqual(compare.compare_tables("t", expected, [["10", "whatever"], ["2", "b"]]), [])
        self.assertIn("+2,c", compare.compare_tables("t", expected, [["10", "x"], ["2", "c"]])[0])
        self.assertTrue(compare.compare_tables("t", expected, [["2", "b"]]))
        self.assertTrue(compare.compare_tables("t", expected, [["2", "b"], ["10", "x"], ["11", "y"]]))

    def test_summary(self):
        self.assertEqual(compare.compare_summary({"rows": {"read": 1}}, {"rows": {"read": 1, "failed": 0}}), [])
        self.assertTrue(compare.compare_summary({"rows": {"read": 1}}, {"rows": {"read": 2}}))
        self.assertTrue(compare.compare_summary({"status": "failed"}, {}))

    def test_issues(self):
        expected = Table(["row", "code", "column"], [["1", "required", "name"]])
        issue = {"row": 1, "code": "required", "column": "name"}
        self.assertEqual(compare.compare_issues(expected, [issue]), [])
        self.assertTrue(compare.compare_issues(expected, []))
        self.assertTrue(compare.compare_issues(expected, [issue, issue]))
        self.assertTrue(compare.compare_issues(Table(["row"], [["1"], ["2"]]), [{"row": 2}, {"row": 1}]))

    def test_invariants(self):
        self.assertEqual(compare.check_conservation({"rows": {"read": 2, "inserted": 1, "failed": 1}}), [])
        self.assertTrue(compare.check_conservation({"rows": {"read": 2, "inserted": 1}}))
        self.assertTrue(compare.check_issue_counts({"issues": [{"code": "a", "column": "b", "count": 2}]}, [{"code": "a", "column": "b"}]))


class Run(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        folder = self.root / "area" / "case"
        (folder / "expected").mkdir(parents=True)
        (folder / "definition.yaml").write_text("")
        (folder / "schema.sql").write_text("CREATE TABLE item (code text);")
        (folder / "expected" / "summary.json").write_text('{"exit_code": 0, "rows": {"inserted": 1}}')
        self.table = folder / "expected" / "item.csv"
        self.lade = self.root / "lade"
        self.lade.write_text(FAKE)
        self.lade.chmod(self.lade.stat().st_mode | stat.S_IXUSR)
        self.task = Task(Case(self.root, folder), "sqlite", "default", 0)

    def test_passes_when_everything_is_as_expected(self):
        self.table.write_text("code\n")
        self.assertEqual(execute(self.task, self.lade, "", 10, False)[0], [])

    def test_fails_when_a_row_is_missing(self):
        self.table.write_text("code\nA\n")
        self.assertIn("-A", execute(self.task, self.lade, "", 10, False)[0][0])

    def test_reads_the_order(self):
        self.table.write_text("# order by code\ncode\nA\n")
        self.assertEqual(read_table(self.table).order, ["code"])


if __name__ == "__main__":
    unittest.main()
