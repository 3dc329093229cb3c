"""Manifests that are not what they should be: no addresses, the same ones, fields of 10 MB, no rows, workbooks."""

import unittest

from harness import OnServer
from test_batches_api import GRANTHA, BatchTest
from workbook import MEDIA_TYPE, make_workbook


class Manifests:
    def issues(self, name):
        return [issue for job in self.client.get(f"/api/v1/imports?batch={name}").json()["items"]
                for issue in self.client.get(f"/api/v1/imports/{job['job_id']}/issues").json()["items"]]

    def test_bad_manifests_are_refused_at_once(self):
        create = lambda content, **fields: self.client.upload("/api/v1/batches", "list.csv", content, {"definition": "compositions", **fields})
        self.problem(create(b"Key,Address\na,b\n"), 422, "manifest_ingest_failed")
        self.problem(create(b"Key,URL\n"), 422, "manifest_empty")
        self.problem(create(b"Key,URL\na,ftp://x\nb,\n"), 422, "manifest_ingest_failed")
        self.problem(self.client.post("/api/v1/batches", {"definition": "compositions"}), 400, "manifest_missing")
        self.problem(self.client.post("/api/v1/batches", {"file_id": "nobody"}), 404, "file_not_found")
        self.problem(self.client.post("/api/v1/batches", {"batch": " ", "filename": "gone.csv"}), 404, "dropped_file_not_found")
        line = b"k," + self.site.url("a").encode() + b"\n"
        large = b"Key,URL\n" + line * (10_050_000 // len(line))
        self.problem(self.admin.upload(f"{GRANTHA}/upload", "list.csv", large, {"definition": "compositions"}), 413, "upload_too_large")
        self.assertEqual(self.client.get("/api/v1/batches").json()["items"], [])
        for path in ("tasks", "stages", "events", "metrics", "errors.csv", "export", "tasks/1-1", "evidence/1-1"):
            self.problem(self.client.get(f"/api/v1/batches/nobody/{path}"), 404, "batch_not_found")

    def test_a_manifest_with_fields_of_ten_megabytes(self):
        """They cost their own rows, where they matter; the others go on."""
        large = "x" * 10_000_000
        rows = [("a", self.site.url("a"), ""), ("b", self.site.url("b"), large), ("c", self.site.url(large), ""), (large, self.site.url("d"), ""),
                ("e", large, "")]
        content = "Key,URL,Note\n" + "".join(",".join(row) + "\n" for row in rows)
        self.create(content.encode(), batch="large")
        done = self.wait_until("large")
        jobs = self.client.get("/api/v1/imports?batch=large").json()["items"]
        self.assertEqual((done["status"], done["tasks"]["total"]), ("succeeded", 5), jobs)
        self.assertEqual(self.things(), [("a", "Title of a"), ("b", "Title of b")])
        self.assertEqual(sorted(name for name in self.site.asked if len(name) < 100), ["a", "b", "d", "robots.txt"])
        tasks = self.items("large", "tasks")
        self.assertEqual([(task["status"], (task["error"] or {}).get("code")) for task in tasks[:3] + tasks[4:]],
                         [("succeeded", None), ("succeeded", None), ("failed", "unreachable_url"), ("failed", "unreachable_url")])
        self.assertLess(max(len(task["key"]) + len(task["source_url"] or "") for task in tasks), 10_000)
        self.assertEqual({issue["code"] for issue in self.issues("large")}, {"unreachable_url", "cell_too_long"})

    def test_a_manifest_that_is_a_workbook(self):
        self.site.broken["c"] = 404
        book = make_workbook({"Pages": [["Key", "URL"], ["a", self.site.url("a")], ["b", self.site.url("b")], ["c", self.site.url("c")],
                                        ["d", ""], ["again", self.site.url("a")]]})
        answer = self.client.upload("/api/v1/batches", "list.xlsx", book, {"definition": "compositions", "batch": "book"}, MEDIA_TYPE)
        self.assertEqual((answer.status, answer.json()["source_manifest"]), (202, "list.xlsx"), answer.body)
        done = self.wait_until("book")
        self.assertEqual((done["status"], done["tasks"]["succeeded"], done["tasks"]["failed"]), ("succeeded", 2, 3))
        self.assertEqual({task["key"]: task["error"]["code"] for task in self.items("book", "tasks?status=failed")},
                         {"c": "scrape_failed", "d": "missing_source_url", "again": "duplicate_url"})
        self.assertEqual(self.things(), [("a", "Title of a"), ("b", "Title of b")])
        self.assertEqual(self.site.asked.count("a"), 1)
        empty = make_workbook({"Pages": [["Key", "URL"]]})
        answer = self.client.upload("/api/v1/batches", "empty.xlsx", empty, {"definition": "compositions"}, MEDIA_TYPE)
        self.problem(answer, 422, "manifest_empty")


class ManifestsOnSqlite(Manifests, BatchTest):
    pass


class ManifestsOnPostgresql(OnServer, Manifests, BatchTest):
    pass


if __name__ == "__main__":
    unittest.main()
