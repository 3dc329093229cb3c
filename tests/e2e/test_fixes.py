"""Failed rows that are corrected and sent again, and where stored rows come from."""

import csv
import io

from harness import DEFINITION, HEADER, OnServer, ServerTest

WRONG = HEADER + "a,first\n,second\nc,third\n,fourth\n"


class Fixes(ServerTest):
    def setUp(self):
        super().setUp()
        self.job = self.submit(WRONG)
        self.assertEqual(self.wait_for(self.job)["rows"]["failed"], 2)
        self.path = f"/api/v1/imports/{self.job}/fixes"

    def fix(self, *rows, client=None):
        return (client or self.client).post(self.path, {"rows": [{"row": row, "cells": cells} for row, cells in rows]})

    def finished(self):
        self.wait_for(self.job)
        return self.client.get(f"/api/v1/imports/{self.job}").json()

    def failed_file(self):
        return self.client.get(f"/api/v1/imports/{self.job}/results/failed").body.decode()

    def test_rows_are_fixed_by_json(self):
        answer = self.fix((2, {"Code": "b"}))
        self.assertEqual(answer.status, 202, answer.body)
        self.assertEqual((answer.json()["status"], answer.headers["Location"]), ("running", f"/api/v1/imports/{self.job}"))
        job = self.finished()
        self.assertEqual((job["status"], job["rows"]["inserted"], job["rows"]["failed"]), ("succeeded", 3, 1))
        self.assertEqual(len(self.things()), 3)
        self.assertNotIn("second", self.failed_file())
        self.assertIn("fourth", self.failed_file())
        events = [event["event"] for event in self.client.get(f"/api/v1/imports/{self.job}/events").json()["items"]]
        self.assertEqual((events.count("fixed"), events[-1]), (1, "completed"))
        entry = next(one for one in self.admin.get("/api/v1/audit").json()["items"] if one["action"] == "imports.fix")
        self.assertEqual((entry["data"]["rows"], entry["data"]["revision"]), (1, 1))

    def test_the_corrected_failed_file_is_taken_as_form_and_as_body(self):
        rows = list(csv.reader(io.StringIO(self.failed_file())))
        rows[1][0] = "b"
        text = io.StringIO()
        csv.writer(text).writerows(rows[:2])
        answer = self.client.upload(self.path, "failed.csv", text.getvalue().encode())
        self.assertEqual(answer.status, 202, answer.body)
        self.assertEqual(self.finished()["rows"]["failed"], 1)
        body = self.failed_file().replace(",fourth", "d,fourth", 1).encode()
        answer = self.client.request("POST", self.path + "?name=failed.csv", body, {"Content-Type": "text/csv"})
        self.assertEqual(answer.status, 202, answer.body)
        job = self.finished()
        self.assertEqual((job["rows"]["inserted"], job["rows"]["failed"]), (4, 0))
        self.assertEqual(self.client.get(f"/api/v1/imports/{self.job}/results/failed").status, 404)

    def test_what_cannot_be_fixed_is_refused_and_changes_nothing(self):
        answer = self.fix((1, {"Code": "x"}), (2, {"Code": "b"}), (9, {"Code": "y"}))
        self.problem(answer, 422, "fixes_invalid")
        self.assertEqual([(row["row"], row["code"]) for row in answer.json()["rows"]], [(1, "row_not_failed"), (9, "row_not_found")])
        self.problem(self.fix((2, {"Kode": "b"})), 422, "source_column_unknown")
        self.problem(self.client.post(self.path, {"rows": []}), 400, "request_invalid")
        self.problem(self.client.post(self.path, {"rows": [{"row": 2, "cells": {"Code": 7}}]}), 400, "request_invalid")
        self.problem(self.client.upload(self.path, "failed.csv", b"Code,Name\nb,second\n"), 422, "fixes_invalid")
        self.problem(self.fix((2, {"Code": "b"}), client=self.user("viewer@example.com", "viewer")), 403, "not_allowed")
        self.assertEqual(self.client.get(f"/api/v1/imports/{self.job}").headers["ETag"], '"0"')
        self.assertEqual(len(self.things()), 2)

    def test_a_fix_by_the_command_line(self):
        arguments = ["--server", f"http://127.0.0.1:{self.server.port}", "--token", self.client.token, "--output", "json"]
        code, output = self.run_lade("fix", self.job, "--row", "2", "--set", "Code=b", *arguments)
        self.assertEqual(code, 2, output)
        path = self.folder / "corrected.csv"
        path.write_text(self.failed_file().replace(",fourth", "d,fourth", 1))
        code, output = self.run_lade("fix", self.job, str(path), *arguments)
        self.assertEqual(code, 0, output)
        self.assertEqual(len(self.things()), 4)


class Lineage(ServerTest):
    def test_a_row_and_a_job_tell_of_each_other(self):
        definition = DEFINITION.replace("definition: things", "definition: traced\nlineage: true")
        self.assertLess(self.admin.request("PUT", "/api/v1/definitions/traced", definition.encode(), {"Content-Type": "application/yaml"}).status, 300)
        first = self.submit(HEADER + "a,first\n,second\n", definition="traced")
        self.wait_for(first)
        second = self.submit(HEADER + "x,new\na,changed\n", definition="traced")
        self.wait_for(second)
        self.client.post(f"/api/v1/imports/{first}/fixes", {"rows": [{"row": 2, "cells": {"Code": "b"}}]})
        self.wait_for(first)
        told = self.client.get("/api/v1/lineage?table=thing&key.code=a").json()["items"]
        self.assertEqual([(row["job_id"], row["action"], row["row"], row["line"]) for row in told],
                         [(second, "updated", 2, 3), (first, "inserted", 1, 2)])
        self.assertEqual((told[0]["key"], len(told[0]["sha256"])), ({"code": "a"}, 64))
        self.assertEqual([row["job_id"] for row in self.client.get("/api/v1/lineage?table=thing&key.code=b").json()["items"]], [first])
        page = self.client.get(f"/api/v1/imports/{second}/lineage?limit=1").json()
        rest = self.client.get(f"/api/v1/imports/{second}/lineage?limit=1&cursor={page['next']}").json()
        self.assertEqual((sorted(row["key"]["code"] for row in page["items"] + rest["items"]), rest["next"]), (["a", "x"], None))
        self.problem(self.client.get("/api/v1/lineage?table=thing&key.name=a"), 422, "lineage_key_invalid")
        self.problem(self.client.get("/api/v1/lineage?table=nothing&key.code=a"), 404, "table_not_found")
        self.problem(self.client.get("/api/v1/lineage?key.code=a"), 400, "request_invalid")


class FixesOnServer(OnServer, Fixes):
    pass


class LineageOnServer(OnServer, Lineage):
    pass
