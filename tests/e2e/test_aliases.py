"""The addresses and words of the systems that lade takes over from."""

from harness import HEADER, OnServer, ServerTest


class Aliases(ServerTest):
    def test_nexus_uploads_and_polls(self):
        answer = self.client.upload("/import-jobs", "things.csv", (HEADER + "a,first\n,bad\n").encode(), {"definition": "things"})
        self.assertEqual(answer.status, 202, answer.body)
        job = answer.json()["jobId"]
        self.wait_for(job)
        found = self.client.get(f"/import-jobs/{job}").json()
        self.assertEqual((found["status"], found["progress"], found["type"]), ("SUCCEEDED", 100, "things"))
        self.assertEqual((found["totalChunks"], found["completedChunks"]), (2, 2))
        self.assertEqual((found["resultJson"]["inserted"], found["resultJson"]["failed"]), (1, 1))
        self.assertIsNone(found["errorJson"])
        self.assertEqual(self.client.get(found["csvPath"]).body, (HEADER + "a,first\n,bad\n").encode())
        messages = self.client.get(f"/import-jobs/{job}/messages").json()["items"]
        self.assertEqual(messages[0], {"kind": "parent", "importJobId": job})
        chunk = [message for message in messages if message["kind"] == "chunk"][0]
        self.assertEqual((chunk["chunkIndex"], chunk["chunkCount"], chunk["strategy"]), (0, 1, "things:analyse"))
        self.assertEqual(chunk["payload"]["csvPath"], found["csvPath"])

    def test_nexus_status_words(self):
        reviewed = self.submit(definition="reviewed")
        self.wait_for(reviewed, "waiting_for_review")
        found = self.client.get(f"/import-jobs/{reviewed}").json()
        self.assertEqual((found["status"], found["message"]), ("RUNNING", "waiting for review"))
        self.client.post(f"/api/v1/imports/{reviewed}/cancel")
        found = self.client.get(f"/import-jobs/{reviewed}").json()
        self.assertEqual((found["status"], found["message"]), ("FAILED", "cancelled"))

    def test_nexus_refuses_what_is_no_csv(self):
        self.problem(self.client.upload("/import-jobs", "things.xlsx", b"x", kind="application/zip"), 415, "media_type_unsupported")
        self.problem(self.client.upload("/import-jobs", "x", None, {"definition": "things"}), 400, "request_invalid")
        self.problem(self.client.request("POST", "/import-jobs", b"a,b\n", {"Content-Type": "text/csv"}), 415, "media_type_unsupported")
        self.problem(self.connect().upload("/import-jobs", "things.csv", b"x"), 401, "not_authenticated")
        answer = self.client.upload("/import-jobs", "things", b"Code,Name\na,b\n", {"definition": "things"}, kind="text/csv")
        self.assertEqual(answer.status, 202, answer.body)

    def test_the_queue_has_its_own_words(self):
        good = self.submit(HEADER + "a,first\n,bad\n")
        self.wait_for(good)
        entry = self.client.get(f"/api/v1/queue/{good}").json()
        self.assertEqual((entry["status"], entry["type"], entry["maxAttempts"], entry["priority"]), ("succeeded", "things", 5, 100))
        self.assertEqual((entry["result"]["totalRows"], entry["result"]["inserted"], entry["result"]["failed"]), (2, 1, 1))
        self.assertEqual([error["row"] for error in entry["result"]["errors"]], [3])  # the sheet's row
        waiting = self.submit(definition="reviewed")
        self.wait_for(waiting, "waiting_for_review")
        self.assertEqual([one["id"] for one in self.client.get("/api/v1/queue?status=processing").json()["items"]], [waiting])
        self.client.post(f"/api/v1/imports/{waiting}/cancel")
        failed = self.client.get("/api/v1/queue?status=failed").json()["items"]
        self.assertEqual([(one["id"], one["status"]) for one in failed], [(waiting, "failed")])
        self.assertEqual(len(self.client.get("/api/v1/queue").json()["items"]), 2)
        self.assertEqual(self.client.get("/api/v1/queue/dead-letter").json()["items"], [])
        self.problem(self.client.get("/api/v1/queue?status=running"), 400, "status_unknown")
        self.problem(self.client.get("/api/v1/queue/unknown"), 404, "queue_entry_not_found")

    def test_the_same_submission_is_a_conflict(self):
        self.submit(definition="reviewed")
        again = self.client.upload("/import-jobs", "other.csv", (HEADER + "a,first\nb,second\n").encode(), {"definition": "reviewed"})
        self.problem(again, 409, "job_exists")


class AliasesOnServer(OnServer, Aliases):
    pass
