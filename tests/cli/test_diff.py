"""What a file will change, cell by cell: before there is a job, and while one waits for review. On both databases."""

import json

from program import DEFINITION, HEADER, OnServer, ProgramTest

UPDATE = {"kind": "update", "table": "thing", "row": 1, "line": 2, "key": {"code": "a"}, "cells": {"name": ["first", "changed"]}}


class Diff(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("reviewed.yaml", DEFINITION.replace("definition: things", "definition: reviewed\nreview: always"))
        self.assertEqual(self.lade("import", "things.csv", "-d", "things.yaml", "--quiet")[0], 0)
        rows = "".join(f"n{number:03},new {number}\n" for number in range(30))
        self.write("next.csv", HEADER + "a,changed\nb,second\n,nameless\n" + rows)

    def records(self, *words):
        code, output = self.lade(*words, "--output", "ndjson")
        self.assertEqual(code, 0, output)
        return [json.loads(line) for line in output.splitlines()]

    def test_a_dry_run_shows_the_first_changes_and_writes_all(self):
        code, output = self.lade("plan", "next.csv", "-d", "things.yaml", "--diff", "1", "--diff-file", "all.ndjson")
        self.assertEqual(code, 2, output)
        for name, count in (("inserted", 30), ("updated", 1), ("unchanged", 1), ("skipped", 0), ("failed", 1)):
            self.assertRegex(output, rf"{name} +{count}\n")
        self.assertRegex(output, r"update thing code a  \(row 1, line 2\)\n  name +first → changed\n")
        self.assertNotIn("insert thing", output)
        written = [json.loads(line) for line in (self.folder / "all.ndjson").read_text().splitlines()]
        self.assertEqual(len(written), 31)
        self.assertEqual(written[0], UPDATE)
        code, output = self.lade("plan", "next.csv", "-d", "things.yaml", "--output", "json")
        summary = json.loads(output.splitlines()[-1])
        self.assertEqual((summary["rows"]["inserted"], summary["rows"]["updated"], len(summary["changes"])), (30, 1, 20))
        self.assertEqual(summary["changes"], written[:20])
        self.assertEqual(len(self.json("jobs")["jobs"]), 1)

    def test_a_job_in_review_shows_the_same(self):
        code, output = self.lade("import", "next.csv", "-d", "reviewed.yaml", "--quiet")
        self.assertEqual(code, 7, output)
        code, output = self.lade("jobs", "show", "reviewed-2")
        self.assertRegex(output, r"what it will do .*lade diff reviewed-2.*\n  insert +30\n  update +1\n")
        self.assertEqual(self.json("jobs", "show", "reviewed-2")["comparison"]["unchanged"], 1)
        everything = self.records("diff", "reviewed-2", "--limit", "0")
        self.lade("plan", "next.csv", "-d", "things.yaml", "--diff-file", "all.ndjson")
        self.assertEqual(everything, [json.loads(line) for line in (self.folder / "all.ndjson").read_text().splitlines()])
        page = self.json("diff", "reviewed-2", "--kind", "insert", "--limit", "4")
        self.assertEqual((len(page["items"]), page["matching"], page["revision"]), (4, 30, 0))
        rest = self.records("diff", "reviewed-2", "--kind", "insert", "--limit", "0", "--after", page["next"])
        self.assertEqual(page["items"] + rest, [record for record in everything if record["kind"] == "insert"])
        self.assertEqual(self.records("diff", "reviewed-2", "--kind", "update", "--column", "name"), [UPDATE])
        code, output = self.lade("diff", "reviewed-2", "--limit", "2")
        self.assertRegex(output, r"^revision 0: insert 30, update 1, remove 0\n")
        self.assertRegex(output, r"name +first → changed\n")
        self.assertRegex(output, r"there are more; the next ones: --after \d+\n$")

    def test_a_job_without_comparison_says_how_to_get_one(self):
        code, output = self.lade("diff", "things-1")
        self.assertEqual(code, 4, output)
        self.assertRegex(output, "no_diff.*\n.*review: always.*lade plan")
        code, output = self.lade("diff", "things-1", "--kind", "delete")
        self.assertEqual(code, 1, output)


class DiffOnServer(OnServer, Diff):
    pass
