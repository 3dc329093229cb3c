"""Batches over HTTP: manifests and files, row tasks, history, metrics, exports, and what people do to them; also by seed G's names."""

import csv
import http.server
import io
import re
import sys
import threading
import time
import unittest

from harness import HEADER, ROOT, OnServer, Server, ServerTest

sys.path.insert(0, str(ROOT / "tests" / "testing"))
from quiet_server import QuietServer  # noqa: E402  pylint: disable=wrong-import-position

COMPOSITIONS = """
lade: 1
definition: compositions
steps:
  fetch: {priority: 10, url: URL, key: Key, per_host: {per_minute: 0, at_once: 4}, total: {at_once: 4}, retries: 1, backoff: 1}
  extract:
    priority: 20
    fields:
      title: {css: h1, required: true}
columns: {code: {from: Key}, name: {from: title, required: true}}
load: [{table: thing, key: code}]
"""
GRANTHA = "/v1/admin/bulk-import"


class Site:
    """Pages /NAME say their name, or what `bodies` has for them; those in `broken` answer with that status, those in `moved` lead to another
    one. While the gate is closed no page is answered; robots.txt is."""

    def __init__(self):
        self.broken, self.moved, self.bodies, self.asked = {}, {}, {}, []
        self.gate = threading.Event()
        self.gate.set()
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                name = self.path.split("?")[0].strip("/")
                site.asked.append(name)
                if name != "robots.txt":
                    site.gate.wait(60)
                status = 404 if name == "robots.txt" else 302 if name in site.moved else site.broken.get(name, 200)
                title = "<script>alert(1)</script>" + (f"<h1>Title of {name}</h1>" if name != "blank" else "")
                body = f"<html>{site.bodies.get(name, title)}</html>".encode()
                self.send_response(status)
                if name in site.moved:
                    self.send_header("Location", f"/{site.moved[name]}")
                self.send_header("Content-Type", "application/json" if name == "wrong" else "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = QuietServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def close(self):
        self.gate.set()
        self.server.shutdown()
        self.server.server_close()


class BatchTest(ServerTest):
    def setUp(self):
        self.site = Site()
        self.addCleanup(self.site.close)
        super().setUp()
        self.write("compositions.yaml", COMPOSITIONS)
        self.check(self.lade("definitions", "add", "compositions.yaml"))
        self.reviewer = self.user("reviewer@example.com", "reviewer")

    def start(self, *words, port=0):
        words = (*(words or self.words), "--harvest-allow", "127.0.0.1", "--harvest-ports", self.site.port)
        server = Server(self.folder, self.url, *words, port=port)
        self.addCleanup(self.end, server)
        return server

    def manifest(self, *names):
        return ("Key,URL\n" + "".join(f"{name},{self.site.url(name)}\n" for name in names)).encode()

    def create(self, content, definition="compositions", client=None, path="/api/v1/batches", **fields):
        answer = (client or self.client).upload(path, "list.csv", content, {"definition": definition, **fields})
        self.assertEqual(answer.status, 202, answer.body)
        return answer

    def batch(self, name):
        answer = self.client.get(f"/api/v1/batches/{name}")
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def wait_until(self, name, *statuses, seconds=300):
        statuses = statuses or ("succeeded", "failed", "cancelled")
        end = time.monotonic() + seconds
        while (found := self.batch(name))["status"] not in statuses:
            self.assertLess(time.monotonic(), end, found)
            time.sleep(0.05)
        return found

    def wait_until_asked(self, page, seconds=120):
        """Its request has come, and waits at the gate."""
        end = time.monotonic() + seconds
        while page not in self.site.asked:
            self.assertLess(time.monotonic(), end, self.site.asked)
            time.sleep(0.01)

    def items(self, name, part):
        answer = self.client.get(f"/api/v1/batches/{name}/{part}")
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()["items"]

    def events(self, name):
        return [event["event_type"] for event in self.items(name, "events?limit=1000")]

    def table(self, name, part):
        answer = self.client.get(f"/api/v1/batches/{name}/{part}")
        self.assertEqual((answer.status, answer.headers.get_content_type()), (200, "text/csv"))
        self.assertTrue(answer.headers["Content-Disposition"].startswith("attachment"))
        return list(csv.DictReader(io.StringIO(answer.body.decode())))


class BatchesOverHttp:
    def test_a_manifest_becomes_fetched_and_loaded_rows(self):
        self.site.broken["c"] = 404
        answer = self.create(self.manifest("a", "b", "c") + b"d,\n", batch="monday")
        batch = answer.json()
        self.assertEqual((batch["name"], batch["status"], batch["created_by"], batch["source_manifest"]),
                         ("monday", "pending", "operator@example.com", "list.csv"))
        self.assertEqual(answer.headers["Location"], f"/api/v1/batches/{batch['batch_id']}")
        done = self.wait_until("monday")
        self.assertEqual(done["status"], "succeeded")
        self.assertEqual(done["tasks"], {"total": 4, "processed": 4, "succeeded": 2, "failed": 2, "blocked": 0, "cancelled": 0})
        self.assertLessEqual(done["started_at"], done["completed_at"])
        self.assertEqual(self.things(), [("a", "Title of a"), ("b", "Title of b")])

        tasks = {task["key"]: task for task in self.items("monday", "tasks")}
        self.assertEqual({key: task["status"] for key, task in tasks.items()},
                         {"a": "succeeded", "b": "succeeded", "c": "failed", "d": "failed"})
        good = tasks["a"]
        self.assertEqual((good["source_url"], good["attempt"], good["source_format"], good["error"], good["type"], good["row"]),
                         (self.site.url("a"), 1, "HTML", None, "page", 1))
        self.assertEqual(len(good["checksum"]), 64)
        self.assertEqual(good["fields"]["fields"], {"title": ["Title of a"]})
        self.assertTrue(good["started_at"] <= good["completed_at"] and good["idempotency_key"])
        self.assertEqual(tasks["d"]["error"]["code"], "missing_source_url")
        error = tasks["c"]["error"]
        self.assertEqual((error["code"], error["http_status"], error["url"]), ("scrape_failed", 404, self.site.url("c")))
        self.assertEqual(set(error), {"code", "message", "http_status", "url", "reason", "stack"})
        self.assertEqual(self.client.get(f"/api/v1/batches/monday/tasks/{tasks['c']['task_id']}").json(), tasks["c"])

        page = self.client.get(good["evidence"])
        self.assertIn(b"<h1>Title of a</h1>", page.body)
        self.assertEqual((page.headers.get_content_type(), page.headers["X-Content-Type-Options"]),
                         ("application/octet-stream", "nosniff"))
        self.assertTrue(page.headers["Content-Disposition"].startswith("attachment"))
        self.assertIn("sandbox", page.headers["Content-Security-Policy"])
        self.problem(self.client.get(f"/api/v1/batches/monday/evidence/{tasks['d']['task_id']}"), 404, "evidence_not_found")

        self.assertEqual([task["key"] for task in self.items("monday", "tasks?status=failed")], ["c", "d"])
        self.assertEqual([task["key"] for task in self.items("monday", "tasks?error=missing_source_url")], ["d"])
        self.assertEqual([task["key"] for task in self.items("monday", f"tasks?source=127.0.0.1&key=b")], ["b"])
        first = self.client.get("/api/v1/batches/monday/tasks?limit=3").json()
        rest = self.client.get(f"/api/v1/batches/monday/tasks?limit=3&cursor={first['next']}").json()
        self.assertEqual([task["key"] for task in first["items"] + rest["items"]], ["a", "b", "c", "d"])
        self.assertIsNone(rest["next"])

        self.assertEqual([(stage["job_type"], stage["status"]) for stage in self.items("monday", "stages")],
                         [("manifest_ingest", "succeeded"), ("scrape", "succeeded"), ("enrich", "succeeded"),
                          ("entity_resolution", "succeeded"), ("review_prep", "succeeded"), ("load", "succeeded")])
        scrape = self.items("monday", "stages")[1]["result"]
        self.assertEqual((scrape["total"], scrape["succeeded"], scrape["failed"]), (4, 2, 2))
        events = self.events("monday")
        self.assertEqual((events[0], events[-1]), ("BATCH_CREATED", "BATCH_COMPLETED"))
        self.assertEqual(events.count("MANIFEST_INGEST_SUCCEEDED"), 1)

        metrics = self.client.get("/api/v1/batches/monday/metrics").json()
        self.assertEqual((metrics["success_rate"], metrics["failures"]), (0.5, 2))
        self.assertEqual({(reason["code"], reason["count"], reason["share"]) for reason in metrics["top_failure_reasons"]},
                         {("scrape_failed", 1, 0.5), ("missing_source_url", 1, 0.5)})
        timed = next(stage for stage in metrics["stages"] if stage["job_type"] == "scrape")
        self.assertLessEqual(0, timed["median_ms"])
        self.assertLessEqual(timed["median_ms"], timed["p95_ms"])

        errors = self.table("monday", "errors.csv")
        self.assertEqual([(line["key"], line["code"], line["http_status"]) for line in errors],
                         [("c", "scrape_failed", "404"), ("d", "missing_source_url", "")])
        self.assertEqual([line["status"] for line in self.table("monday", "export?format=csv")],
                         ["succeeded", "succeeded", "failed", "failed"])
        exported = self.client.get("/api/v1/batches/monday/export").json()
        self.assertEqual([task["key"] for task in exported], ["a", "b", "c", "d"])
        self.problem(self.client.get("/api/v1/batches/monday/export?format=xml"), 400, "request_invalid")

    def test_retry_of_failed_pages_counts_right(self):
        self.site.broken.update(b=500, c=404)
        self.create(self.manifest("a", "b", "c"), batch="monday")
        self.assertEqual(self.wait_until("monday")["tasks"]["failed"], 2)
        tasks = {task["key"]: task for task in self.items("monday", "tasks")}
        self.assertEqual((tasks["b"]["error"]["code"], tasks["b"]["attempt"]), ("max_attempts_exceeded", 2))
        self.assertEqual(self.events("monday").count("TASK_RETRY_SCHEDULED"), 1)
        self.site.broken.clear()
        answer = self.client.post("/api/v1/batches/monday/retry", {"status": "failed", "key": "b"}).json()
        self.assertEqual((answer["done"], answer["tasks_done"]), (1, 1))
        self.assertLessEqual(answer["tasks"]["processed"], answer["tasks"]["total"])
        done = self.wait_until("monday")
        self.assertEqual((done["tasks"]["succeeded"], done["tasks"]["failed"], done["tasks"]["processed"]), (2, 1, 3))
        answer = self.client.post("/api/v1/batches/monday/retry", {"ids": [tasks["c"]["task_id"]]}).json()
        self.assertEqual(answer["tasks_done"], 1)
        done = self.wait_until("monday")
        self.assertEqual((done["tasks"]["succeeded"], done["tasks"]["total"]), (3, 3))
        self.assertEqual(self.things(), [("a", "Title of a"), ("b", "Title of b"), ("c", "Title of c")])
        self.assertEqual(self.site.asked.count("a"), 1)
        self.assertEqual(self.events("monday").count("BATCH_RETRIED"), 2)
        self.assertEqual(self.events("monday").count("BATCH_COMPLETED"), 3)
        self.problem(self.client.post("/api/v1/batches/monday/retry", {"status": "running"}), 400, "status_unknown")
        self.problem(self.client.post("/api/v1/batches/monday/retry", {"ids": ["nonsense"]}), 404, "row_task_not_found")

    def test_all_pages_failed_is_a_failed_batch_and_others_go_on(self):
        self.site.broken.update({f"x{i}": 404 for i in range(3)})
        self.create(self.manifest("x0", "x1", "x2"), batch="broken")
        self.create(self.manifest("a", "b"), batch="fine")
        self.assertEqual(self.wait_until("broken")["status"], "failed")
        self.assertEqual(self.wait_until("fine")["status"], "succeeded")

    def test_pause_resume_cancel_check_the_state(self):
        self.site.gate.clear()
        self.create(self.manifest(*[f"p{i}" for i in range(8)]), batch="monday")
        self.wait_until_asked("p0")
        self.assertEqual(self.client.post("/api/v1/batches/monday/pause").json()["status"], "paused")
        refused = self.problem(self.client.post("/api/v1/batches/monday/pause"), 409, "transition_refused")
        self.assertEqual(refused["status_now"], "paused")
        self.assertIn(self.client.post("/api/v1/batches/monday/resume").json()["status"], ("running", "pending", "succeeded"))
        self.problem(self.client.post("/api/v1/batches/monday/finalize"), 409, "transition_refused")
        self.assertEqual(self.client.post("/api/v1/batches/monday/requeue-stuck", {"older_than_seconds": 3600}).json()["tasks_done"], 0)
        self.client.post("/api/v1/batches/monday/cancel")
        self.site.gate.set()
        done = self.wait_until("monday")
        self.assertEqual(done["tasks"]["processed"], done["tasks"]["total"])
        self.problem(self.client.post("/api/v1/batches/monday/cancel"), 409, "transition_refused")
        self.problem(self.client.post("/api/v1/batches/monday/resume"), 409, "transition_refused")
        self.assertEqual([kind for kind in self.events("monday") if kind.startswith("BATCH")],
                         ["BATCH_CREATED", "BATCH_PAUSED", "BATCH_RESUMED", "BATCH_CANCELLED", "BATCH_COMPLETED"])

    def test_a_stuck_page_is_tried_again_on_demand(self):
        self.site.gate.clear()
        self.create(self.manifest("a"), batch="monday")
        self.wait_until_asked("a")
        answer = self.client.post("/api/v1/batches/monday/requeue-stuck", {"older_than_seconds": 0}).json()
        self.assertEqual(answer["tasks_done"], 1)
        self.assertIn("TASK_MARKED_RETRYABLE", self.events("monday"))
        self.site.gate.set()
        self.assertEqual(self.wait_until("monday")["tasks"]["succeeded"], 1)
        self.assertEqual(self.things(), [("a", "Title of a")])

    def test_several_files_are_a_batch_of_jobs_that_is_reviewed_finalized_and_deleted(self):
        ids = []
        for i, name in enumerate(("one.csv", "two.csv")):
            answer = self.client.upload("/api/v1/files", name, f"{HEADER}k{i},name {i}\n".encode())
            ids.append(answer.json()["file_id"])
        answer = self.client.post("/api/v1/batches", {"batch": "pair", "file_ids": ids, "definition": "reviewed"})
        self.assertEqual((answer.status, answer.json()["jobs"]["total"]), (202, 2), answer.body)
        self.problem(self.client.post("/api/v1/batches", {"batch": "pair", "file_ids": ids, "definition": "things"}), 409, "batch_exists")
        twin = self.client.post("/api/v1/batches", {"file_ids": ids, "definition": "reviewed"})
        self.problem(twin, 409, "job_exists")
        self.assertEqual([batch["name"] for batch in self.client.get("/api/v1/batches").json()["items"]], ["pair"])
        for job in self.client.get("/api/v1/imports?batch=pair").json()["items"]:
            self.wait_for(job["job_id"], "waiting_for_review")
        self.assertEqual(self.things(), [])
        self.problem(self.client.post("/api/v1/batches/pair/approve-all"), 403, "not_allowed")
        self.assertEqual(self.reviewer.post("/api/v1/batches/pair/approve-all").json()["done"], 2)
        done = self.wait_until("pair")
        self.assertEqual((done["status"], done["tasks"]["succeeded"], done["progress"]), ("succeeded", 2, 100))
        self.assertEqual(self.things(), [("k0", "name 0"), ("k1", "name 1")])
        self.assertIn("plan", {task["type"] for task in self.items("pair", "tasks")})
        self.assertEqual({stage["job_type"] for stage in self.items("pair", "stages")}, {"manifest_ingest", "review_prep", "load"})
        final = self.client.post("/api/v1/batches/pair/finalize").json()
        self.assertEqual(final["finalized_by"], "operator@example.com")
        for action in ("retry", "finalize", "pause"):
            self.problem(self.client.post(f"/api/v1/batches/pair/{action}"), 409, "transition_refused")
        late = self.client.upload("/api/v1/imports", "late.csv", (HEADER + "z,zed\n").encode(), {"definition": "things", "batch": "pair"})
        self.problem(late, 409, "transition_refused")
        deleted = self.client.request("DELETE", "/api/v1/batches/pair").json()
        self.assertEqual((deleted["deleted"], deleted["done"], deleted["refused"]), (True, 2, {}))
        self.problem(self.client.get("/api/v1/batches/pair"), 404, "batch_not_found")
        self.assertEqual(self.client.get("/api/v1/imports").json()["items"], [])
        self.assertEqual(self.things(), [("k0", "name 0"), ("k1", "name 1")], "what was loaded stays")

    def test_what_cannot_be_deleted_is_told(self):
        job = self.submit(definition="reviewed", batch="monday")
        self.wait_for(job, "waiting_for_review")
        answer = self.client.request("DELETE", "/api/v1/batches/monday").json()
        self.assertEqual((answer["deleted"], answer["done"], answer["refused"]), (False, 0, {"transition_refused": 1}))
        self.assertEqual(self.reviewer.post("/api/v1/batches/monday/reject-all").json()["done"], 1)
        self.assertEqual(self.wait_until("monday")["status"], "cancelled")
        self.assertTrue(self.client.request("DELETE", "/api/v1/batches/monday").json()["deleted"])

    def test_lists_are_filtered(self):
        self.create((HEADER + "a,first\n").encode(), "things", batch="mine")
        self.create((HEADER + "b,second\n").encode(), "things", self.admin, batch="theirs")
        for name in ("mine", "theirs"):
            self.wait_until(name)
        names = lambda query: [batch["name"] for batch in self.client.get("/api/v1/batches" + query).json()["items"]]
        self.assertEqual(names("?owner=admin@example.com"), ["theirs"])
        self.assertEqual(names("?status=succeeded"), ["theirs", "mine"])
        self.assertEqual(names("?since=2000-01-01&until=2000-12-31"), [])
        self.assertEqual(names("?since=2000-01-01"), ["theirs", "mine"])
        self.problem(self.client.get("/api/v1/batches?since=yesterday"), 400, "request_invalid")
        self.problem(self.client.get("/api/v1/batches?status=queued"), 400, "status_unknown")

    def test_secrets_in_addresses_are_not_shown(self):
        self.site.broken["a"] = 404
        self.create(b"Key,URL\na," + self.site.url("a?api_key=s3cret").encode() + b"\nb,http://eve:hunter2@127.0.0.1/\n", batch="monday")
        self.wait_until("monday")
        for part in ("tasks", "errors.csv", "export", "events"):
            text = self.client.get(f"/api/v1/batches/monday/{part}").body.decode()
            self.assertNotIn("s3cret", text)
            self.assertNotIn("hunter2", text)
        self.assertIn("api_key=***", self.client.get("/api/v1/batches/monday/tasks").body.decode())

    def test_by_the_names_of_seed_g(self):
        self.site.broken["b"] = 404
        created = self.create(self.manifest("a", "b"), client=self.admin, path=f"{GRANTHA}/batches").json()
        self.assertEqual((created["status"], created["created_by"], created["source_manifest"]), ("pending", "admin@example.com", "list.csv"))
        path = f"{GRANTHA}/batches/{created['id']}"
        self.wait_until(created["id"])
        shown = self.admin.get(path).json()
        self.assertEqual([shown[name] for name in ("total_tasks", "processed_tasks", "succeeded_tasks", "failed_tasks", "blocked_tasks")],
                         [2, 2, 1, 1, 0])
        self.assertEqual([(task["krithi_key"], task["status"]) for task in shown["tasks"]], [("a", "succeeded"), ("b", "failed")])
        self.assertEqual([batch["id"] for batch in self.admin.get(f"{GRANTHA}/batches?status=succeeded").json()["items"]], [created["id"]])
        failed, = self.admin.get(path + "/tasks?status=failed").json()["items"]
        self.assertEqual((failed["error"]["code"], failed["job_id"].split(":")[1]), ("scrape_failed", "scrape"))
        self.assertEqual([job["job_type"] for job in self.admin.get(path + "/jobs").json()["items"]],
                         ["manifest_ingest", "scrape", "enrich", "entity_resolution", "review_prep"])
        self.assertEqual(self.admin.get(path + "/events").json()["items"][0]["event_type"], "BATCH_CREATED")
        self.assertEqual(self.admin.get(path + "/metrics").json()["success_rate"], 0.5)
        self.assertEqual(len(self.admin.get(path + "/export").json()), 2)
        self.assertIn(b"scrape_failed", self.admin.get(path + "/errors").body)
        self.assertIn(b"Title of a", self.admin.get(f"{path}/evidence/{shown['tasks'][0]['id']}").body)
        for action in ("pause", "resume", "cancel", "approve-all", "reject-all"):
            self.problem(self.admin.post(f"{path}/{action}"), 409, "transition_refused")
        self.site.broken.clear()
        self.assertEqual(self.admin.post(path + "/retry").status, 200)
        self.wait_until(created["id"])
        self.assertEqual(self.admin.get(path).json()["succeeded_tasks"], 2)
        self.assertEqual(self.admin.post(path + "/requeue-stuck").status, 200)
        self.assertEqual(self.admin.post(path + "/finalize").json()["status"], "succeeded")
        self.problem(self.client.get(path), 403, "not_allowed")
        self.assertEqual(self.admin.request("DELETE", path).status, 204)
        uploaded = self.create(self.manifest("c", "wrong", "blank"), client=self.admin, path=f"{GRANTHA}/upload").json()
        self.wait_until(uploaded["id"])
        wrong, = self.admin.get(f"{GRANTHA}/batches/{uploaded['id']}/tasks?key=wrong").json()["items"]
        self.assertEqual((wrong["status"], wrong["error"]["code"]), ("failed", "invalid_payload"), wrong)
        blank, = self.admin.get(f"{GRANTHA}/batches/{uploaded['id']}/tasks?status=failed&key=blank").json()["items"]
        self.assertEqual(blank["error"]["code"], "missing_payload", blank)
        actions = [entry["action"] for entry in self.admin.get("/api/v1/audit?limit=100").json()["items"]]
        for action in ("grantha.create", "grantha.retry", "grantha.finalize", "grantha.delete", "grantha.upload"):
            self.assertIn(action, actions)

    def test_what_alert_rules_look_at_is_there(self):
        self.create(self.manifest("a"), batch="monday")
        self.wait_until("monday")
        rules = (ROOT / "docs" / "alerts" / "lade.rules.yml").read_text()
        text = self.client.get("/metrics").body.decode()
        told = set(re.findall(r"^# TYPE (\w+)", text, re.M))
        named = set(re.findall(r"\blade_[a-z_]+", rules)) - {"lade_batches"}
        self.assertLessEqual(named - told, {"lade_pages", "lade_queue_depth"}, "these are told while there are any")
        self.assertRegex(text, r"lade_batches_live 0\n")


class OnSqlite(BatchesOverHttp, BatchTest):
    pass


class OnPostgresql(OnServer, BatchesOverHttp, BatchTest):
    pass


if __name__ == "__main__":
    unittest.main()
