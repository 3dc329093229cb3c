"""Taking imports back from the command line. On both databases, and through a server's API by test_undo of tests/e2e."""

import json
import unittest

from program import OnServer, ProgramTest


class UndoTest(ProgramTest):
    """Job 1 has loaded a and b, job 2 has changed b and added c."""

    def setUp(self):
        super().setUp()
        self.write("more.csv", "Code,Name\nb,changed\nc,third\n")
        for name in ("things.csv", "more.csv"):
            self.check(self.run_lade("import", name, "-d", "things.yaml", "--database", self.url, "--quiet"))

    def check(self, result):
        self.assertEqual(result[0], 0, result[1])
        return result[1]

    def query(self, text):
        return [tuple(str(value) for value in row) for row in self.sql(text)]

    def things(self):
        return sorted(self.query("SELECT code, name FROM thing"))


class UndoCommands:
    def test_an_import_is_taken_back_and_brought_again(self):
        after = self.things()
        output = self.check(self.lade("undo", "things-2"))
        self.assertRegex(output, r"things-3 succeeded, which undoes things-2\n  restored +1 *\n  removed +1 *\n")
        self.assertEqual(self.things(), [("a", "first"), ("b", "second")])
        shown = self.check(self.lade("jobs", "show", "things-2"))
        self.assertRegex(shown, r"^things-2 undone\n")
        self.assertRegex(shown, r"undone by +things-3\n")
        undo = self.json("jobs", "show", "things-3")
        self.assertEqual((undo["undoes"], undo["conserved"], undo["rows"]["read"]), ("things-2", True, 2))
        again = json.loads(self.check(self.lade("undo", "things-3", "--output", "json")))
        self.assertEqual((again["status"], again["undoes"]), ("succeeded", "things-3"))
        self.assertEqual(self.things(), after)
        self.assertEqual(self.json("jobs", "show", "things-2")["status"], "succeeded")

    def test_a_preview_changes_nothing(self):
        self.query("UPDATE thing SET name = 'by hand' WHERE code = 'c'")
        before = self.things()
        output = self.check(self.lade("undo", "things-2", "--preview"))
        self.assertRegex(output, r"  restored +1  .*\n  left +1  .*\n    a row of thing \(row 2 of the file\) was changed since \[code=c\]\n")
        preview = self.json("undo", "things-2", "--preview")
        self.assertEqual((preview["restored"], preview["removed"], preview["left"]), (1, 0, 1))
        self.assertEqual(preview["examples"][0]["table"], "thing")
        self.assertEqual(self.things(), before)
        self.assertEqual(self.json("jobs")["jobs"][0]["slug"], "things-2")

    def test_rows_that_stay_are_listed(self):
        self.check(self.lade("undo", "things-1", "--quiet"))
        self.assertEqual(self.things(), [("b", "changed"), ("c", "third")])
        rows = [json.loads(line) for line in self.check(self.lade("rows", "things-3", "--state", "skipped", "--issue", "changed_since",
                                                                  "--output", "ndjson")).splitlines()]
        self.assertEqual([(row["code"], row["column"], row["value"]) for row in rows], [("changed_since", "thing", "code=b")])

    def test_what_is_undone_cannot_be_undone_again(self):
        self.check(self.lade("undo", "things-2", "--quiet"))
        self.assert_refused(self.lade("undo", "things-2"), 4, "transition_refused", "undone")
        self.assert_refused(self.lade("results", "things-3", "--all"), 4, "not_an_import")
        self.assert_refused(self.lade("undo", "things-9"), 4, "job_not_found")

    def test_a_worker_does_it_later(self):
        undo = self.json("undo", "things-2", "--async")
        self.assertEqual((undo["status"], undo["slug"]), ("running", "things-3"))
        self.assert_refused(self.lade("undo", "things-2"), 8, "being_undone", "things-3")
        self.assert_refused(self.lade("jobs", "delete", "things-2"), 8, "being_undone")
        self.check(self.lade("worker", "--until-idle"))
        self.assertEqual(self.json("jobs", "show", "things-3")["status"], "succeeded")
        self.assertEqual(self.things(), [("a", "first"), ("b", "second")])

    def test_a_table_without_a_key(self):
        self.query("CREATE TABLE log (code text, name text)")
        self.write("log.yaml", "lade: 1\ndefinition: log\ncolumns: {code: {from: Code}, name: {from: Name}}\n"
                               "load: [{table: log, strategy: append}]\n")
        words = ("-d", "log.yaml", "--database", self.url)
        self.assertIn("cannot be undone, since the table has no key: log", self.check(self.run_lade("plan", "things.csv", *words)))
        self.check(self.run_lade("import", "things.csv", *words, "--quiet"))
        self.assert_refused(self.lade("undo", "log-3"), 4, "cannot_undo", "log")


class OnSqlite(UndoCommands, UndoTest):
    pass


class OnPostgresql(OnServer, UndoCommands, UndoTest):
    pass


if __name__ == "__main__":
    unittest.main()
