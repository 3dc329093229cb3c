"""Files in a bucket: a server and workers that share nothing but the database and the bucket, also when the bucket fails."""

import hashlib
import http.client
import sys
import time
import urllib.parse
import uuid

from harness import HEADER, ROOT, OnServer, Process, Server, ServerTest

sys.path.insert(0, str(ROOT / "tests" / "testing"))
from s3 import KEYS, Storage  # noqa: E402  pylint: disable=wrong-import-position

ROWS = 30000


def rows(count):
    """Every hundredth row has no code, and fails."""
    return HEADER + "".join(f"{'' if i % 100 == 7 else f'c{i:06}'},name {i} {'x' * (i % 50)}\n" for i in range(count))


def send(method, url, body=None):
    place = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(place.netloc, timeout=30)
    connection.request(method, f"{place.path}?{place.query}", body=body)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content, answer.headers


class BucketTest(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.storage = Storage()
        cls.addClassCleanup(cls.storage.stop)

    def setUp(self):
        self.storage.fail("none")
        self.addCleanup(self.storage.fail, "none")
        self.place = self.storage.url(f"e2e/{uuid.uuid4()}")
        super().setUp()

    def start(self, *words, port=0, **environment):
        server = Server(self.folder, self.url, *(words or self.words), "--storage", self.place, port=port, **KEYS, **environment)
        self.addCleanup(self.end, server)
        return server


class Links(BucketTest):
    def test_a_result_is_read_by_a_link_that_expires(self):
        job = self.submit(HEADER + "a,first\n,bad\n")
        self.wait_for(job)
        answer = self.client.get(f"/api/v1/imports/{job}/results/failed/link")
        self.assertEqual(answer.status, 200, answer.body)
        status, content, headers = send("GET", answer.json()["url"])
        self.assertEqual((status, content), (200, self.client.get(f"/api/v1/imports/{job}/results/failed").body))
        self.assertIn("attachment", headers["Content-Disposition"])
        self.problem(self.client.get(f"/api/v1/imports/{job}/results/unprocessed/link"), 404, "result_not_found")
        self.assertEqual(self.server.stop(), 0)
        brief = self.connect(self.client.token, self.start(IMPORT_RESULT_PRESIGN_EXPIRES="1"))
        link = brief.get(f"/api/v1/imports/{job}/results/failed/link").json()
        end = time.monotonic() + 10
        while (status := send("GET", link["url"])[0]) == 200 and time.monotonic() < end:
            time.sleep(0.1)
        self.assertIn(status, (400, 403))

    def test_results_lie_in_the_folder_of_their_job(self):
        job = self.submit(HEADER + "a,first\n,bad\n")
        self.wait_for(job)
        prefix = urllib.parse.urlsplit(self.place).path.strip("/")
        for which in ("failed", "succeeded"):
            link = self.client.get(f"/api/v1/imports/{job}/results/{which}/link").json()["url"]
            self.assertEqual(urllib.parse.urlsplit(link).path, f"/lade-test/{prefix}/uploads/imports/{job}/{which}.csv")
            self.assertEqual(send("GET", link)[1], self.client.get(f"/api/v1/imports/{job}/results/{which}").body)
        # Nobody gets at them by way of an upload.
        escaped = urllib.parse.quote(f"uploads/imports/{job}/failed.csv", safe="")
        said = {"name": "x.csv", "bytes": 1, "sha256": "0" * 64}
        self.assertEqual(self.client.post(f"/api/v1/files/{escaped}/confirm", said).status, 404)
        self.assertEqual(self.client.get(f"/api/v1/files/{escaped}/link").status, 404)

    def test_results_are_as_the_import_says(self):
        content = HEADER + "a,first\n,bad\n"
        job = self.submit(content, output_format="xlsx", result_file_prefix="hr-2024.")
        self.wait_for(job)
        answer = self.client.get(f"/api/v1/imports/{job}/results/failed")
        self.assertIn("hr-2024.failed.xlsx", answer.headers["Content-Disposition"])
        self.assertTrue(answer.body.startswith(b"PK"))
        link = self.client.get(f"/api/v1/imports/{job}/results/failed/link").json()["url"]
        self.assertTrue(urllib.parse.urlsplit(link).path.endswith(f"/uploads/imports/{job}/hr-2024.failed.xlsx"))
        self.assertEqual(send("GET", link)[1], answer.body)
        job = self.submit(content, create_result_file_records="false")
        self.wait_for(job)
        self.problem(self.client.get(f"/api/v1/imports/{job}/results/failed/link"), 404, "result_not_found")
        self.assertEqual(self.client.post("/api/v1/imports", {"definition": "things", "output_fromat": "csv"}).json()["code"], "option_unknown")
        self.assertIn(b",bad,", self.client.get(f"/api/v1/imports/{job}/results/failed").body)
        for wrong in ({"output_format": "pdf"}, {"result_file_prefix": "../x"}, {"result_file_prefix": "a" * 101},
                      {"create_result_file_records": "perhaps"}):
            with self.subTest(wrong=wrong):
                query = urllib.parse.urlencode({"name": "x.csv", "definition": "things"} | wrong)
                self.problem(self.client.post(f"/api/v1/imports?{query}", content.encode(), **{"Content-Type": "text/csv"}), 400, "request_invalid")

    def test_a_browser_uploads_into_the_bucket(self):
        content = (HEADER + "a,first\nb,second\n").encode()
        said = {"name": "straight.csv", "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        answer = self.client.post("/api/v1/files/link")
        self.assertEqual(answer.status, 201, answer.body)
        link = answer.json()
        confirm = f"/api/v1/files/{link['file_id']}/confirm"
        self.problem(self.client.post(confirm, said), 409, "upload_missing")
        self.assertEqual(send("PUT", link["url"], content)[0], 200)
        self.problem(self.client.post(confirm, said | {"sha256": "0" * 64}), 409, "upload_differs")
        self.problem(self.client.post(confirm, said | {"bytes": 1}), 409, "upload_differs")
        self.problem(self.client.post(confirm, {"name": "x", "sha256": ""}), 400, "request_invalid")
        self.problem(self.client.get(f"/api/v1/files/{link['file_id']}"), 404, "file_not_found")
        confirmed = self.client.post(confirm, said)
        self.assertEqual((confirmed.status, confirmed.json()["name"]), (201, "straight.csv"), confirmed.body)
        self.problem(self.client.post(confirm, said), 404, "upload_not_found")
        read = self.client.get(f"/api/v1/files/{link['file_id']}/link").json()
        self.assertEqual(send("GET", read["url"])[1], content)
        answer = self.client.post("/api/v1/imports", {"file_id": link["file_id"], "definition": "things"})
        self.assertEqual(answer.status, 202, answer.body)
        self.assertEqual(self.wait_for(answer.json()["job_id"])["status"], "succeeded")
        self.assertEqual(self.things(), [("a", "first"), ("b", "second")])

    def test_readiness_tells_of_a_bucket_that_is_away(self):
        self.assertTrue(self.connect().get("/ready").json()["checks"]["storage"]["ok"])
        self.storage.fail("skewed")
        answer = self.connect().get("/ready")
        self.assertEqual((answer.status, answer.json()["checks"]["storage"]), (503, {"ok": False, "code": "storage_clock_skew"}))


class NoLinks(ServerTest):
    def test_a_folder_has_no_links(self):
        job = self.submit(HEADER + "a,first\n,bad\n")
        found = self.wait_for(job)
        self.problem(self.client.get(f"/api/v1/files/{found['file_id']}/link"), 409, "no_links")
        self.problem(self.client.get(f"/api/v1/imports/{job}/results/failed/link"), 409, "no_links")
        self.problem(self.client.post("/api/v1/files/link"), 409, "no_links")


class Workers(OnServer, BucketTest):
    words = ("--workers", "0", "--data", "of_the_server")

    def worker(self, name):
        """With a folder of its own."""
        worker = Process(["worker", "--database", self.url, "--data", name, "--storage", self.place, "--workers", "2"], self.folder, **KEYS)
        self.addCleanup(self.end, worker)
        worker.wait_for("working on")
        return worker

    def import_and_compare(self):
        content = rows(ROWS)
        expected = sorted((f"c{i:06}", f"name {i} {'x' * (i % 50)}".strip()) for i in range(ROWS) if i % 100 != 7)
        reference = self.reference(content)
        job = self.submit(content)
        found = self.wait_for(job, seconds=300)
        self.assertEqual(found["status"], "succeeded", found)
        self.assertEqual(found["rows"]["inserted"], len(expected))
        self.assertEqual([(code, name.strip()) for code, name in self.things()], expected)
        failed = self.client.get(f"/api/v1/imports/{job}/results/failed")
        self.assertEqual((failed.status, failed.body), (200, reference))
        self.assertEqual(self.client.get(f"/api/v1/files/{found['file_id']}/content").body, content.encode())

    def reference(self, content):
        """The failed rows as an import without a bucket has them."""
        self.write("reference.csv", content)
        self.sql("DELETE FROM thing")
        code, output = self.run_lade("import", "reference.csv", "-d", "things.yaml", "--database", "sqlite:company.db", "--data",
                                     "of_the_reference", "--results-dir", "reference_results")
        self.assertEqual(code, 2, output)
        files = list((self.folder / "reference_results").glob("*failed*"))
        self.assertEqual(len(files), 1, files)
        return files[0].read_bytes()

    def assert_nothing_is_shared(self):
        for name in ("of_the_server", "first", "second"):
            self.assertFalse((self.folder / name / "storage").exists())

    def test_two_workers_share_nothing_but_the_bucket(self):
        self.worker("first")
        self.worker("second")
        self.import_and_compare()
        self.assert_nothing_is_shared()

    def test_a_fifth_of_all_calls_fails(self):
        self.worker("first")
        self.worker("second")
        self.storage.fail("mixed", 0.2)
        self.import_and_compare()
        state = self.storage.ask()
        self.assertGreater(state["failed"], 2, state["calls"])

    def test_secrets_are_told_nowhere(self):
        worker = self.worker("first")
        self.wait_for(self.submit())
        for process in (worker, self.server):
            self.assertNotIn("AWS_SECRET", "\n".join(process.lines))
            self.assertNotIn("Signature=", "\n".join(process.lines))
