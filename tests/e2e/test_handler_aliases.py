"""The addresses of a system whose imports are row handlers of resources, and the Redis that shows how far its imports are."""

import datetime
import json
import sys
import time

from harness import HEADER, ROOT, OnServer, Server, ServerTest

sys.path.insert(0, str(ROOT / "tests" / "testing"))
from redis_server import Redis  # noqa: E402  pylint: disable=wrong-import-position


def moment(seconds_ago=0):
    then = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds_ago)
    return then.strftime("%Y-%m-%dT%H:%M:%S.") + f"{then.microsecond // 1000:03}Z"


def progress(succeeded, failed=0, seconds_ago=0, total=2, **more):
    done = succeeded + failed
    return {"processed_rows": done, "total_rows": total, "success_count": succeeded, "failure_count": failed,
            "percentage": round(done * 100 / total, 1), "last_updated": moment(seconds_ago), "attempt": 0, "finished": False, **more}


class Resources(ServerTest):
    def setUp(self):
        self.redis = Redis("a-very-secret-secret")
        self.addCleanup(self.redis.stop)
        super().setUp()

    settings = {}

    def start(self, *words, port=0):
        server = Server(self.folder, self.url, *(words or self.words), "--redis", self.redis.url, port=port, REDIS_PASSWORD=self.redis.password,
                        **self.settings)
        self.addCleanup(self.end, server)
        return server

    def uploaded(self, content=HEADER + "a,first\n,bad\nb,second\n", client=None):
        answer = (client or self.client).upload("/api/v1/files", "things.csv", content.encode())
        self.assertEqual(answer.status, 201, answer.body)
        return answer.json()["file_id"]

    def begin(self, resource="things", content=HEADER + "a,first\n,bad\nb,second\n", **options):
        answer = self.client.post(f"/api/v1/{resource}/import/", {"file_id": self.uploaded(content), "options": options})
        self.assertEqual(answer.status, 202, answer.body)
        return answer.json()["import_job_id"]

    def status(self, job):
        answer = self.client.get(f"/api/v1/import/status/?task_id={job}")
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def polled(self, job, *statuses):
        end = time.monotonic() + 60
        while True:
            found = self.status(job)
            if found["status"] in (statuses or ("succeeded", "failed", "cancelled")):
                return found
            self.assertLess(time.monotonic(), end, found)
            time.sleep(0.05)


class Imports(Resources):
    def test_an_uploaded_file_goes_into_a_resource(self):
        file = self.uploaded()
        answer = self.client.post("/api/v1/things/import/", {"file_id": file, "options": {"batch_size": 500, "count_total_first": True}})
        self.assertEqual(answer.status, 202, answer.body)
        accepted = answer.json()
        self.assertEqual(accepted["celery_task_id"], accepted["import_job_id"])
        self.assertIn(accepted["status"], ("queued", "running"))
        job = accepted["import_job_id"]
        self.assertEqual(answer.headers["Location"], f"/api/v1/import/status/?task_id={job}")
        self.wait_for(job)
        found = self.client.get(answer.headers["Location"]).json()
        self.assertEqual(found["created_at"], accepted["created_at"])
        self.assertEqual((found["id"], found["resource"], found["file_id"], found["status"]), (job, "things", file, "succeeded"))
        self.assertEqual((found["total_rows"], found["processed_rows"], found["success_count"], found["failure_count"]), (3, 3, 2, 1))
        self.assertEqual((found["percentage"], found["error_message"], found["options"]["batch_rows"]), (100.0, None, 500))
        self.assertLessEqual(found["created_at"], found["started_at"])
        self.assertLessEqual(found["started_at"], found["finished_at"])
        self.assertEqual(self.things(), [("a", "first"), ("b", "second")])
        files = {one["which"]: one for one in found["result_files"]}
        self.assertEqual(sorted(files), ["failed", "succeeded"])
        self.assertEqual((found["result_failed_file"], found["result_success_file"]), (files["failed"]["file_id"], files["succeeded"]["file_id"]))
        self.assertIsNone(files["failed"]["expires_at"])
        failed = self.client.get(files["failed"]["url"])
        self.assertEqual((failed.status, len(failed.body)), (200, files["failed"]["bytes"]))
        self.assertIn(b"bad", failed.body)

    def test_the_mirror_has_the_end_for_a_day(self):
        job = self.begin()
        found = self.polled(job)
        end = time.monotonic() + 10
        while not (shown := self.redis.progress(job)) or not shown["finished"]:
            self.assertLess(time.monotonic(), end, shown)
            time.sleep(0.02)
        for name in ("processed_rows", "total_rows", "success_count", "failure_count", "percentage"):
            self.assertEqual(shown[name], found[name], name)
        self.assertGreater(int(self.redis.ask("TTL", "import:progress:" + job)), 86000)

    def test_rows_above_the_data(self):
        job = self.begin(content="A list of things,\n" + HEADER + "a,first\n", header_rows=2)
        self.assertEqual(self.polled(job)["status"], "succeeded")
        self.assertEqual(self.things(), [("a", "first")])

    def test_result_files_as_they_are_wished(self):
        found = self.polled(self.begin(output_format="xlsx", result_file_prefix="monday-"))
        self.assertEqual({file["which"] for file in found["result_files"]}, {"failed", "succeeded"})
        for file in found["result_files"]:
            self.assertTrue(file["name"].startswith("monday-") and file["name"].endswith(".xlsx"), file)
            self.assertEqual(self.client.get(file["url"]).body[:2], b"PK")
        found = self.polled(self.begin(content=HEADER + "c,third\n,bad\n", create_result_file_records=False))
        self.assertEqual((found["status"], found["result_files"]), ("succeeded", []))

    def test_a_failure_says_why(self):
        job = self.begin(content="Other,Header\nx,y\n")
        found = self.polled(job)
        self.assertEqual(found["status"], "failed")
        self.assertTrue(found["error_message"])

    def test_what_is_refused(self):
        file = self.uploaded()
        self.check(self.lade("companies", "create", "other"))
        stranger = self.user("boss@other.example", "admin", company="other")
        theirs = self.uploaded(client=stranger)
        self.problem(self.client.post("/api/v1/nothing/import/", {"file_id": file}), 404, "definition_not_found")
        self.problem(stranger.post("/api/v1/things/import/", {"file_id": theirs}), 404, "definition_not_found")
        for body, code in (({}, "request_invalid"), ({"file_id": 123}, "request_invalid"),
                           ({"file_id": "123"}, "file_unknown"), ({"file_id": "../../etc/passwd"}, "file_unknown"),
                           ({"file_id": theirs}, "file_unknown"), ({"file_id": file, "user": 1}, "option_unknown"),
                           ({"file_id": file, "options": []}, "request_invalid")):
            self.problem(self.client.post("/api/v1/things/import/", body), 400, code)
        for options, code in (({"batch_size": 0}, "request_invalid"), ({"batch_size": 100001}, "request_invalid"),
                              ({"batch_size": "many"}, "request_invalid"), ({"batch_size": 1.5}, "request_invalid"),
                              ({"header_rows": -1}, "request_invalid"), ({"header_rows": 101}, "request_invalid"),
                              ({"count_total_first": "perhaps"}, "request_invalid"), ({"create_result_file_records": 2}, "request_invalid"), ({"batchsize": 5}, "option_unknown")):
            told = self.problem(self.client.post("/api/v1/things/import/", {"file_id": file, "options": options}), 400, code)
            self.assertIn(next(iter(options)), told["detail"])
        for options in ({"output_format": "pdf"}, {"result_file_prefix": "../x"}, {"result_file_prefix": 7}):
            self.problem(self.client.post("/api/v1/things/import/", {"file_id": file, "options": options}), 400, "request_invalid")
        self.problem(self.client.post("/api/v1/things/import", {"file_id": file}), 404, "route_not_found")
        self.assertEqual(self.client.get("/api/v1/imports").json()["items"], [])

    def test_a_template(self):
        answer = self.client.get("/api/v1/things/import_template/")
        self.assertEqual(answer.body[:2], b"PK")
        answer = self.client.get("/api/v1/things/import_template/?format=csv")
        self.assertTrue(answer.body.startswith(HEADER.strip().encode()), answer.body)
        self.problem(self.client.get("/api/v1/nothing/import_template/"), 404, "definition_not_found")


class Cancelling(Resources):
    def test_what_waits_is_cancelled_at_once(self):
        job = self.begin("reviewed")
        self.wait_for(job, "waiting_for_review")
        self.assertEqual(self.status(job)["status"], "running")
        answer = self.client.post(f"/api/v1/imports/{job}/cancel/")
        self.assertEqual((answer.status, answer.json()["status"]), (200, "cancelled"))
        self.assertEqual(self.status(job)["status"], "cancelled")
        self.problem(self.client.post(f"/api/v1/imports/{job}/cancel/"), 400, "cancel_refused")

    def test_what_is_queued_is_cancelled(self):
        self.check(self.lade("queue", "pause", "default"))
        job = self.begin()
        self.assertEqual(self.status(job)["status"], "queued")
        self.assertIn(self.client.post(f"/api/v1/imports/{job}/cancel/").status, (200, 202))
        self.assertEqual(self.polled(job)["status"], "cancelled")
        self.assertEqual(self.things(), [])

    def test_what_has_ended_is_not(self):
        job = self.begin()
        self.polled(job)
        told = self.problem(self.client.post(f"/api/v1/imports/{job}/cancel/"), 400, "cancel_refused")
        self.assertIn("succeeded", told["detail"])
        self.problem(self.client.post("/api/v1/imports/unknown/cancel/"), 404, "job_not_found")


class Status(Resources):
    def test_of_what(self):
        self.problem(self.client.get("/api/v1/import/status/"), 400, "request_invalid")
        self.problem(self.client.get("/api/v1/import/status/?task_id="), 400, "request_invalid")
        self.problem(self.client.get("/api/v1/import/status/?task_id=unknown"), 404, "job_not_found")
        job = self.begin()
        self.check(self.lade("companies", "create", "other"))
        stranger = self.user("boss@other.example", "admin", company="other")
        self.problem(stranger.get(f"/api/v1/import/status/?task_id={job}"), 404, "job_not_found")
        self.problem(self.client.get(f"/api/v1/import/status/?task_id={job}&more=1"), 400, "option_unknown")

    def test_the_fresher_counts(self):
        job = self.begin("reviewed", HEADER + "a,first\nb,second\n")
        self.wait_for(job, "waiting_for_review")
        key = "import:progress:" + job

        def counted(value):
            self.redis.ask("SET", key, value if isinstance(value, str) else json.dumps(value))
            found = self.status(job)
            self.assertEqual((found["status"], found["total_rows"]), ("running", 2))
            self.assertEqual(found["processed_rows"], found["success_count"] + found["failure_count"])
            return found["success_count"], found["failure_count"], found["percentage"]

        stored = (0, 0, 0.0)
        self.assertEqual(counted(progress(1)), (1, 0, 50.0))
        self.assertEqual(counted(progress(1, 1)), (1, 1, 100.0))
        for value in ("", "12", "{", "[]", progress(1, attempt=1), progress(1, seconds_ago=40), progress(1, seconds_ago=-3600), progress(1, total=3),
                      progress(1, processed_rows=2), progress(1, success_count="1"), progress(1, last_updated="now"), progress(3),
                      progress(2, finished=True)):
            self.assertEqual(counted(value), stored, value)
        self.redis.ask("DEL", key)
        self.redis.ask("LPUSH", key, "1")
        self.assertEqual(self.status(job)["processed_rows"], 0)
        self.redis.ask("DEL", key)
        self.assertEqual(self.status(job)["processed_rows"], 0)

    def test_without_redis_only_freshness_is_lost(self):
        job = self.begin("reviewed", HEADER + "a,first\nb,second\n")
        self.wait_for(job, "waiting_for_review")
        self.status(job)
        self.redis.kill()
        self.assertEqual(self.status(job)["processed_rows"], 0)
        other = self.begin()
        self.assertEqual(self.polled(other)["success_count"], 2)
        self.server.wait_for("mirror_lost")
        self.redis.start()
        last = self.begin(content=HEADER + "c,third\n")
        self.polled(last)
        end = time.monotonic() + 60
        while not (shown := self.redis.progress(last)) or not shown["finished"]:
            self.assertLess(time.monotonic(), end, shown)
            time.sleep(0.05)
        # Who has lost it finds it again by using it: the reader, for a job that runs.
        while not self.server.log("mirror_back"):
            self.assertLess(time.monotonic(), end, "mirror_back was not said")
            self.status(job)
            time.sleep(0.05)
        # Of each of the two who use it, the writer and the reader.
        self.assertLessEqual(len(self.server.log("mirror_lost")), 2)
        self.assertNotIn(self.redis.password, "\n".join(self.server.lines))

    def test_one_that_hangs_costs_little(self):
        job = self.begin("reviewed")
        self.wait_for(job, "waiting_for_review")
        self.redis.process.send_signal(19)  # SIGSTOP
        begin = time.monotonic()
        for _ in range(20):
            self.status(job)
        self.assertLess(time.monotonic() - begin, 15)
        self.redis.process.send_signal(18)  # SIGCONT


HANDLERS = """handlers:
  hire: {{command: [{python}, {handler}], environment: {{LEDGER: {folder}/hire}}, options: [department, allow_update]}}
  fire: {{command: [{python}, {handler}], environment: {{LEDGER: {folder}/fire}}, options: [department]}}
"""
STAFF = "lade: 1\ndefinition: staff\nload: [{handler: hire, options: {department: sales}}]\n"
TEAMS = "lade: 1\ndefinition: teams\nload: [{handler: hire, batch_size: 7}]\n"
LOST = "lade: 1\ndefinition: lost\nload: [{handler: nobody}]\n"


def people(count, name="p"):
    return "name,pay\n" + "".join(f"{name},{i}\n" for i in range(count))


class Handlers(Resources):
    """The handler is all of the import: it writes wherever it wants."""

    settings = {"IMPORT_DEFAULT_BATCH_SIZE": "5"}

    def setUp(self):
        super().setUp()
        for name, text in (("staff", STAFF), ("teams", TEAMS), ("lost", LOST)):
            self.write(f"{name}.yaml", text)
            self.check(self.lade("definitions", "add", f"{name}.yaml"))

    def start(self, *words, port=0):
        handler = ROOT / "tests" / "handlers" / "ledger.py"
        self.write("handlers.yaml", HANDLERS.format(python=sys.executable, handler=handler, folder=self.folder))
        return super().start(*(words or self.words), "--handlers", "handlers.yaml", port=port)

    def ledger(self, name="hire"):
        return [json.loads(line) for line in (self.folder / name).read_text().splitlines()]

    def batches(self, resource, **options):
        """The largest batch that the handler got."""
        (self.folder / "hire").unlink(missing_ok=True)
        self.assertEqual(self.polled(self.begin(resource, people(100, f"{resource}{options}"[:20]), **options))["status"], "succeeded")
        return max(note["batch"] for note in self.ledger() if "batch" in note)

    def test_rows_are_handed_over(self):
        found = self.polled(self.begin("staff", people(20) + "refuse,1\n"))
        self.assertEqual((found["status"], found["success_count"], found["failure_count"]), ("succeeded", 20, 1))
        self.assertEqual(sorted(note["row"] for note in self.ledger() if "row" in note), list(range(1, 21)))
        self.assertEqual([note["options"] for note in self.ledger() if "begins" in note], [{"department": "sales"}])
        self.assertEqual([note["ends"] for note in self.ledger() if "ends" in note], ["succeeded"])

    def test_metrics_tell_the_errors_of_each_handler(self):
        self.polled(self.begin("staff", people(20) + "refuse,1\n"))
        wanted = {'lade_handler_rows_total{handler="hire"} 21', 'lade_handler_errors_total{handler="hire"} 1'}
        end = time.monotonic() + 10
        while not wanted <= set(lines := self.connect().get("/metrics").body.decode().splitlines()):
            self.assertLess(time.monotonic(), end, [line for line in lines if "handler" in line])
            time.sleep(0.1)

    def test_request_over_definition_over_setting(self):
        self.assertEqual(self.batches("staff"), 5)
        self.assertEqual(self.batches("teams"), 7)
        self.assertEqual(self.batches("teams", batch_size=3), 3)
        self.polled(self.begin("staff", people(3), handler_options={"department": "research"}, allow_update=True))
        self.assertEqual([note["options"] for note in self.ledger() if "begins" in note][-1], {"department": "research", "allow_update": True})

    def test_another_handler_by_its_name(self):
        self.polled(self.begin("staff", people(3), handler_path="fire", allow_update=True))
        self.assertFalse((self.folder / "hire").exists())
        self.assertEqual([note["options"] for note in self.ledger("fire") if "begins" in note], [{"department": "sales"}])

    def test_what_is_no_handler_is_refused(self):
        file = self.uploaded(people(3))
        for resource, options, code in (
                ("staff", {"handler_path": "apps.hrm.handlers.employee_import"}, "handler_unknown"), ("staff", {"handler_path": "/bin/sh"}, "handler_unknown"),
                ("staff", {"handler_path": "../hire"}, "handler_unknown"), ("staff", {"handler_path": 5}, "request_invalid"),
                ("staff", {"handler_options": {"rank": 1}}, "handler_option_unknown"), ("staff", {"handler_options": "x"}, "request_invalid"),
                ("staff", {"handler_path": "fire", "handler_options": {"allow_update": True}}, "handler_option_unknown"),
                ("staff", {"allow_update": "maybe"}, "request_invalid"), ("lost", {}, "handler_unknown"),
                ("things", {"handler_path": "hire"}, "handler_not_used"), ("things", {"handler_options": {"department": 1}}, "handler_not_used")):
            with self.subTest(resource=resource, options=options):
                self.problem(self.client.post(f"/api/v1/{resource}/import/", {"file_id": file, "options": options}), 400, code)
        self.assertEqual(self.client.get("/api/v1/imports").json()["items"], [])

    def test_rows_are_seen_before_their_batch_is_stored(self):
        job = self.begin("staff", people(150, "slow"), batch_size=150)
        seen, end = set(), time.monotonic() + 60
        while (found := self.status(job))["status"] in ("queued", "running"):
            self.assertGreaterEqual(found["processed_rows"], max(seen, default=0), "it never goes back")
            seen.add(found["processed_rows"])
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        self.assertEqual(found["processed_rows"], 150)
        self.assertTrue([rows for rows in seen if 0 < rows < 150], seen)


class ImportsOnServer(OnServer, Imports):
    pass


class CancellingOnServer(OnServer, Cancelling):
    pass


class StatusOnServer(OnServer, Status):
    pass


class HandlersOnServer(OnServer, Handlers):
    pass
