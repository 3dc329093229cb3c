"""Commands that only look leave everything as it was: no file, no folder, no table, no byte of the database."""

import json
import unittest

from program import ProgramTest


class NoTraces(ProgramTest):
    def traces(self):
        return {path.relative_to(self.folder): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def test_a_missing_database_is_not_made(self):
        before = self.traces()
        missing = ("--database", "sqlite:missing.db")
        for words in (["plan", "things.csv", "-d", "things.yaml"], ["plan", "things.csv", "-d", "things"],
                      ["import", "things.csv", "-d", "things.yaml"], ["import", "things.csv", "-d", "things"],
                      ["definitions", "list"], ["definitions", "show", "things"], ["definitions", "validate", "things"]):
            self.assert_refused(self.run_lade(*words, *missing), 6, "cannot_connect", "missing.db", "there is no such file")
            self.assertEqual(self.traces(), before, words)
        self.assert_refused(self.run_lade("plan", "things.csv", "-d", "things.yaml", "--database", "sqlite:missing.db?mode=rwc"), 6,
                            "cannot_connect", "missing.db")
        self.assertEqual(self.traces(), before)

    def test_plan_changes_no_byte_of_the_database(self):
        before = self.traces()
        code, output = self.run_lade("plan", "things.csv", "-d", "things.yaml", "--database", "sqlite:company.db", "--output", "json")
        self.assertEqual((code, json.loads(output)["rows"]["inserted"]), (0, 2), output)
        self.assertEqual(self.traces(), before)

    def test_a_slug_is_looked_up_without_making_tables(self):
        before = self.traces()
        for words in (["plan", "things.csv", "-d", "things"], ["definitions", "show", "things"]):
            self.assert_refused(self.run_lade(*words, "--database", "sqlite:company.db"), 4, "definition_not_found", "things")
        code, output = self.run_lade("definitions", "list", "--database", "sqlite:company.db")
        self.assertEqual(code, 0, output)
        self.assertIn("no definitions are stored", output)
        self.assertEqual(self.traces(), before)

    def test_plan_by_slug(self):
        self.assertEqual(self.run_lade("definitions", "add", "things.yaml", "--database", "sqlite:company.db")[0], 0)
        code, output = self.run_lade("plan", "things.csv", "-d", "things", "--database", "sqlite:company.db", "--output", "json")
        self.assertEqual((code, json.loads(output)["rows"]["inserted"]), (0, 2), output)
        self.assert_nothing_written()

    def test_doctor(self):
        before = self.traces()
        self.assert_refused(self.run_lade("doctor", "--database", "sqlite:missing.db"), 6, "FAIL  database", "missing.db",
                            "there is no such file", "lade-data: does not exist yet")
        code, output = self.run_lade("doctor", "--database", "sqlite:company.db")
        self.assertEqual(code, 0, output)
        self.assertIn("version 0 of", output)
        self.assert_refused(self.run_lade("doctor", "--database", "sqlite:company.db", "--data", "things.csv"), 3, "FAIL  data folder")
        self.assert_refused(self.run_lade("doctor", "--database", "sqlite:company.db", "--data", "things.csv/data"), 3,
                            "FAIL  data folder")
        self.assertEqual(self.traces(), before)
        self.assertFalse((self.folder / "lade-data").exists())

    def test_what_stores_makes_the_file(self):
        self.assertEqual(self.run_lade("definitions", "add", "things.yaml", "--data", "data")[0], 0)
        self.assertIn("lade_definition", self.tables("data/lade.db"))
        self.assertEqual(self.run_lade("migrate", "--data", "other")[0], 0)
        self.assertIn("lade_definition", self.tables("other/lade.db"))


if __name__ == "__main__":
    unittest.main()
