"""lade import with its files in a bucket, and what is said when that cannot be."""

import json
import sys
import uuid

from program import HEADER, ROOT, ProgramTest

sys.path.insert(0, str(ROOT / "tests" / "testing"))
from s3 import KEYS, Storage  # noqa: E402  pylint: disable=wrong-import-position


class BucketTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.storage = Storage()
        cls.addClassCleanup(cls.storage.stop)

    def setUp(self):
        super().setUp()
        self.storage.fail("none")
        self.place = self.storage.url(f"cli/{uuid.uuid4()}")

    def import_there(self, *words, place=None, **variables):
        return self.import_file("things.csv", "--storage", place or self.place, *words, **(KEYS | variables))

    def test_files_go_into_the_bucket(self):
        self.write("things.csv", HEADER + "a,first\n,bad\n")
        code, output = self.import_there()
        self.assertEqual(code, 2, output)
        self.assertEqual(self.sql("SELECT code FROM thing"), [("a",)])
        self.assertFalse((self.folder / "lade-data" / "storage").exists())
        self.assertTrue(any(call.startswith("PUT ") for call in self.storage.ask()["seen"]))

    def test_results_lie_where_others_look_for_them(self):
        self.write("things.csv", HEADER + "a,first\n,bad\n")
        for settings, folder in (({}, "uploads/imports"), ({"IMPORT_S3_PREFIX": "theirs"}, "theirs")):
            with self.subTest(folder=folder):
                self.storage.ask()
                code, output = self.import_there("--output", "json", "--results-prefix", "hr-", **settings)
                self.assertEqual(code, 2, output)
                job = json.loads(output.splitlines()[-1])["job_id"]
                prefix = self.place.split("?")[0].split("lade-test")[1]
                seen = self.storage.ask()["seen"]
                self.assertTrue(any(f"/lade-test{prefix}/{folder}/{job}/hr-failed.csv" in call for call in seen), seen)

    def test_the_settings_name_it(self):
        self.write("settings", f"LADE_STORAGE={self.place}\nAWS_ACCESS_KEY_ID=S3RVER\nAWS_SECRET_ACCESS_KEY=S3RVER\n")
        self.storage.ask()
        code, output = self.import_file("things.csv", "--settings", "settings")
        self.assertEqual(code, 0, output)
        self.assertGreater(self.storage.ask()["calls"], 0)

    def test_what_is_wrong_is_told(self):
        secret = "a-very-secret-secret"
        for expected, code, place, variables in (
                (1, "storage_url_invalid", "s3://x", {}),
                (1, "storage_url_invalid", self.place + "&secret=" + secret, {}),
                (1, "storage_keys_missing", self.place, {"AWS_SECRET_ACCESS_KEY": ""}),
                (4, "storage_refused", self.place, {"AWS_ACCESS_KEY_ID": "NOBODY", "AWS_SECRET_ACCESS_KEY": secret}),
                (4, "storage_bucket_missing", self.storage.url("x", "no-such-bucket"), {}),
                (6, "storage_unreachable", "s3://lade-test/x?endpoint=http://127.0.0.1:9", {})):
            with self.subTest(code=code, place=place):
                result = self.import_there("--output", "json", place=place, **variables)
                self.assert_refused(result, expected, code)
                self.assertNotIn(secret, result[1])
        self.assert_nothing_written()

    def test_different_clocks_are_told(self):
        self.storage.fail("skewed")
        self.assert_refused(self.import_there("--output", "json"), 6, "storage_clock_skew", "2001-02-03T04:05:06Z")
        self.assert_nothing_written()

    def test_the_data_folder_is_no_bucket(self):
        self.assert_refused(self.import_file("things.csv", "--output", "json", "--data", self.place, **KEYS), 1, "option_invalid", "--storage")
