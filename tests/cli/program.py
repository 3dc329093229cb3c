"""Runs lade in a fresh folder that holds a small database, its definition and a file."""

import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SERVER = ROOT / "scripts" / "private_postgresql.sh"
LADE = pathlib.Path(os.environ.get("LADE", ROOT / "build" / "lade")).resolve()
HAS_FAILPOINTS = LADE.exists() and b"LADE_FAILPOINTS" in LADE.read_bytes()

DEFINITION = """\
lade: 1
definition: things
columns:
  code: {from: Code, required: true}
  name: {from: [Name, Title]}
  loaded_by: {value: me}
load:
  - {table: thing, key: code}
"""
SCHEMA = "CREATE TABLE thing (code text NOT NULL PRIMARY KEY, name text, loaded_by text)"
HEADER = "Code,Name\n"


class ProgramTest(unittest.TestCase):
    url = "sqlite:company.db"

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lade_cli_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.write("things.yaml", DEFINITION)
        self.write("things.csv", HEADER + "a,first\nb,second\n")
        self.sql(SCHEMA)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def sql(self, text, database="company.db"):
        with sqlite3.connect(self.folder / database, timeout=60) as connection:
            rows = connection.execute(text).fetchall()
        connection.close()
        return rows

    def tables(self, database="company.db"):
        return [name for name, in self.sql("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", database)]

    def command(self, *words):
        return [str(LADE), *map(str, words)]

    def run_lade(self, *words, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("LADE_")}
        done = subprocess.run(self.command(*words), cwd=self.folder, env=environment | variables, capture_output=True, timeout=120,
                              check=False)
        output = (done.stdout + done.stderr).decode(errors="replace")
        self.assertNotIn("Sanitizer", output)
        self.assertNotIn("runtime error", output)
        self.assertGreaterEqual(done.returncode, 0, f"ended by a signal:\n{output}")
        return done.returncode, output

    def lade(self, *words):
        return self.run_lade(*words, "--database", self.url)

    def json(self, *words):
        code, output = self.lade(*words, "--output", "json")
        self.assertEqual(code, 0, output)
        return json.loads(output)

    def import_file(self, name, *words, **options):
        return self.run_lade("import", name, "-d", "things.yaml", "--database", "sqlite:company.db", *words, **options)

    def summary(self, name, *words, **options):
        code, output = self.import_file(name, "--output", "json", *words, **options)
        return code, json.loads(output.splitlines()[-1])

    def assert_refused(self, result, exit_code, error_code, *texts):
        """The command ended so, and said why."""
        code, output = result
        self.assertEqual(code, exit_code, output)
        for text in (error_code, *texts):
            self.assertIn(text, output)

    def assert_nothing_written(self):
        self.assertEqual(self.sql("SELECT count(*) FROM thing"), [(0,)])
        self.assertEqual(list(self.folder.rglob("*.part")), [])


class OnServer:
    """Mixed into a ProgramTest: its database is on a private PostgreSQL server, fresh for every test."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = tempfile.mkdtemp(prefix="lade_pg_", dir="/tmp")
        cls.url = subprocess.run([SERVER, "start", cls.server], capture_output=True, text=True, check=True).stdout.splitlines()[-1]

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        subprocess.run([SERVER, "stop", cls.server], check=False)

    def query(self, text):
        done = subprocess.run(["psql", "-XqAt", self.url, "-v", "ON_ERROR_STOP=1", "-c", text], capture_output=True, text=True, check=True)
        return [tuple(line.split("|")) for line in done.stdout.splitlines()]

    def setUp(self):
        self.query(f"DROP SCHEMA public CASCADE; CREATE SCHEMA public; {SCHEMA}")
        super().setUp()
