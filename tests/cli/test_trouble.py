"""Databases that do not answer, sessions that end, full disks, signals."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from program import HEADER, ROOT, SCHEMA, ProgramTest

SCRIPT = ROOT / "scripts" / "private_postgresql.sh"


class ServerTest(ProgramTest):
    """A private server for the tests of one class."""

    @classmethod
    def setUpClass(cls):
        cls.server = tempfile.mkdtemp(prefix="lade_pg_", dir="/tmp")
        cls.url = subprocess.run([SCRIPT, "start", cls.server], capture_output=True, text=True, check=True).stdout.splitlines()[-1]
        cls.psql("CREATE ROLE guarded LOGIN PASSWORD 'right'; CREATE ROLE reader LOGIN;")
        access = pathlib.Path(cls.server) / "data" / "pg_hba.conf"
        access.write_text("local all guarded scram-sha-256\n" + access.read_text())
        cls.psql("SELECT pg_reload_conf()")

    @classmethod
    def tearDownClass(cls):
        subprocess.run([SCRIPT, "stop", cls.server], check=False)

    @classmethod
    def psql(cls, sql):
        return subprocess.run(["psql", "-XqAt", cls.url, "-v", "ON_ERROR_STOP=1", "-c", sql], capture_output=True, text=True,
                              check=True).stdout.strip()

    def setUp(self):
        super().setUp()
        self.psql(f"DROP SCHEMA public CASCADE; CREATE SCHEMA public; {SCHEMA}; GRANT USAGE ON SCHEMA public TO reader")

    def import_into(self, url, *words):
        return self.run_lade("import", "things.csv", "-d", "things.yaml", "--database", url, *words)

    def wait_for(self, query):
        deadline = time.monotonic() + 60
        while self.psql(query) == "0":
            self.assertLess(time.monotonic(), deadline, query)

    def held_import(self):
        """An import that waits for the target table, and the session that holds it."""
        holder = subprocess.Popen(["psql", "-XqAt", self.url], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        holder.stdin.write("BEGIN; LOCK TABLE thing IN EXCLUSIVE MODE;\n")
        holder.stdin.flush()
        self.wait_for("SELECT count(*) FROM pg_locks WHERE mode = 'ExclusiveLock' AND relation = 'thing'::regclass AND granted")
        process = subprocess.Popen(self.command("import", "things.csv", "-d", "things.yaml", "--database", self.url, "--output", "json"),
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.wait_for("SELECT count(*) FROM pg_locks WHERE relation = 'thing'::regclass AND NOT granted")
        return process, holder


class Databases(ServerTest):
    def test_no_server(self):
        self.assert_refused(self.import_into("postgresql://localhost:1/x"), 6, "cannot_connect", "localhost")
        self.assert_refused(self.import_into("sqlite:nowhere/company.db"), 6, "cannot_connect", "nowhere")
        self.assert_refused(self.import_into("sqlite:things.csv"), 6, "cannot_connect", "things.csv")

    def test_login(self):
        refused = self.import_into(f"postgresql://guarded:wrong@/postgres?host={self.server}")
        self.assert_refused(refused, 6, "cannot_connect", "password")
        self.assertNotIn("wrong", refused[1])
        self.assert_refused(self.import_into(self.url.replace("lade@", "stranger@")), 6, "cannot_connect", "stranger")
        self.assert_refused(self.import_into(self.url.replace("/postgres", "/elsewhere")), 6, "cannot_connect", "createdb")

    def test_permission(self):
        self.assert_refused(self.import_into(self.url.replace("lade@", "reader@")), 3, "db_denied")
        self.assertEqual(self.psql("SELECT count(*) FROM thing"), "0")

    # The connection of the job's own thread is not opened again, so neither summary nor outcome are recorded.
    def test_sessions_that_end_are_replaced(self):
        process, holder = self.held_import()
        self.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'lade%'")
        holder.communicate("COMMIT;\n")
        output, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, output)
        self.assertEqual(self.psql("SELECT count(*) FROM thing"), "2")
        self.assertEqual(self.psql("SELECT state, outcome, rows_inserted FROM lade_job"), "finished|succeeded|2")


class LostServer(ServerTest):
    def test_the_import_gives_up_after_a_while(self):
        process, holder = self.held_import()
        subprocess.run([SCRIPT, "stop", self.server], check=True)
        output, _ = process.communicate(timeout=120)
        holder.communicate()
        self.assertEqual(process.returncode, 6, output)
        error = json.loads(output.splitlines()[-1])["error"]
        self.assertEqual((error["code"], error["hint"]),
                         ("cannot_connect", "the same command goes on with the job when the database is up"))


class Disks(ProgramTest):
    def test_full(self):
        self.write("things.csv", HEADER + "a,first\n,nameless\n")
        code, output = self.import_file("things.csv", "--issues", "/dev/full")
        self.assertEqual(code, 3, output)
        self.assertIn("disk_full", output)

    # The folder is made after the rows are loaded, and an exception of the library ends the program.
    def test_results_folder_that_cannot_be_made(self):
        self.write("things.csv", HEADER + "a,first\n,nameless\n")
        code, output = self.import_file("things.csv", "--results-dir", "things.yaml/results")
        self.assertEqual(code, 4, output)
        self.assert_nothing_written()


class Signals(ProgramTest):
    @staticmethod
    def is_spooling(process):
        for link in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
            try:
                if "(deleted)" in os.readlink(link):
                    return True
            except FileNotFoundError:
                continue  # closed meanwhile
        return False

    def test_waiting_for_a_pipe(self):
        process = subprocess.Popen(self.command("import", "-", "-d", "things.yaml", "--database", "sqlite:company.db"), cwd=self.folder,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdin.write(HEADER)
        process.stdin.flush()
        while not self.is_spooling(process):
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 5)  # the pipe is still open and silent
        output, errors = process.communicate()
        self.assertIn("cancelled", errors)
        self.assert_nothing_written()


if __name__ == "__main__":
    unittest.main()
