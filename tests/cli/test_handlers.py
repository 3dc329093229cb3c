"""Row handlers: the examples of docs/handlers.md, scripts in Lua that must not get far, and the file of handlers."""

import json
import pathlib
import re
import subprocess
import sys
import unittest

from program import ROOT, SERVER, ProgramTest

PAGE = (ROOT / "docs" / "handlers.md").read_text()


def shown(language, which=0):
    """The blocks of a language on the page."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)[which]


class HandlerTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.sql("CREATE TABLE person (code text PRIMARY KEY, name text, length integer)")
        self.write("people.yaml", shown("yaml"))
        self.write("people.csv", "code,first,last\n1,Ann,Lee\n2,,Öz\n3,Bob,\n")
        (self.folder / "handlers").mkdir()

    def load(self, *words, file="people.csv"):
        return self.lade("import", file, "-d", "people.yaml", "--handlers", "handlers.yaml", *words)

    def summary_of(self, *words, **options):
        code, output = self.load(*words, "--output", "json", **options)
        return code, json.loads(output.splitlines()[-1])

    def assert_people(self):
        code, summary = self.summary_of()
        self.assertEqual(code, 2, summary)
        self.assertEqual((summary["rows"]["inserted"], summary["rows"]["failed"]), (2, 1))
        self.assertEqual(self.sql("SELECT * FROM person ORDER BY code"), [("1", "Dear Ann Lee", 12), ("2", "Dear ? Öz", 9)])
        self.assertEqual(self.sql("SELECT row_id, code, message FROM lade_issue"), [(3, "handler_failed", "nobody without a last name")])


class Examples(HandlerTest):
    def test_lua(self):
        self.write("handlers/people.lua", shown("lua"))
        self.write("handlers.yaml", "handlers: {people: {lua: handlers/people.lua, options: [greeting]}}\n")
        self.assert_people()

    def test_python(self):
        self.write("people.py", shown("python"))
        handlers = shown("yaml", 2).replace("/usr/bin/python3", sys.executable)
        self.write("salaries.lua", "function import_row() end")
        self.write("handlers.yaml", handlers)
        self.assert_people()

    def test_by_setting(self):
        self.write("people.py", shown("python"))
        self.write("handlers.yaml", shown("yaml", 2).replace("/usr/bin/python3", sys.executable))
        code, output = self.run_lade("import", "people.csv", "-d", "people.yaml", "--database", self.url, HANDLERS_FILE="handlers.yaml")
        self.assertEqual(code, 2, output)

    def test_dry_run_and_results(self):
        self.write("handlers/people.lua", shown("lua"))
        self.write("handlers.yaml", "handlers: {people: {lua: handlers/people.lua, options: [greeting]}}\n")
        code, output = self.lade("plan", "people.csv", "-d", "people.yaml", "--handlers", "handlers.yaml")
        self.assertEqual(code, 2, output)
        self.assertEqual(self.sql("SELECT count(*) FROM person"), [(0,)])
        _, summary = self.summary_of()
        failed = (self.folder / summary["files"]["failed"]).read_text()
        self.assertIn("handler_failed", failed)
        # Who only looks needs no handlers.
        code, output = self.lade("rows", summary["job_id"])
        self.assertEqual(code, 0, output)


class PostgresqlExamples(HandlerTest):
    @classmethod
    def setUpClass(cls):
        import tempfile
        cls.server = tempfile.mkdtemp(prefix="lade_pg_", dir="/tmp")
        cls.url = subprocess.run([SERVER, "start", cls.server], capture_output=True, text=True, check=True).stdout.splitlines()[-1]

    @classmethod
    def tearDownClass(cls):
        subprocess.run([SERVER, "stop", cls.server], check=False)

    def sql(self, text, database="company.db"):
        done = subprocess.run(["psql", "-XqAt", "-F", "|", self.url, "-c", text], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    def test_lua(self):
        self.write("handlers/people.lua", shown("lua"))
        self.write("handlers.yaml", "handlers: {people: {lua: handlers/people.lua, options: [greeting]}}\n")
        code, summary = self.summary_of()
        self.assertEqual((code, summary["rows"]["inserted"], summary["rows"]["failed"]), (2, 2, 1), summary)
        self.assertEqual(self.sql("SELECT * FROM person ORDER BY code"), ["1|Dear Ann Lee|12", "2|Dear ? Öz|9"])


class Cage(HandlerTest):
    """Scripts that try to get out, or to take all there is."""

    def run_script(self, body, rows=3, limits="row_seconds: 1, batch_seconds: 2"):
        self.write("handlers/people.lua", f"function import_row(index, row, job_id, options)\n{body}\nreturn {{name = 'n'}} end\n")
        self.write("handlers.yaml", f"handlers: {{people: {{lua: handlers/people.lua, options: [greeting], limits: {{{limits}}}}}}}\n")
        self.write("people.csv", "code,first,last\n" + "".join(f"{i},F{i},L\n" for i in range(1, rows + 1)))
        code, summary = self.summary_of()
        return code, summary, self.sql("SELECT row_id, code, message FROM lade_issue")

    def test_a_loop_costs_its_row(self):
        code, summary, issues = self.run_script("if index == 2 then while true do end end", limits="row_seconds: 1, batch_seconds: 30")
        self.assertEqual((code, summary["rows"]["inserted"]), (2, 2))
        self.assertEqual(issues[0][:2], (2, "handler_failed"))
        self.assertIn("it takes longer than 1 s", issues[0][2])

    def test_a_pattern_that_no_hook_interrupts(self):
        body = "if index == 2 then return {name = string.find(string.rep('a', 40), string.rep('a-', 30) .. 'b')} end"
        code, summary, issues = self.run_script(body)
        self.assertEqual((code, summary["rows"]["inserted"]), (2, 2))
        self.assertEqual(issues[0][:2], (2, "handler_timed_out"))

    def test_memory(self):
        body = "if index == 2 then local t = {} for i = 1, 1e9 do t[i] = {i} end end"
        code, summary, issues = self.run_script(body, limits="memory_mb: 16, row_seconds: 60")
        self.assertEqual((code, summary["rows"]["inserted"]), (2, 2))
        self.assertEqual(issues, [(2, "handler_failed", "not enough memory")])

    def test_nothing_to_reach(self):
        code, summary, _ = self.run_script("assert(not io and not os and not debug and not load and not require and not package)")
        self.assertEqual((code, summary["rows"]["inserted"]), (0, 3))

    def test_a_script_that_cannot_be_run(self):
        self.write("handlers/people.lua", "function import_row(\n")
        self.write("handlers.yaml", "handlers: {people: {lua: handlers/people.lua, options: [greeting]}}\n")
        code, summary = self.summary_of()
        self.assertEqual((code, summary["error"]["code"]), (3, "handler_not_started"))
        self.assertIn("people.lua:", summary["error"]["message"])
        code, output = self.run_lade("run-handler", "handlers/people.lua")
        self.assert_refused((code, output), 4, "lua_invalid", "people.lua:")


class File(HandlerTest):
    def test_faults(self):
        self.write("handlers.yaml", "handlers:\n  people: {command: [python3], limit: 3}\n")
        self.assert_refused(self.load(), 4, "handlers_file_invalid", "handlers.yaml:2")

    def test_names(self):
        self.write("handlers.yaml", "handlers: {people: {command: [/bin/true]}}\n")
        self.assert_refused(self.load(), 4, "handler_option_unknown", "greeting")
        self.write("handlers.yaml", "handlers: {peeple: {command: [/bin/true]}}\n")
        self.assert_refused(self.load(), 4, "handler_unknown", "did you mean 'peeple'")
        self.assert_refused(self.lade("import", "people.csv", "-d", "people.yaml"), 4, "handler_unknown", "HANDLERS_FILE")

    def test_step_faults(self):
        self.write("handlers.yaml", "handlers: {people: {command: [/bin/true], options: [greeting]}}\n")
        definition = shown("yaml").replace("handler: people ", "handlr: people ").replace("[first, last]", "[first, lst]")
        self.write("people.yaml", definition.replace("{length: letters}", "{code: letters}"))
        code, output = self.load()
        self.assertEqual(code, 4)
        for part in ("'handlr' is no option", "`handler` is missing", "'lst'", "steps.full_name.results: 'code'"):
            self.assertIn(part, output)


if __name__ == "__main__":
    unittest.main()
