"""What those who operate a server rely on: health, metrics, logs, the queue, draining, restarts, several nodes."""

import pathlib
import re
import sqlite3
import time

from harness import HEADER, Client, OnServer, Process, ServerTest, Stream

ROWS = 60000


def rows(count, prefix=""):
    return HEADER + "".join(f"{prefix}{i},name {i}\n" for i in range(count))


class Operations(ServerTest):
    def test_health_and_readiness(self):
        anybody = self.connect()
        self.assertEqual(anybody.get("/health").json(), {"status": "ok"})
        ready = anybody.get("/ready")
        self.assertEqual(ready.status, 200, ready.body)
        self.assertEqual(set(ready.json()["checks"]), {"database", "migrations", "storage", "workers"})

    def test_metrics_tell_what_happened(self):
        self.wait_for(self.submit(HEADER + "a,first\n,bad\n"))
        text = self.connect().get("/metrics").body.decode()
        for line in ('lade_jobs_created_total{definition="things"} 1', 'lade_jobs_finished_total{outcome="succeeded"} 1',
                     'lade_rows_total{outcome="inserted"} 1', 'lade_rows_total{outcome="failed"} 1', "lade_dead_letters 0", "lade_nodes 1",
                     "lade_queue_oldest_seconds 0"):
            self.assertIn(line + "\n", text)
        for name in ("process_resident_memory_bytes", "lade_queue_pickup_seconds", "lade_task_seconds", "lade_stale_commits_total",
                     "lade_result_file_bytes_total", "lade_http_request_seconds_bucket", "lade_job_seconds_total"):
            self.assertIn(name, text)

    def test_the_log_tells_of_jobs(self):
        job = self.submit(HEADER + "a,first\n,bad\n")
        self.wait_for(job)
        planned = self.server.log("job_planned")[0]
        self.assertEqual((planned["job"], planned["total_rows"], planned["company"]), (job, "2", "1"))
        deadline = time.monotonic() + 5
        while not self.server.log("job_finished") and time.monotonic() < deadline:
            time.sleep(0.05)
        finished = self.server.log("job_finished")[0]
        self.assertEqual((finished["inserted"], finished["failed"]), ("1", "1"))
        self.assertEqual(self.server.log("bucket_loaded")[0]["rows"], "1")
        request = [one for one in self.server.log("request") if one["route"] == "/api/v1/imports"][0]
        self.assertEqual((request["method"], request["status"]), ("POST", "202"))

    def test_the_queue_is_shown(self):
        job = self.submit()
        self.wait_for(job)
        tasks = self.client.get("/api/v1/tasks").json()["items"]
        self.assertEqual({task["group"] for task in tasks}, {job})
        self.assertEqual(self.client.get(f"/api/v1/tasks/{tasks[0]['task_id']}").json(), tasks[0])
        self.problem(self.client.get("/api/v1/tasks/999999"), 404, "task_not_found")
        self.assertEqual(len(self.client.get("/api/v1/nodes").json()["items"]), 1)
        self.problem(self.client.post(f"/api/v1/queue/dead-letter/{tasks[0]['task_id']}/retry"), 404, "dead_letter_not_found")
        self.problem(self.client.request("DELETE", "/api/v1/queue/dead-letter/1"), 404, "dead_letter_not_found")
        self.problem(self.admin.post("/api/v1/queues/default/pause"), 403, "not_allowed")

    def test_a_dead_letter_is_tried_again(self):
        job = self.submit(definition="reviewed")
        self.wait_for(job, "waiting_for_review")
        # Its staged rows vanish while nobody has them open.
        self.server.stop()
        files = [pathlib.Path(path) for path in self.stored_files() if re.search(r"[0-9a-f-]{36}$", path)]
        for file in files:
            file.rename(str(file) + ".hidden")
        self.server = self.start()
        reviewer, operator = self.user("reviewer@example.com", "reviewer"), self.connect(self.client.token)
        reviewer.post(f"/api/v1/imports/{job}/approve", **{"If-Match": '"0"'})
        self.assertEqual(self.wait_for(job, client=operator)["status"], "failed")
        letters = operator.get("/api/v1/queue/dead-letter").json()["items"]
        self.assertEqual({letter["group"] for letter in letters}, {job})
        for file in files:
            pathlib.Path(str(file) + ".hidden").rename(file)
        again = operator.post("/api/v1/queue/dead-letter/retry", {"ids": [letter["task_id"] for letter in letters]})
        self.assertEqual((again.status, again.json()), (202, {"retried": len(letters), "refused": []}))
        self.assertEqual(self.wait_for(job, client=operator)["status"], "succeeded")

    def test_draining_finishes_what_runs_and_gives_the_rest_back(self):
        job = self.submit(rows(ROWS))
        stream = Stream(self.client, f"/api/v1/imports/{job}/events")
        began = time.monotonic()
        self.assertEqual(self.server.stop(), 0)
        self.assertLess(time.monotonic() - began, 10)
        list(stream)  # it was ended
        self.server = self.start()
        found = self.wait_for(job, client=self.connect(self.client.token))
        self.assertEqual(found["rows"]["inserted"], ROWS)

    def test_a_killed_server_goes_on_where_it_was(self):
        job = self.submit(rows(ROWS))
        time.sleep(0.3)
        self.server.kill()
        self.server = self.start()
        found = self.wait_for(job, client=self.connect(self.client.token))
        self.assertEqual((found["status"], found["rows"]["inserted"]), ("succeeded", ROWS))
        self.assertEqual(self.target("SELECT count(*) FROM thing"), [(str(ROWS),)])

    def test_an_upload_that_breaks_off_leaves_nothing(self):
        before = self.stored_files()
        client = Client(self.server.port, self.client.token)
        client.connection.putrequest("POST", "/api/v1/files?name=half.csv")
        for name, value in (("Authorization", "Bearer " + self.client.token), ("Content-Length", "1000000")):
            client.connection.putheader(name, value)
        client.connection.endheaders(b"Code,Name\n" * 1000)
        time.sleep(0.2)
        client.connection.close()
        deadline = time.monotonic() + 10
        while self.stored_files() != before and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.stored_files(), before)
        self.assertEqual(self.client.get("/api/v1/files").json()["items"], [])

    def stored_files(self):
        return sorted(str(path) for path in (self.folder / "lade-data" / "storage").rglob("*") if path.is_file())


class WhileSomebodyWrites(ServerTest):
    """SQLite has one writer, which may take its time: looking does not wait for it."""

    def last_use(self, email):
        return self.sql(f"SELECT t.last_used_at FROM lade_token t JOIN lade_user u ON u.id = t.user_id WHERE u.email = '{email}'")[0][0]

    def test_who_looks_for_the_first_time_does_not_wait(self):
        newcomer = self.user("newcomer@example.com", "viewer")
        writer = sqlite3.connect(self.folder / "company.db", isolation_level=None)
        self.addCleanup(writer.close)
        writer.execute("BEGIN IMMEDIATE")
        newcomer.connection.timeout = 10
        self.assertEqual(newcomer.get("/api/v1/imports").status, 200)
        self.assertIsNone(self.last_use("newcomer@example.com"))
        writer.execute("ROLLBACK")
        end = time.monotonic() + 60
        while not self.last_use("newcomer@example.com"):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)


class OperationsOnServer(OnServer, Operations):
    def test_without_workers_it_is_not_ready(self):
        self.server.stop()
        self.server = self.start("--workers", "0")
        ready = self.connect().get("/ready")
        self.assertEqual((ready.status, ready.json()["checks"]["workers"]), (503, {"ok": False, "code": "no_workers"}))

    def test_servers_and_workers_share_the_work(self):
        self.server.stop()
        servers = [self.start("--workers", "0") for _ in range(2)]
        workers = [Process(["worker", "--database", self.url, "--workers", "2"], self.folder, QUEUE_HEARTBEAT_MS="200",
                           QUEUE_VISIBILITY_MS="2000") for _ in range(3)]
        for worker in workers:
            self.addCleanup(worker.stop)
            worker.wait_for("working on")
        clients = [self.connect(self.client.token, server) for server in servers]
        jobs = [self.submit(rows(20000, f"{i}-"), client=clients[i % 2], name=f"{i}.csv") for i in range(4)]
        time.sleep(0.3)
        workers[0].kill()
        servers[0].kill()
        for job in jobs:
            found = self.wait_for(job, client=clients[1])
            self.assertEqual((found["status"], found["rows"]["inserted"]), ("succeeded", 20000))
        self.assertEqual(self.target("SELECT count(*) FROM thing"), [("80000",)])
