"""Upload, watch, act, fetch: what an import is to a client."""

import json
import time

from harness import HEADER, OnServer, ServerTest, Stream


class Imports(ServerTest):
    def test_upload_watch_and_fetch_the_results(self):
        answer = self.client.upload("/api/v1/imports", "things.csv", (HEADER + "a,first\n,nameless\n").encode(), {"definition": "things"})
        self.assertEqual(answer.status, 202, answer.body)
        job = answer.json()["job_id"]
        self.assertEqual(answer.headers["Location"], f"/api/v1/imports/{job}")
        self.assertEqual(answer.headers["Retry-After"], "1")
        stream = Stream(self.client, f"/api/v1/imports/{job}/events")
        events = list(stream)
        self.assertEqual([event["event"] for event in events if "id" in event],
                         ["created", "preparation_started", "planned", "analysed", "completed"])
        self.assertEqual([int(event["id"]) for event in events if "id" in event], [1, 2, 3, 4, 5])
        last = json.loads([event for event in events if event["event"] == "progress"][-1]["data"])
        self.assertEqual((last["status"], last["progress"]), ("succeeded", 100))
        found = self.wait_for(job)
        self.assertEqual((found["rows"]["inserted"], found["rows"]["failed"]), (1, 1))
        self.assertEqual(self.things(), [("a", "first")])
        failed = self.client.get(f"/api/v1/imports/{job}/results/failed")
        self.assertIn("text/csv", failed.headers["Content-Type"])
        self.assertIn(b"nameless", failed.body)
        self.assertIn(b"_code", failed.body)
        part = self.client.get(f"/api/v1/imports/{job}/results/failed", Range="bytes=0-3")
        self.assertEqual((part.status, part.body), (206, failed.body[:4]))
        rows = self.client.get(f"/api/v1/imports/{job}/rows").json()["items"]
        self.assertEqual([(row["row"], row["code"], row["column"]) for row in rows], [(2, "required", "code")])
        self.assertEqual(self.client.get(f"/api/v1/imports/{job}/rows?issue=nothing").json()["items"], [])
        self.problem(self.client.get(f"/api/v1/imports/{job}/results/unprocessed"), 404, "result_not_found")
        self.problem(self.client.get(f"/api/v1/imports/{job}/results/other"), 404, "result_not_found")
        issues = self.client.get(f"/api/v1/imports/{job}/issues").json()["items"]
        self.assertEqual([(issue["code"], issue["column"], issue["count"], issue["severity"]) for issue in issues], [("required", "code", 1, "error")])
        tasks = self.client.get(f"/api/v1/imports/{job}/tasks").json()["items"]
        self.assertEqual({task["status"] for task in tasks}, {"succeeded"})
        history = self.client.get(f"/api/v1/imports/{job}/events").json()["items"]
        self.assertEqual([event["number"] for event in history], [1, 2, 3, 4, 5])

    def test_a_stream_goes_on_where_it_was_cut_off(self):
        job = self.submit()
        self.wait_for(job)
        stream = Stream(self.client, f"/api/v1/imports/{job}/events", **{"Last-Event-ID": "3"})
        self.assertEqual([event["id"] for event in stream if "id" in event], ["4", "5"])

    def test_the_job_can_come_before_its_file(self):
        job = self.client.post("/api/v1/imports", {"definition": "things"})
        self.assertEqual(job.status, 202, job.body)
        self.assertEqual(job.json()["state"], "waiting_for_upload")
        place = f"/api/v1/imports/{job.json()['job_id']}/file"
        self.problem(self.client.request("PUT", place + "?name=empty.csv", b""), 422, "file_empty")
        self.assertEqual(self.client.get(place.removesuffix("/file")).json()["state"], "waiting_for_upload")
        answer = self.client.request("PUT", place + "?name=late.csv", (HEADER + "a,first\n").encode(), {"Content-Type": "text/csv"})
        self.assertEqual(answer.status, 202, answer.body)
        found = self.wait_for(job.json()["job_id"])
        self.assertEqual((found["status"], found["file"]), ("succeeded", "late.csv"))
        self.problem(self.client.request("PUT", place, b"x"), 409, "transition_refused")

    def test_an_uploaded_file_is_known_by_its_hash_and_imported_by_its_id(self):
        content = (HEADER + "a,first\n").encode()
        stored = self.client.request("POST", "/api/v1/files?name=../../etc/passwd", content)
        self.assertEqual((stored.status, stored.json()["name"], stored.json()["bytes"]), (201, "../../etc/passwd", len(content)))
        file = stored.json()["file_id"]
        again = self.client.get(f"/api/v1/files?sha256={stored.json()['sha256']}").json()["items"]
        self.assertEqual([one["file_id"] for one in again], [file])
        self.assertEqual(self.client.get(f"/api/v1/files/{file}").json(), stored.json())
        self.assertEqual(self.client.get(f"/api/v1/files/{file}/content").body, content)
        self.assertEqual(self.client.get(f"/api/v1/files/{file}/sniff").json()["header"], ["Code", "Name"])
        job = self.client.post("/api/v1/imports", {"file_id": file, "definition": "things"}).json()["job_id"]
        self.assertEqual(self.wait_for(job)["status"], "succeeded")
        waiting = self.client.post("/api/v1/imports", {"file_id": file, "definition": "reviewed"}).json()["job_id"]
        self.wait_for(waiting, "waiting_for_review")
        self.problem(self.client.request("DELETE", f"/api/v1/files/{file}"), 409, "file_in_use")
        self.client.post(f"/api/v1/imports/{waiting}/cancel")
        self.wait_for(waiting)
        self.assertEqual(self.client.request("DELETE", f"/api/v1/files/{file}").status, 204)
        self.problem(self.client.get(f"/api/v1/files/{file}"), 404, "file_not_found")
        self.problem(self.client.post("/api/v1/imports", {"file_id": file, "definition": "things"}), 404, "file_not_found")

    def test_without_a_definition_the_header_decides(self):
        self.client.upload("/api/v1/imports", "x.csv", b"Strange\n1\n")
        self.problem(self.client.upload("/api/v1/imports", "x.csv", b"Strange\n1\n"), 422, "definition_not_matched")
        self.problem(self.client.upload("/api/v1/imports", "x.csv", b"Code,Name\na,b\n"), 422, "definition_ambiguous")

    def test_what_the_address_says_counts_unless_the_form_says_otherwise(self):
        content = (HEADER + "a,first\n").encode()
        job = self.client.upload("/api/v1/imports?definition=reviewed&batch=monday", "x.csv", content, {"definition": "things"}).json()
        self.assertEqual((job["definition"], job["batch"]), ("things", "monday"))
        plain = self.client.request("POST", "/api/v1/imports?definition=things&batch=tuesday&name=y.csv&force=true", content)
        self.assertEqual((plain.status, plain.json()["batch"], plain.json()["file"]), (202, "tuesday", "y.csv"))

    def test_review_binds_the_approval_to_what_was_seen(self):
        job = self.submit(definition="reviewed")
        found = self.wait_for(job, "waiting_for_review")
        self.assertEqual(self.things(), [])
        self.problem(self.client.post(f"/api/v1/imports/{job}/approve", **{"If-Match": '"0"'}), 403, "not_allowed")
        reviewer = self.user("reviewer@example.com", "reviewer")
        tag = reviewer.get(f"/api/v1/imports/{job}").headers["ETag"]
        self.problem(reviewer.post(f"/api/v1/imports/{job}/approve"), 428, "precondition_required")
        self.problem(reviewer.post(f"/api/v1/imports/{job}/approve", **{"If-Match": '"7"'}), 412, "revision_changed")
        self.assertEqual(reviewer.post(f"/api/v1/imports/{job}/approve", **{"If-Match": tag}).status, 202)
        found = self.wait_for(job)
        self.assertEqual((found["status"], found["reviewed_by"]), ("succeeded", "reviewer@example.com"))
        self.assertEqual(len(self.things()), 2)
        second = self.submit(HEADER + "c,third\n", definition="reviewed")
        self.wait_for(second, "waiting_for_review")
        self.problem(reviewer.post(f"/api/v1/imports/{second}/reject", {"reason": "two\nlines"}), 400, "reason_invalid")
        self.assertIn(reviewer.post(f"/api/v1/imports/{second}/reject", {"reason": "prices of <b>last</b> year"}).status, (200, 202))
        found = self.wait_for(second)
        self.assertEqual((found["status"], found["rejected_because"]), ("rejected", "prices of <b>last</b> year"))
        events = reviewer.get(f"/api/v1/imports/{second}/events").json()["items"]
        self.assertEqual([event["data"] for event in events if event["event"] == "rejected"], [{"reason": "prices of <b>last</b> year"}])
        third = self.submit(HEADER + "d,fourth\n", definition="reviewed")
        self.wait_for(third, "waiting_for_review")
        self.assertIn(reviewer.post(f"/api/v1/imports/{third}/reject").status, (200, 202))
        self.assertIsNone(self.wait_for(third)["rejected_because"])
        self.assertEqual(len(self.things()), 2)

    def test_the_approver_may_have_to_differ_from_the_uploader(self):
        self.assertEqual(self.admin.request("PATCH", "/api/v1/company", {"approver_must_differ": True}).status, 200)
        job = self.submit(definition="reviewed", client=self.admin)
        self.wait_for(job, "waiting_for_review")
        self.problem(self.admin.post(f"/api/v1/imports/{job}/approve", **{"If-Match": '"0"'}), 403, "not_allowed")
        other = self.user("other@example.com", "reviewer")
        self.assertEqual(other.post(f"/api/v1/imports/{job}/approve", **{"If-Match": '"0"'}).status, 202)
        self.assertEqual(self.wait_for(job)["status"], "succeeded")

    def test_a_review_is_relaxed_only_by_those_who_may_approve(self):
        refused = self.client.upload("/api/v1/imports", "a.csv", (HEADER + "a,first\n").encode(),
                                     {"definition": "reviewed", "review": "never"})
        self.assertIn("stricter", self.problem(refused, 403, "not_allowed")["title"] + refused.json()["detail"])
        job = self.submit(HEADER + "a,first\n", definition="things", review="always")
        self.wait_for(job, "waiting_for_review")
        self.problem(self.client.post(f"/api/v1/imports/{job}/clone", {"force": True, "review": "never"}), 403, "not_allowed")
        reviewer = self.user("reviewer@example.com", "reviewer")
        relaxed = self.submit(HEADER + "b,second\n", definition="reviewed", client=reviewer, review="on_issues")
        self.assertEqual(self.wait_for(relaxed, client=reviewer)["status"], "succeeded")
        self.assertEqual(self.admin.request("PATCH", "/api/v1/company", {"approver_must_differ": True}).status, 200)
        refused = reviewer.upload("/api/v1/imports", "c.csv", (HEADER + "c,third\n").encode(),
                                  {"definition": "reviewed", "review": "on_issues"})
        self.problem(refused, 403, "not_allowed")
        self.assertEqual(self.things(), [("b", "second")])

    def test_pause_resume_cancel_retry_clone_delete(self):
        job = self.submit(definition="reviewed")
        self.wait_for(job, "waiting_for_review")
        refused = self.problem(self.client.post(f"/api/v1/imports/{job}/retry"), 409, "transition_refused")
        self.assertIn("approved", refused["allowed"])
        self.problem(self.client.request("DELETE", f"/api/v1/imports/{job}"), 409, "transition_refused")
        self.assertEqual(self.client.post(f"/api/v1/imports/{job}/pause").json()["paused"], True)
        self.assertEqual(self.client.post(f"/api/v1/imports/{job}/resume").json()["paused"], False)
        self.assertEqual(self.client.post(f"/api/v1/imports/{job}/cancel").status, 200)
        self.assertEqual(self.wait_for(job)["status"], "cancelled")
        self.assertEqual(self.client.post(f"/api/v1/imports/{job}/retry", {"max_errors": "5"}).status, 202)
        self.wait_for(job, "waiting_for_review")
        self.problem(self.client.post(f"/api/v1/imports/{job}/clone"), 409, "job_exists")
        clone = self.client.post(f"/api/v1/imports/{job}/clone", {"force": True}).json()["job_id"]
        self.wait_for(clone, "waiting_for_review")
        self.client.post(f"/api/v1/imports/{job}/cancel")
        self.wait_for(job)
        self.assertEqual(self.client.request("DELETE", f"/api/v1/imports/{job}").status, 204)
        self.problem(self.client.get(f"/api/v1/imports/{job}"), 404, "job_not_found")

    def test_the_same_submission_is_refused_with_the_id_of_the_first(self):
        job = self.submit(definition="reviewed")
        again = self.client.upload("/api/v1/imports", "other-name.csv", (HEADER + "a,first\nb,second\n").encode(), {"definition": "reviewed"})
        self.assertEqual(self.problem(again, 409, "job_exists")["job_id"], job)
        self.assertNotEqual(self.submit(definition="reviewed", force="true"), job)

    def test_a_key_makes_a_request_count_once(self):
        key = {"Idempotency-Key": "order-7"}
        first = self.client.post("/api/v1/imports", {"definition": "things"}, **key)
        again = self.client.post("/api/v1/imports", {"definition": "things"}, **key)
        self.assertEqual((first.status, again.status), (202, 202))
        self.assertEqual(first.json()["job_id"], again.json()["job_id"])
        self.assertEqual(again.headers["Idempotent-Replay"], "true")
        self.problem(self.client.post("/api/v1/imports", {"definition": "reviewed"}, **key), 422, "idempotency_key_reused")
        self.assertEqual(len(self.client.get("/api/v1/imports").json()["items"]), 1)

    def test_lists_are_paged_filtered_and_sorted(self):
        jobs = [self.submit(HEADER + f"{i},x\n", name=f"file{i}.csv", batch="monday") for i in range(5)]
        for job in jobs:
            self.wait_for(job)
        seen, cursor = [], ""
        while cursor is not None:
            page = self.client.get(f"/api/v1/imports?limit=2{cursor and '&cursor=' + cursor}").json()
            seen += [job["job_id"] for job in page["items"]]
            cursor = page["next"]
        self.assertEqual(seen, jobs[::-1])
        oldest = self.client.get("/api/v1/imports?sort=created_at&limit=2").json()
        self.assertEqual([job["job_id"] for job in oldest["items"]], jobs[:2])
        rest = self.client.get(f"/api/v1/imports?sort=created_at&cursor={oldest['next']}").json()
        self.assertEqual([job["job_id"] for job in rest["items"]], jobs[2:])
        named = self.client.get("/api/v1/imports?file=FILE3&status=succeeded&definition=things&batch=monday").json()
        self.assertEqual([job["file"] for job in named["items"]], ["file3.csv"])
        batch = self.client.get("/api/v1/batches/monday").json()
        self.assertEqual((batch["status"], batch["jobs"]["succeeded"]), ("succeeded", 5))
        self.assertEqual([one["name"] for one in self.client.get("/api/v1/batches").json()["items"]], ["monday"])
        self.assertEqual(self.client.post("/api/v1/batches/monday/retry").json()["refused"], {"transition_refused": 5})
        for action in ("pause", "resume", "cancel"):
            self.problem(self.client.post(f"/api/v1/batches/monday/{action}"), 409, "transition_refused")

    def test_a_client_that_leaves_after_acceptance_changes_nothing(self):
        rows = "".join(f"{i},name {i}\n" for i in range(20000))
        job = self.submit(HEADER + rows)
        self.client.connection.close()
        time.sleep(0.05)
        self.assertEqual(self.wait_for(job)["rows"]["inserted"], 20000)


class ImportsOnServer(OnServer, Imports):
    pass
