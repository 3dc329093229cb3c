"""lade import and lade worker with a Redis that shows how far jobs are, and what is said when there is none."""

import sys
import time

from program import HEADER, ROOT, ProgramTest

sys.path.insert(0, str(ROOT / "tests" / "testing"))
from redis_server import Redis  # noqa: E402  pylint: disable=wrong-import-position


class MirrorTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.redis = Redis("a-very-secret-secret")
        self.addCleanup(self.redis.stop)
        self.write("things.csv", HEADER + "a,first\n,bad\nb,second\n")

    def assert_shown(self, job):
        shown = self.redis.progress(job)
        self.assertEqual((shown["processed_rows"], shown["total_rows"], shown["success_count"], shown["failure_count"]), (3, 3, 2, 1))
        self.assertEqual((shown["percentage"], shown["finished"]), (100.0, True))
        self.assertGreater(int(self.redis.ask("TTL", "import:progress:" + job)), 86000)

    def only_job(self):
        return self.sql("SELECT uuid FROM lade_job")[0][0]

    def test_an_import_shows_its_end(self):
        code, output = self.import_file("things.csv", "--redis", self.redis.url, REDIS_PASSWORD=self.redis.password)
        self.assertEqual(code, 2, output)
        self.assertNotIn("mirror", output)
        self.assert_shown(self.only_job())

    def test_a_worker_shows_it_too(self):
        code, output = self.import_file("things.csv", "--async", REDIS_URL=self.redis.url)
        self.assertEqual(code, 0, output)
        self.assertIsNone(self.redis.progress(self.only_job()))
        self.write("settings", f"REDIS_URL={self.redis.url}\nREDIS_PASSWORD={self.redis.password}\n")
        code, output = self.lade("worker", "--until-idle", "--settings", "settings")
        self.assertEqual(code, 0, output)
        self.assert_shown(self.only_job())

    def test_one_that_is_not_there_is_told_of_once(self):
        self.redis.kill()
        code, output = self.import_file("things.csv", "--redis", self.redis.url)
        self.assertEqual(code, 2, output)
        self.assertEqual(output.count("not mirrored"), 1, output)
        self.assertEqual(self.sql("SELECT count(*) FROM thing"), [(2,)])

    def test_a_wrong_password_is_told_of_and_not_shown(self):
        code, output = self.import_file("things.csv", "--redis", self.redis.url, REDIS_PASSWORD="another-secret")
        self.assertEqual(code, 2, output)
        self.assertIn("does not accept the password", output)
        self.assertNotIn("secret", output)

    def test_one_that_hangs_costs_a_moment(self):
        self.redis.process.send_signal(19)  # SIGSTOP
        begin = time.monotonic()
        code, output = self.import_file("things.csv", "--redis", self.redis.url)
        self.assertEqual(code, 2, output)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertIn("no answer in time", output)

    def test_what_is_no_address_is_refused(self):
        for url in ("rediss://:a-secret@host", "redis://:a-secret@host:port", "localhost:6379", "unix:relative"):
            with self.subTest(url=url):
                result = self.import_file("things.csv", "--output", "json", "--redis", url)
                self.assert_refused(result, 1, "redis_url_invalid")
                self.assertNotIn("a-secret", result[1])
        self.assert_refused(self.import_file("things.csv", REDIS_URL="rediss://host"), 1, "redis_url_invalid", "TLS")
        self.assert_refused(self.lade("worker", "--redis", "nowhere"), 1, "redis_url_invalid")
        self.assert_nothing_written()
        # Who does not work on jobs does not care.
        code, output = self.run_lade("plan", "things.csv", "-d", "things.yaml", "--database", self.url, REDIS_URL="rediss://host")
        self.assertEqual(code, 2, output)
