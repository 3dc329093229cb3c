"""Workbooks over HTTP: read, corrected, given back; imports by name and manifest (seed Q)."""

import json
import os
import pathlib
import sys

from harness import OnServer, ServerTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "testing"))
from workbook import MEDIA_TYPE, make_workbook, read_workbook  # noqa: E402

ROWS = [["Code", "Name"], ["a", "first"], ["", "bad"], ["b", "second"]]


class Workbooks(ServerTest):
    def setUp(self):
        super().setUp()
        self.incoming = pathlib.Path(self.folder) / "lade-data" / "incoming" / "default"
        self.incoming.mkdir(parents=True)
        self.manifest = pathlib.Path(self.folder) / "lade-data" / "import-manifest.json"
        self.manifest.write_text(json.dumps({"Things.xlsx": {"type": "things", "sheetName": "The data"}}))

    def send(self, book, name="things.xlsx", **fields):
        return self.client.upload("/api/v1/imports", name, book, {"definition": "things", **fields}, kind=MEDIA_TYPE)

    def accepted(self, answer, member="job_id"):
        self.assertEqual(answer.status, 202, answer.body)
        return answer.json()[member]

    def test_a_workbook_is_imported_and_failed_rows_come_back_as_one(self):
        job = self.accepted(self.send(make_workbook({"Notes": [], "Data": ROWS})))
        found = self.wait_for(job)
        self.assertEqual((found["status"], found["rows"]["inserted"], found["rows"]["failed"]), ("succeeded", 2, 1))
        self.assertEqual(self.things(), [("a", "first"), ("b", "second")])
        row = self.client.get(f"/api/v1/imports/{job}/rows?state=failed").json()["items"][0]
        self.assertEqual((row["row"], row["line"]), (2, 3))  # line: the sheet's row
        answer = self.client.get(f"/api/v1/imports/{job}/results/failed")
        self.assertEqual(answer.headers.get("Content-Type"), MEDIA_TYPE)
        self.assertIn("failed.xlsx", answer.headers.get("Content-Disposition"))
        rows = read_workbook(answer.body)
        self.assertEqual(rows[0], ["Code", "Name", "_row", "_code", "_message"])
        self.assertEqual(rows[1][:4], ["", "bad", "2", "required"])
        # Corrected by a person and sent again: lade's own columns are no data.
        rows[1][0] = "c"
        again = self.wait_for(self.accepted(self.send(make_workbook({"Data": rows}))))
        self.assertEqual((again["rows"]["inserted"], again["rows"]["failed"]), (1, 0))

    def test_a_request_says_how_its_file_is_read(self):
        book = make_workbook({"Old": [["Code", "Name"], ["old", "old"]], "New": [["A title"], [], *ROWS[:2]]})
        job = self.accepted(self.send(book, source=json.dumps({"sheet": "New", "header_row": 3})))
        self.assertEqual(self.wait_for(job)["rows"]["inserted"], 1)
        self.assertEqual(self.things(), [("a", "first")])
        found = self.client.get(f"/api/v1/imports/{job}").json()
        self.assertEqual(found["source"], {"sheet": "New", "header_row": 3})
        # Another reading of the same file is another import.
        other = self.accepted(self.send(book))
        self.wait_for(other)
        self.assertEqual(self.things(), [("a", "first"), ("old", "old")])
        self.problem(self.send(book, source='{"sheep": "New"}'), 400, "source_invalid")
        self.problem(self.send(book, source="New"), 400, "request_invalid")

    def test_a_sheet_that_is_not_there_fails_the_job_with_those_that_are(self):
        job = self.accepted(self.send(make_workbook({"Data": ROWS}), source='{"sheet": "Date"}'))
        found = self.wait_for(job)
        self.assertEqual((found["status"], found["error"]["code"]), ("failed", "sheet_not_found"))
        self.assertIn("there are: Data", found["error"]["message"])

    def test_a_file_is_sniffed(self):
        file = self.client.upload("/api/v1/files", "x.xlsx", make_workbook({"Data": ROWS, "More": []}), kind=MEDIA_TYPE).json()
        found = self.client.get(f"/api/v1/files/{file['file_id']}/sniff").json()
        self.assertEqual((found["format"], found["sheet"], found["sheets"]), ("xlsx", "Data", ["Data", "More"]))
        self.assertEqual(found["header"], ["Code", "Name"])
        self.assertEqual(found["rows"][0], ["a", "first"])

    def test_a_file_on_the_server_is_imported_by_its_name(self):
        (self.incoming / "Things.xlsx").write_bytes(make_workbook({"First": [["x"]], "The data": ROWS}))
        job = self.accepted(self.client.post("/api/v1/imports/xlsx", {"filename": "Things.xlsx"}), "jobId")
        self.wait_for(job)
        entry = self.client.get(f"/api/v1/queue/{job}").json()
        self.assertEqual((entry["status"], entry["type"]), ("succeeded", "things"))
        self.assertEqual({name: entry["result"][name] for name in ("totalRows", "inserted", "updated", "failed")},
                         {"totalRows": 3, "inserted": 2, "updated": 0, "failed": 1})
        self.assertEqual([error["row"] for error in entry["result"]["errors"]], [3])
        self.assertTrue((self.incoming / "Things.xlsx").exists())  # it is somebody's own; lade worked on a copy
        found = self.client.get(f"/api/v1/imports/{job}").json()
        self.problem(self.client.get(f"/api/v1/files/{found['file_id']}"), 404, "file_not_found")  # which is gone
        # By the plain address too: the manifest says which definition.
        (self.incoming / "things.csv").write_text("Code,Name\nz,last\n")
        job = self.accepted(self.client.post("/api/v1/imports", {"filename": "things.csv", "definition": "things"}))
        self.assertEqual(self.wait_for(job)["rows"]["inserted"], 1)

    def test_names_on_the_server_are_checked(self):
        outside = pathlib.Path(self.folder) / "secret.xlsx"
        outside.write_bytes(make_workbook({"The data": ROWS}))
        os.symlink(outside, self.incoming / "Link.xlsx")
        for name in ("../secret.xlsx", "a/b.xlsx", "..", "", "/etc/passwd", "x..xlsx", ".Things.xlsx", "Things.xlsx\n"):
            self.problem(self.client.post("/api/v1/imports/xlsx", {"filename": name}), 400, "filename_invalid")
        self.problem(self.client.post("/api/v1/imports/xlsx", {"filename": "Link.xlsx"}), 404, "dropped_file_not_found")
        self.problem(self.client.post("/api/v1/imports/xlsx", {"filename": "Things.xlsx"}), 404, "dropped_file_not_found")
        (self.incoming / "Other.xlsx").write_bytes(b"x")
        unknown = self.problem(self.client.post("/api/v1/imports/xlsx", {"filename": "Other.xlsx"}), 400, "import_type_unknown")
        self.assertIn("Things.xlsx", unknown["hint"])
        (self.incoming / "Things.csv").write_bytes(b"x")
        self.problem(self.client.post("/api/v1/imports/xlsx", {"filename": "Things.csv"}), 415, "media_type_unsupported")
        with (self.incoming / "Things.xlsx").open("wb") as file:
            file.truncate(10_000_001)
        self.problem(self.client.post("/api/v1/imports/xlsx", {"filename": "Things.xlsx"}), 413, "upload_too_large")
        self.problem(self.client.post("/api/v1/imports/xlsx", {}), 400, "request_invalid")

    def test_uploads_by_manifest(self):
        book = make_workbook({"The data": ROWS})
        upload = lambda name, data, kind=MEDIA_TYPE: self.client.upload("/api/v1/imports/xlsx/upload", name, data, kind=kind)
        job = self.accepted(upload("Things.xlsx", book), "jobId")
        self.assertEqual(self.wait_for(job)["rows"]["inserted"], 2)
        self.problem(upload("Things.csv", book), 415, "media_type_unsupported")
        self.problem(upload("Things.xlsx", book, "text/csv"), 415, "media_type_unsupported")
        self.problem(upload("Unknown.xlsx", book), 400, "import_type_unknown")
        self.problem(upload("../Things.xlsx", book), 400, "filename_invalid")
        self.problem(upload("Things.xlsx", b"x" * 10_000_001), 413, "upload_too_large")

    def test_a_file_that_failed_stays_for_its_retry(self):
        job = self.accepted(self.client.upload("/api/v1/imports/xlsx/upload", "Things.xlsx", b"no workbook", kind=MEDIA_TYPE), "jobId")
        found = self.wait_for(job)
        self.assertEqual(found["status"], "failed")
        self.assertEqual(self.client.get(f"/api/v1/files/{found['file_id']}").status, 200)

    def test_templates(self):
        answer = self.client.get("/api/v1/definitions/things/template")
        self.assertEqual((answer.status, answer.headers.get("Content-Type")), (200, MEDIA_TYPE))
        self.assertEqual(read_workbook(answer.body)[0], ["Code", "Name"])
        # What it shows can be imported as it is.
        self.assertEqual(self.wait_for(self.accepted(self.send(answer.body)))["rows"]["inserted"], 1)
        answer = self.client.get("/api/v1/definitions/things/template?format=csv")
        self.assertEqual(answer.body.split(b"\r\n")[0], b"Code,Name")
        self.problem(self.client.get("/api/v1/definitions/things/template?format=pdf"), 400, "option_invalid")
        self.problem(self.client.get("/api/v1/definitions/none/template"), 404, "definition_not_found")


class WorkbooksOnServer(OnServer, Workbooks):
    pass
