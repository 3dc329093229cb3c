"""Rows that are corrected while their import waits for review."""

from harness import HEADER, OnServer, ServerTest

WRONG = HEADER + "a,first\n,second\nc,third\n"


class RowEdits(ServerTest):
    def setUp(self):
        super().setUp()
        self.job = self.submit(WRONG, definition="reviewed")
        self.wait_for(self.job, "waiting_for_review")
        self.rows = f"/api/v1/imports/{self.job}/rows"
        self.reviewer = self.user("reviewer@example.com", "reviewer")

    def correct(self, row, values, client=None, **headers):
        return (client or self.client).request("PATCH", f"{self.rows}/{row}", {"values": values}, headers)

    def failed(self):
        return [(row["row"], row["code"], row["column"]) for row in self.client.get(self.rows).json()["items"]]

    def approve(self, revision):
        return self.reviewer.post(f"/api/v1/imports/{self.job}/approve", **{"If-Match": f'"{revision}"'})

    def test_a_corrected_row_is_what_is_approved_and_loaded(self):
        self.assertEqual(self.failed(), [(2, "required", "code")])
        shown = self.client.get(f"{self.rows}/2")
        self.assertEqual((shown.json()["version"], shown.json()["values"]), (0, {"Code": "", "Name": "second"}))
        self.assertEqual((shown.json()["failed"], shown.json()["issues"][0]["code"]), (True, "required"))
        tag = shown.headers["ETag"]
        corrected = self.correct(2, {"Code": "b"}, **{"If-Match": tag})
        self.assertEqual(corrected.status, 200, corrected.body)
        row = corrected.json()
        self.assertEqual((row["version"], row["revision"], row["failed"], row["changed"]), (1, 1, False, ["Code"]))
        self.assertEqual(corrected.headers["ETag"], '"1"')
        self.assertEqual(self.failed(), [])
        self.assertEqual(self.client.get(f"/api/v1/imports/{self.job}").json()["rows"]["failed"], 0)
        self.problem(self.approve(0), 412, "revision_changed")
        self.assertEqual(self.things(), [])
        outdated = self.reviewer.post(f"/api/v1/imports/{self.job}/approve", {"revision": 0})
        self.problem(outdated, 412, "revision_changed")
        self.assertEqual(self.reviewer.post(f"/api/v1/imports/{self.job}/approve", {"revision": 1}).status, 202)
        self.assertEqual(self.wait_for(self.job)["status"], "succeeded")
        self.assertEqual(len(self.things()), 3)
        self.problem(self.correct(2, {"Code": "z"}), 409, "transition_refused")

    def test_an_edit_is_told_in_history_and_audit_log(self):
        self.assertEqual(self.correct(2, {"Name": "secret words"}).status, 200)
        event = self.client.get(f"/api/v1/imports/{self.job}/events").json()["items"][-1]
        self.assertEqual((event["event"], event["data"]), ("fixed", {"row": 2, "columns": ["Name"]}))
        entry = next(one for one in self.admin.get("/api/v1/audit").json()["items"] if one["action"] == "imports.correct_row")
        self.assertEqual((entry["data"]["row"], entry["data"]["columns"]), (2, ["Name"]))
        self.assertNotIn("secret", str(entry) + str(event))

    def test_what_cannot_be_corrected_is_refused_and_changes_nothing(self):
        self.problem(self.correct(4, {"Code": "x"}), 404, "row_not_found")
        self.problem(self.correct(2, {"Kode": "x"}), 422, "source_column_unknown")
        self.problem(self.correct(2, {"Code": 7}), 400, "request_invalid")
        self.problem(self.correct(2, {}), 400, "request_invalid")
        self.problem(self.correct(2, {"Code": "x"}, **{"If-Match": '"5"'}), 412, "revision_changed")
        viewer = self.user("viewer@example.com", "viewer")
        self.problem(self.correct(2, {"Code": "x"}, viewer), 403, "not_allowed")
        self.problem(self.client.get(f"{self.rows}/nine"), 400, "request_invalid")
        self.assertEqual(self.client.get(f"/api/v1/imports/{self.job}").headers["ETag"], '"0"')
        self.assertEqual(self.correct(2, {"Code": "x"}, self.reviewer).status, 200)

    def test_rows_are_found_by_issue_and_column(self):
        found = self.client.get(self.rows + "?issue=required&column=code").json()["items"]
        self.assertEqual([row["row"] for row in found], [2])
        self.assertEqual(self.client.get(self.rows + "?issue=required&column=name").json()["items"], [])
        self.assertEqual(self.client.get(self.rows + "?issue=nothing").json()["items"], [])
        self.assertEqual(self.client.get(self.rows + "?column=code&state=error").json()["items"][0]["row"], 2)
        page = self.client.get(self.rows + "?state=analysed&limit=1").json()
        self.assertEqual(([row["row"] for row in page["items"]], page["next"]), ([1], "1"))
        page = self.client.get(self.rows + f"?state=analysed&limit=1&cursor={page['next']}").json()
        self.assertEqual(([row["row"] for row in page["items"]], page["next"]), ([3], None))

    def test_the_failed_rows_that_come_back_are_the_corrected_ones(self):
        self.assertEqual(self.correct(3, {"Code": "", "Name": "Third, again"}).status, 200)
        self.assertEqual(self.failed(), [(2, "required", "code"), (3, "required", "code")])
        self.assertEqual(self.approve(1).status, 202)
        self.wait_for(self.job)
        failed = self.client.get(f"/api/v1/imports/{self.job}/results/failed").body.decode()
        self.assertIn(',"Third, again",3,required', failed)


class RowTables(ServerTest):
    def test_rows_become_tables_and_progress_is_told(self):
        job = self.submit(WRONG)
        self.wait_for(job)
        made = self.client.post(f"/api/v1/imports/{job}/tables")
        self.assertEqual((made.status, made.json()["rows"]), (201, 3), made.body)
        rows = self.target(f"SELECT row_id, code, state, merge_status FROM {made.json()['data']} ORDER BY row_id")
        self.assertEqual([str(row[0]) + str(row[2]) + str(row[3]) for row in rows], ["1processedAPPLIED", "2errorERROR", "3processedAPPLIED"])
        again = self.client.post(f"/api/v1/imports/{job}/tables", {"schema": "nowhere"})
        self.problem(again, 404, "schema_not_found")
        progress = self.client.get(f"/api/v1/imports/{job}/progress").json()
        self.assertEqual((progress["total_rows"], progress["imported_rows"], progress["pct"]), (3, 2, 100))
        self.assertEqual((progress["row_states"]["processed"], progress["row_states"]["error"]), (2, 1))
        self.assertEqual(self.client.request("DELETE", f"/api/v1/imports/{job}").status, 204)
        self.problem(self.client.get(f"/api/v1/imports/{job}/progress"), 404, "job_not_found")


class RowTablesOnServer(OnServer, RowTables):
    pass


class RowEditsOnServer(OnServer, RowEdits):
    pass
