"""Taking imports back over the API."""

from harness import HEADER, OnServer, ServerTest


class Undos(ServerTest):
    def test_preview_undo_and_undo_of_the_undo(self):
        first = self.submit(HEADER + "a,first\nb,second\n")
        self.wait_for(first)
        second = self.submit(HEADER + "b,changed\nc,third\n")
        self.wait_for(second)
        loaded = self.things()
        preview = self.client.get(f"/api/v1/imports/{second}/undo")
        self.assertEqual(preview.status, 200, preview.body)
        self.assertEqual({name: preview.json()[name] for name in ("restored", "removed", "put_back", "left")},
                         {"restored": 1, "removed": 1, "put_back": 0, "left": 0})
        answer = self.client.post(f"/api/v1/imports/{second}/undo")
        self.assertEqual(answer.status, 202, answer.body)
        undo = answer.json()["job_id"]
        self.assertEqual(answer.headers["Location"], f"/api/v1/imports/{undo}")
        found = self.wait_for(undo)
        self.assertEqual((found["status"], found["rows"]["updated"], found["rows"]["deleted"]), ("succeeded", 1, 1))
        self.assertEqual(self.things(), [("a", "first"), ("b", "second")])
        undone = self.client.get(f"/api/v1/imports/{second}").json()
        self.assertEqual((undone["status"], undone["undone_by"]), ("undone", found["slug"]))
        self.problem(self.client.post(f"/api/v1/imports/{second}/undo"), 409, "transition_refused")
        self.problem(self.client.post(f"/api/v1/imports/{undo}/clone"), 422, "not_an_import")
        self.wait_for(self.client.post(f"/api/v1/imports/{undo}/undo").json()["job_id"])
        self.assertEqual(self.things(), loaded)
        self.assertEqual(self.client.get(f"/api/v1/imports/{second}").json()["status"], "succeeded")

    def test_rows_that_were_changed_since_are_listed(self):
        first = self.submit(HEADER + "a,first\nb,second\n")
        self.wait_for(first)
        self.wait_for(self.submit(HEADER + "b,changed\n"))
        self.assertEqual(self.client.get(f"/api/v1/imports/{first}/undo").json()["examples"][0]["code"], "changed_since")
        undo = self.client.post(f"/api/v1/imports/{first}/undo").json()["job_id"]
        self.assertEqual(self.wait_for(undo)["rows"]["skipped"], 1)
        issues = self.client.get(f"/api/v1/imports/{undo}/issues").json()["items"]
        self.assertEqual([(issue["code"], issue["count"]) for issue in issues], [("changed_since", 1)])
        rows = self.client.get(f"/api/v1/imports/{undo}/rows?state=skipped&issue=changed_since").json()["items"]
        self.assertEqual([(row["row"], row["column"], row["value"]) for row in rows], [(2, "thing", "code=b")])
        self.assertEqual(self.things(), [("b", "changed")])

    def test_the_same_file_may_be_imported_again(self):
        content = HEADER + "a,first\n"
        first = self.submit(content)
        self.wait_for(first)
        self.wait_for(self.client.post(f"/api/v1/imports/{first}/undo").json()["job_id"])
        self.wait_for(self.submit(content))
        self.assertEqual(self.things(), [("a", "first")])

    def test_who_does_it_already_is_named(self):
        first = self.submit(HEADER + "a,first\n")
        self.wait_for(first)
        self.check(self.lade("users", "set", "admin@example.com", "--instance-admin"))
        self.assertEqual(self.admin.post("/api/v1/queues/default/pause").status // 100, 2)
        undo = self.client.post(f"/api/v1/imports/{first}/undo").json()["job_id"]
        self.assertEqual(self.problem(self.client.post(f"/api/v1/imports/{first}/undo"), 409, "being_undone")["job_id"], undo)
        self.assertEqual(self.problem(self.client.request("DELETE", f"/api/v1/imports/{first}"), 409, "being_undone")["job_id"], undo)
        self.assertEqual(self.admin.post("/api/v1/queues/default/resume").status // 100, 2)
        self.wait_for(undo)
        self.assertEqual(self.things(), [])


class UndosOnPostgresql(OnServer, Undos):
    pass
