"""Jobs that belong together, as people put them into a batch, look at it and steer it. On both databases."""

import json
import unittest

from program import SCHEMA, OnServer, ProgramTest


class BatchTest(ProgramTest):
    """The batch monday has two queued jobs: one of two good rows, one with two bad rows of three."""

    def setUp(self):
        super().setUp()
        self.write("worse.csv", "Code,Name\nc,third\n,nameless\n,=x\n")
        self.submitted = self.submit("things.csv", "worse.csv")

    def submit(self, *files, batch="monday"):
        return self.json("import", *files, "-d", "things.yaml", "--async", "--batch", batch)

    def work(self):
        self.assertEqual(self.lade("worker", "--until-idle", "--quiet")[0], 0)


class BatchCommands:
    def test_several_files_become_jobs_of_one_batch(self):
        self.assertEqual([(job["file"], job["job"], job["status"]) for job in self.submitted["jobs"]],
                         [("things.csv", "things-1", "queued"), ("worse.csv", "things-2", "queued")])
        self.assertEqual([(job["slug"], job["batch"]) for job in self.json("jobs", "--batch", "monday")["jobs"]],
                         [("things-2", "monday"), ("things-1", "monday")])
        self.write("more.csv", "Code,Name\nd,fourth\n")
        self.submit("more.csv")
        batch, = self.json("batches")["batches"]
        self.assertEqual((batch["name"], batch["status"], batch["progress"], batch["jobs"]["total"]), ("monday", "pending", 0, 3))
        self.assertNotEqual(batch["created_by"], "")

    def test_a_batch_ends_with_its_jobs(self):
        self.work()
        batch = self.json("batches", "show", "monday")
        self.assertEqual((batch["status"], batch["progress"]), ("succeeded", 100))
        self.assertEqual(batch["jobs"], {"total": 2, "finished": 2, "succeeded": 2, "failed": 0, "cancelled": 0})
        self.assertEqual(batch["rows"], {"total": 5, "processed": 5, "failed": 2})
        self.assertLessEqual(batch["created_at"], batch["started_at"])
        self.assertLess(batch["started_at"], batch["completed_at"])
        code, output = self.lade("batches", "show", "1")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"^monday succeeded, 100%\n")
        self.assertRegex(output, r"\n  jobs +2 of 2 finished: 2 succeeded, 0 failed, 0 cancelled\n")
        self.assertRegex(output, r"\nthings-2 +succeeded ")
        self.assertRegex(self.lade("batches")[1], r"\nmonday +succeeded +100% +2/2 +0 +5 +2 +.* ago\n")
        self.assertRegex(self.lade("jobs", "show", "things-1")[1], r"\n  batch +monday\n")

    def test_pause_holds_newcomers_and_resume_lets_all_go(self):
        self.assertEqual(self.lade("batches", "pause", "monday"), (0, "monday: paused; jobs: 2 paused\n"))
        self.write("more.csv", "Code,Name\nd,fourth\n")
        self.assertEqual(self.submit("more.csv")["status"], "paused")
        self.assertEqual([job["status"] for job in self.json("jobs")["jobs"]], ["paused"] * 3)
        self.assertEqual(self.json("batches", "--status", "paused")["batches"][0]["newcomers_wait"], True)
        self.assertEqual(self.lade("batches", "resume", "monday"), (0, "monday: pending; jobs: 3 resumed\n"))
        self.work()
        self.assertEqual(self.json("batches", "show", "monday")["status"], "succeeded")

    def test_cancel_then_retry(self):
        self.assertEqual(self.lade("batches", "cancel", "monday"), (0, "monday: cancelled; jobs: 2 cancelled\n"))
        batch = self.json("batches", "retry", "monday")
        self.assertEqual((batch["done"], batch["refused"], batch["jobs"]["finished"]), (2, {}, 0))
        self.work()
        self.assertEqual(self.json("batches", "show", "monday")["rows"]["processed"], 5)
        self.assertEqual(self.lade("batches", "retry", "monday"),
                         (0, "monday: succeeded; jobs: 0 tried again, 2 left as they are (transition_refused)\n"))

    def test_what_can_be_seen_of_a_batch(self):
        self.work()
        tasks = self.json("batches", "tasks", "monday", "--limit", "3")
        self.assertEqual({task["status"] for task in tasks["items"]}, {"succeeded"})
        rest = self.json("batches", "tasks", "monday", "--cursor", tasks["next"])
        kinds = {task["type"] for task in tasks["items"] + rest["items"]}
        self.assertTrue({"plan", "analyse", "process"} <= kinds, kinds)
        task = tasks["items"][0]
        self.assertEqual(self.json("batches", "task", "monday", task["task_id"]), task)
        self.assertEqual((task["fetched"], task["quality"]), (None, None), "it is no page")
        self.assertRegex(self.lade("batches", "task", "monday", task["task_id"])[1],
                         rf"^{task['task_id']} succeeded\n  key +{task['key']}\n  type +{task['type']}\n  attempt +1\n$")
        self.assert_refused(self.lade("batches", "task", "monday", "9-9"), 4, "row_task_not_found")
        stages = self.json("batches", "stages", "monday")["items"]
        self.assertEqual([(stage["job_type"], stage["status"]) for stage in stages[:3]],
                         [("manifest_ingest", "succeeded"), ("review_prep", "succeeded"), ("load", "succeeded")])
        events = [event["event_type"] for event in self.json("batches", "events", "monday")["items"]]
        self.assertEqual((events[0], events[-1], events.count("MANIFEST_INGEST_SUCCEEDED")), ("BATCH_CREATED", "BATCH_COMPLETED", 2))
        metrics = self.json("batches", "metrics", "monday")
        self.assertEqual((metrics["success_rate"], metrics["top_failure_reasons"][0]["code"]), (0.6, "required"))
        self.assertRegex(self.lade("batches", "metrics", "monday")[1], r"success rate  60.0 %\n")
        code, errors = self.lade("batches", "errors", "monday")
        self.assertEqual((code, errors.count("\n"), errors.splitlines()[0].split(",")[:3]), (0, 3, ["job", "row", "line"]))
        self.assertIn(",required,", errors)
        self.assertIn('"task_id"', self.lade("batches", "export", "monday")[1])
        self.assertRegex(self.lade("batches", "tasks", "monday", "--status", "failed")[1], r"^no tasks\n")
        self.assert_refused(self.lade("batches", "tasks", "monday", "--cursor", "x"), 1, "cursor_invalid")

    def test_refused_finalized_and_deleted(self):
        self.assert_refused(self.lade("batches", "resume", "monday"), 4, "transition_refused", "nothing of it is paused")
        self.assert_refused(self.lade("batches", "finalize", "monday"), 4, "transition_refused")
        self.assertEqual(self.lade("batches", "requeue-stuck", "monday"), (0, "monday: pending; jobs: 0 had stuck tasks\n"))
        deleted = self.json("batches", "delete", "monday")
        self.assertEqual((deleted["deleted"], deleted["refused"]), (False, {"transition_refused": 2}))
        self.work()
        self.assert_refused(self.lade("batches", "cancel", "monday"), 4, "transition_refused", "none of its jobs is under way")
        self.assertEqual(self.lade("batches", "finalize", "monday"), (0, "monday: succeeded; jobs: 2 kept\n"))
        self.write("more.csv", "Code,Name\nd,fourth\n")
        self.assert_refused(self.lade("import", "more.csv", "-d", "things.yaml", "--async", "--batch", "monday"), 4, "transition_refused")
        self.assertEqual(self.lade("batches", "delete", "monday"), (0, "monday: deleted; jobs: 2 forgotten\n"))
        self.assertEqual(self.json("jobs")["jobs"], [])
        self.assert_refused(self.lade("batches", "events", "monday"), 4, "batch_not_found")

    def test_lists_are_filtered_and_paged(self):
        self.write("more.csv", "Code,Name\nd,fourth\n")
        self.submit("more.csv", batch="tuesday")
        self.lade("batches", "cancel", "monday")
        self.assertEqual([batch["name"] for batch in self.json("batches", "--status", "cancelled")["batches"]], ["monday"])
        page = self.json("batches", "list", "--limit", "1")
        self.assertEqual((page["batches"][0]["name"], page["next"]), ("tuesday", page["batches"][0]["id"]))
        page = self.json("batches", "--limit", "1", "--before", page["next"])
        self.assertEqual((page["batches"][0]["name"], page["next"]), ("monday", 0))
        lines = self.lade("batches", "--output", "ndjson")[1].splitlines()
        self.assertEqual([json.loads(line)["name"] for line in lines], ["tuesday", "monday"])
        self.assert_refused(self.lade("batches", "--status", "queued"), 1, "status_unknown", "pending")

    def test_a_refused_file_does_not_keep_the_others_back(self):
        self.write("more.csv", "Code,Name\nd,fourth\n")
        code, output = self.lade("import", "missing.csv", "things.csv", "more.csv", "-d", "things.yaml", "--async", "--batch", "monday",
                                 "--output", "json")
        jobs = json.loads(output)["jobs"]
        self.assertEqual((code, jobs[0]["error"]["code"], jobs[1]["error"]["code"]), (4, "file_not_found", "job_exists"))
        self.assertEqual((jobs[2]["job"], self.json("batches", "show", "monday")["jobs"]["total"]), (self.newest_slug(), 3))

    def newest_slug(self):
        return self.json("jobs", "--limit", "1")["jobs"][0]["slug"]

    def test_bad_input(self):
        for command in (["batches", word] for word in ("show", "pause", "resume", "cancel", "retry", "requeue-stuck",
                                                         "approve-all", "reject-all", "finalize", "delete", "tasks", "stages",
                                                         "events", "metrics", "errors", "export")):
            self.assert_refused(self.lade(*command, "nobody"), 4, "batch_not_found", "nobody")
        self.assert_refused(self.lade("jobs", "--batch", "nobody"), 4, "batch_not_found")
        words = ("import", "things.csv", "-d", "things.yaml")
        for name in ("", " ", "a\nb", "x" * 201):
            self.assert_refused(self.lade(*words, "--force", "--async", "--batch", name), 1, "batch_name_invalid")
        self.assert_refused(self.lade(*words, "--batch", "monday"), 1, "--async")
        self.assert_refused(self.lade(*words, "worse.csv"), 1, "option_invalid", "--async")
        self.assert_refused(self.lade("plan", *words[1:], "worse.csv"), 1, "FILE")
        self.assertEqual(len(self.json("jobs")["jobs"]), 2)


class OnSqlite(BatchCommands, BatchTest):
    def test_a_database_without_batches(self):
        self.sql(SCHEMA, "fresh.db")
        fresh = ("--database", "sqlite:fresh.db")
        self.assertEqual(self.run_lade("batches", *fresh), (0, "no batches\n"))
        self.assert_refused(self.run_lade("batches", "cancel", "1", *fresh), 4, "batch_not_found")
        self.assert_refused(self.run_lade("jobs", "--batch", "1", *fresh), 4, "batch_not_found")
        self.assertEqual(self.tables("fresh.db"), ["thing"])


class OnPostgresql(OnServer, BatchCommands, BatchTest):
    pass


if __name__ == "__main__":
    unittest.main()
