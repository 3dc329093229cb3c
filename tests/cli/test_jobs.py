"""Jobs, their rows and the queue, as people look at them and steer them. On both databases."""

import csv
import hashlib
import io
import json
import subprocess
import unittest

from program import SCHEMA, OnServer, ProgramTest


class JobTest(ProgramTest):
    """Jobs of a database: job 1 has loaded two rows, job 2 one of three."""

    def query(self, text):
        return [tuple(str(value) for value in row) for row in self.sql(text)]

    def setUp(self):
        super().setUp()
        self.write("worse.csv", "Code,Name\nc,third\n,nameless\n,=x\n")
        for name in ("things.csv", "worse.csv"):
            self.run_lade("import", name, "-d", "things.yaml", "--database", self.url, "--quiet")

    def place(self, job, state):
        """Puts a job back into a state, with its file where it lay."""
        self.query(f"UPDATE lade_job SET state = '{state}', outcome = NULL, finished_at = NULL, ended_in = NULL, dedupe_hash = NULL,"
                   f" options = '{{\"local\":{{}}}}' WHERE id = {job}")


class JobCommands:
    def test_the_data_folder_has_two_names(self):
        self.write("more.csv", "Code,Name\nd,fourth\n")
        words = ("import", "more.csv", "-d", "things.yaml", "--database", self.url, "--quiet")
        self.assertEqual(self.run_lade(*words, IMPORT_DATA_DIR="theirs")[0], 0)
        self.assertTrue((self.folder / "theirs" / "storage").is_dir())
        self.assertEqual(self.run_lade(*words, IMPORT_DATA_DIR="theirs2", LADE_DATA="ours")[0], 0)
        self.assertTrue((self.folder / "ours" / "storage").is_dir())
        self.assertFalse((self.folder / "theirs2").exists())

    def test_results_are_made_anew(self):
        made = self.json("results", "things-2", "--all", "--results-dir", "made")
        self.assertIsNone(made["unprocessed"])
        rows = list(csv.DictReader(io.StringIO((self.folder / made["failed"]).read_text())))
        self.assertEqual([(row["_row"], row["_code"]) for row in rows], [("2", "required"), ("3", "required")])
        self.assertEqual((self.folder / made["succeeded"]).read_text().splitlines()[1], "c,third,1,,")

    def test_limits_that_are_none_are_refused(self):
        self.place(1, "analysing_data")
        self.query("UPDATE lade_job SET state = 'finished', outcome = 'failed', error = 'x', ended_in = 'analysing_data' WHERE id = 1")
        self.assert_refused(self.lade("jobs", "retry", "things-1", "--max-errors", "many"), 1, "limit_invalid", "many", "5%")
        self.assertEqual(self.json("jobs", "show", "things-1")["status"], "failed")

    def test_jobs_are_listed_newest_first(self):
        code, output = self.lade("jobs")
        self.assertEqual(code, 0, output)
        lines = output.splitlines()
        self.assertRegex(lines[1], r"^things-2 +succeeded +100% +3 +2 +.* ago +worse.csv$")
        self.assertRegex(lines[2], r"^things-1 +succeeded +100% +2 +0 +.* ago +things.csv$")
        self.assertEqual([job["slug"] for job in self.json("jobs", "list")["jobs"]], ["things-2", "things-1"])
        lines = self.lade("jobs", "list", "--output", "ndjson")[1].splitlines()
        self.assertEqual([json.loads(line)["rows"]["failed"] for line in lines], [2, 0])

    def test_lists_are_filtered_and_paged(self):
        self.place(1, "waiting_for_review")
        self.assertEqual([job["id"] for job in self.json("jobs", "--status", "waiting_for_review")["jobs"]], [1])
        self.assertEqual(self.json("jobs", "--definition", "others")["jobs"], [])
        page = self.json("jobs", "--limit", "1")
        self.assertEqual((page["jobs"][0]["id"], page["next"]), (2, 2))
        page = self.json("jobs", "--limit", "1", "--before", "2")
        self.assertEqual((page["jobs"][0]["id"], page["next"]), (1, 0))
        self.assert_refused(self.lade("jobs", "--status", "sleeping"), 1, "status_unknown", "running")

    def test_a_job_is_found_by_id_uuid_and_slug(self):
        uuid = self.json("jobs", "show", "2")["job_id"]
        for name in ("2", uuid, "things-2"):
            self.assertEqual(self.json("jobs", "show", name)["id"], 2)

    def test_show_has_counts_and_history(self):
        code, output = self.lade("jobs", "show", "things-2")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"^things-2 succeeded\n")
        self.assertRegex(output, r"\n  failed +2\n")
        self.assertRegex(output, r"\nhistory\n +1  .* UTC  created")
        job = self.json("jobs", "show", "2")
        self.assertEqual((job["status"], job["rows"]["inserted"], job["conserved"]), ("succeeded", 1, True))
        self.assertEqual(job["events"][0]["event"], "created")

    def test_unknown_jobs(self):
        for command in (["rows"], ["approve"], ["reject"], *(["jobs", word] for word in (
                "show", "watch", "pause", "resume", "cancel", "retry", "clone", "delete"))):
            self.assert_refused(self.lade(*command, "things-9"), 4, "job_not_found", "things-9")
        code, output = self.lade("jobs", "show", "things-9", "--output", "json")
        self.assertEqual((code, json.loads(output)["error"]["code"]), (4, "job_not_found"))

    def test_pause_and_resume(self):
        self.place(1, "analysing_data")
        self.assertEqual(self.lade("jobs", "pause", "1"), (0, "things-1: paused\n"))
        self.assertEqual(self.json("jobs", "show", "1")["status"], "paused")
        self.assertEqual(self.lade("jobs", "resume", "1"), (0, "things-1: running\n"))
        event = self.json("jobs", "show", "1")["events"][-1]
        self.assertEqual(event["event"], "resumed")
        self.assertNotEqual(event["actor"], "")

    def test_what_the_state_does_not_take_is_refused(self):
        for command in (["jobs", "pause"], ["jobs", "cancel"], ["jobs", "retry"], ["approve"], ["reject"]):
            self.assert_refused(self.lade(*command, "1"), 4, "transition_refused")
        self.place(1, "processing_data")
        self.assert_refused(self.lade("jobs", "delete", "1"), 4, "transition_refused", "cancel it first")

    def test_cancel_then_retry(self):
        self.place(1, "waiting_for_review")
        self.assertEqual(self.lade("jobs", "cancel", "things-1"), (0, "things-1: cancelled\n"))
        self.assertEqual(self.lade("jobs", "watch", "things-1")[0], 5)
        self.assertEqual(self.lade("jobs", "retry", "things-1"), (0, "things-1: running\n"))
        self.assertEqual(self.json("queue", "--status", "pending")["tasks"][0]["kind"], "judge")

    def test_approval_of_a_revision(self):
        self.place(1, "waiting_for_review")
        self.assert_refused(self.lade("approve", "1", "--revision", "3"), 4, "revision_changed")
        job = self.json("approve", "1", "--revision", "0")
        self.assertEqual(job["state"], "approved")
        task = self.json("queue")["tasks"][0]
        self.assertEqual((task["kind"], task["status"], task["group"]), ("judge", "pending", job["job_id"]))

    def test_rejection(self):
        self.place(1, "waiting_for_review")
        self.assert_refused(self.lade("reject", "1", "--reason", "two\nlines"), 1, "reason_invalid")
        self.assertEqual(self.lade("reject", "1", "--reason", "the file of last week", "--quiet"), (0, ""))
        self.assertIn(": the file of last week\n", self.lade("jobs", "show", "1")[1])
        self.assertEqual(self.json("queue")["tasks"][0]["kind"], "finalise")

    def test_clones_and_twins(self):
        self.place(1, "waiting_for_review")
        self.assertEqual(self.lade("jobs", "clone", "1"), (0, "things-3: queued\n"))
        self.query("UPDATE lade_job SET dedupe_hash = 'same' WHERE id = 1")
        self.assert_refused(self.lade("jobs", "clone", "1"), 8, "job_exists", "things-1")
        self.assertEqual(self.lade("jobs", "clone", "1", "--force")[0], 0)

    def test_deleting(self):
        self.assertEqual(self.lade("jobs", "delete", "2"), (0, "things-2: deleted\n"))
        self.assertEqual([job["id"] for job in self.json("jobs")["jobs"]], [1])
        self.assertEqual(self.query("SELECT count(*) FROM lade_issue"), [("0",)])
        self.assertEqual(self.query("SELECT count(*) FROM thing"), [("3",)])

    def test_watching_ends_with_the_exit_code_of_an_import(self):
        code, output = self.lade("jobs", "watch", "things-1")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"things-1 succeeded\n  read +2\n  inserted +2\n")
        self.assertEqual(self.lade("jobs", "watch", "2", "--quiet"), (2, ""))
        self.place(1, "waiting_for_review")
        code, output = self.lade("jobs", "watch", "1")
        self.assertEqual(code, 7, output)
        self.assertIn("lade approve things-1", output)

    def test_a_live_job_is_watched_until_it_ends(self):
        self.place(1, "processing_data")
        process = subprocess.Popen(self.command("jobs", "watch", "1", "--database", self.url, "--output", "ndjson"), cwd=self.folder,
                                   stdout=subprocess.PIPE, text=True)
        first = json.loads(process.stdout.readline())
        self.assertEqual((first["event"], first["state"]), ("progress", "processing_data"))
        self.query("UPDATE lade_job SET state = 'finished', outcome = 'failed', error = 'why', error_code = 'too_many_errors' WHERE id = 1")
        last = json.loads(process.communicate(timeout=60)[0].splitlines()[-1])
        self.assertEqual((process.returncode, last["status"], last["error"]["code"]), (3, "failed", "too_many_errors"))

    def test_failed_rows_come_with_their_errors(self):
        code, output = self.lade("rows", "2")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"^row 2 \(line 3\) error at 100, skip: required in code: ")
        rows = self.json("rows", "2", "--state", "failed")["rows"]
        self.assertEqual([(row["row"], row["line"], row["code"], row["column"]) for row in rows],
                         [(2, 3, "required", "code"), (3, 4, "required", "code")])
        output = self.lade("rows", "2", "--output", "ndjson", "--limit", "1")[1]
        self.assertEqual(json.loads(output)["row"], 2)
        self.assertEqual(self.json("rows", "2", "--after", "2")["rows"][0]["row"], 3)
        output = self.lade("rows", "2", "--output", "csv")[1]
        self.assertEqual([row["row"] for row in csv.DictReader(io.StringIO(output))], ["2", "3"])
        self.assertEqual(self.lade("rows", "1"), (0, "no failed rows\n"))
        self.assert_refused(self.lade("rows", "1", "--state", "lost"), 1, "unprocessed")

    def test_rows_tell_how_far_they_have_come(self):
        row, = self.json("rows", "2", "--state", "processed")["rows"]
        self.assertEqual(row, {"row": 1, "state": "processed", "outcome": "inserted", "last_completed_priority": 200, "action": "insert"})
        self.assertEqual(self.lade("rows", "2", "--state", "inserted"), (0, "row 1 processed at 200, insert\n"))
        rows = self.json("rows", "2", "--state", "error")["rows"]
        self.assertEqual([(row["row"], row["state"], row["outcome"], row["last_completed_priority"], row["action"]) for row in rows],
                         [(2, "error", "failed", 100, "skip"), (3, "error", "failed", 100, "skip")])
        self.assertEqual(self.lade("rows", "2", "--state", "pending"), (0, "no pending rows\n"))
        self.query("DELETE FROM lade_outcome")
        self.query("UPDATE lade_job SET rows_inserted = 0")
        for state, expected in (("waiting_for_review", "analysed"), ("processing_data", "processing")):
            self.place(2, state)
            row, = self.json("rows", "2", "--state", expected)["rows"]
            self.assertEqual((row["row"], row["state"], row["last_completed_priority"], row["action"]), (1, expected, 100, None))

    def test_dead_letters(self):
        self.query("INSERT INTO lade_task (id, queue, kind, payload, priority, turn, storage, status, available_at, created_at)"
                   " VALUES (77, 'default', 'mail', '{}', 100, 0, '', 'failed', 0, 1700000000000000)")
        self.query("INSERT INTO lade_dead_letter (task_id, queue, kind, reason, message, attempts, crashes, died_at)"
                   " VALUES (77, 'default', 'mail', 'poison', 'it died', 2, 3, 1700000000000000)")
        letter = self.json("queue", "dead-letters")["dead_letters"][0]
        self.assertEqual((letter["task_id"], letter["reason"], letter["died_at"]), (77, "poison", "2023-11-14T22:13:20.000Z"))
        self.assertRegex(self.lade("queue", "dead-letters")[1], r"^task 77 mail \(2 tries, 3 crashes, \d+ days ago\)\n  poison: it died\n")
        self.assertEqual(self.lade("queue", "retry", "77"), (0, "task 77: pending again\n"))
        self.assertEqual(self.json("queue", "--kind", "mail")["tasks"][0]["status"], "pending")
        self.assert_refused(self.lade("queue", "delete", "77"), 1, "dead_letter_not_found")
        self.query("UPDATE lade_task SET status = 'failed' WHERE id = 77")
        self.assertEqual(self.lade("queue", "delete", "77")[0], 0)
        self.assertEqual(self.lade("queue", "dead-letters"), (0, "none\n"))

    def test_tasks_that_wait_for_their_next_attempt(self):
        self.query("INSERT INTO lade_task (id, queue, kind, payload, priority, turn, storage, status, attempts, available_at, created_at)"
                   " VALUES (77, 'default', 'mail', '{}', 100, 0, '', 'pending', 1, 4000000000000000, 1700000000000000)")
        self.assertEqual(self.json("queue", "--status", "retryable")["tasks"][0]["task_id"], 77)
        self.assertRegex(self.lade("queue", "--kind", "mail")[1], r"\n +77  retryable +mail +1 ")
        self.assertEqual(self.json("queue", "--status", "pending", "--kind", "mail")["tasks"], [])
        self.query("UPDATE lade_task SET status = 'failed', started_at = 1700000000000000, finished_at = 1700000002500000 WHERE id = 77")
        self.assertEqual(self.json("queue", "--kind", "mail")["tasks"][0]["duration_ms"], 2500)
        self.assertIn("2.5 s", self.lade("queue", "--kind", "mail")[1])

    def test_queues_and_kinds_are_paused(self):
        self.assertEqual(self.lade("queue", "pause", "default"), (0, "queue default: paused\n"))
        self.assertEqual(self.lade("queue", "pause", "process", "--kind"), (0, "kind process: paused\n"))
        self.assertTrue(self.lade("queue")[1].endswith("paused: kind process\npaused: queue default\n"))
        self.assertEqual(self.lade("queue", "resume", "default")[0], 0)
        self.assertNotIn("queue default", self.lade("queue")[1])

    def test_queues_are_limited(self):
        self.assertEqual(self.lade("queue", "limit", "prices", "2"), (0, "queue prices: at most 2 at once\n"))
        self.assertTrue(self.lade("queue")[1].endswith("at most 2 at once: queue prices\n"))
        self.assertEqual(self.lade("queue", "limit", "prices", "0"), (0, "queue prices: any number at once\n"))
        self.assertNotIn("prices", self.lade("queue")[1])
        self.assertEqual(self.lade("queue", "limit", "prices", "-1")[0], 1)

    def test_nodes(self):
        self.query("INSERT INTO lade_node (boot, name, storage, beat, started_at) VALUES ('b1', 'alpha', '', 1234, 1700000000000000)")
        self.assertRegex(self.lade("queue", "nodes")[1], r"\nb1 +alpha +0 +1 234 +\d+ days ago\n")
        self.assertEqual(self.json("queue", "nodes")["nodes"][0]["name"], "alpha")


class OnSqlite(JobCommands, JobTest):
    def test_looking_changes_no_byte(self):
        path = self.folder / "company.db"
        before = hashlib.sha256(path.read_bytes()).digest()
        for command in (["jobs"], ["jobs", "show", "1"], ["jobs", "watch", "1"], ["rows", "2"], ["queue"], ["queue", "nodes"],
                        ["queue", "dead-letters"]):
            self.lade(*command)
        self.assertEqual(hashlib.sha256(path.read_bytes()).digest(), before)

    def test_a_database_without_jobs(self):
        self.sql(SCHEMA, "fresh.db")
        fresh = ("--database", "sqlite:fresh.db")
        self.assertEqual(self.run_lade("jobs", *fresh), (0, "no jobs\n"))
        self.assertEqual(self.run_lade("queue", *fresh), (0, "none\n"))
        self.assert_refused(self.run_lade("jobs", "cancel", "1", *fresh), 4, "job_not_found")
        self.assertEqual(self.tables("fresh.db"), ["thing"])
        self.assert_refused(self.run_lade("jobs", "--database", "sqlite:missing.db"), 6, "cannot_connect")

    def test_an_older_database_is_not_guessed_at(self):
        self.sql("DELETE FROM lade_schema_version WHERE version > 3")
        self.assert_refused(self.lade("jobs"), 4, "schema_outdated", "lade migrate")


class OnPostgresql(OnServer, JobCommands, JobTest):
    pass


if __name__ == "__main__":
    unittest.main()
