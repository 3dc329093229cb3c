"""Records of a batch of pages: how their pages were answered, and how good they are."""

import time
import unittest

from harness import OnServer
from test_batches_api import GRANTHA, BatchTest

SONGS = """
lade: 1
definition: songs
steps:
  fetch: {priority: 10, url: URL, key: Key, per_host: {per_minute: 0, at_once: 4}, total: {at_once: 4}, retries: 1, backoff: 1}
  extract:
    priority: 20
    fields: {title: {css: h1, required: true}, composer: {css: .composer}, raga: {css: .raga}}
  who:
    {kind: resolve, priority: 30, input: composer, table: composer, results: {composer_id: id},
     columns: {composer_id: {purpose: internal, type: integer}}}
columns: {code: {from: Key}, name: {from: title, required: true}, composer: , raga: }
load: [{table: thing, key: code, columns: [code, name]}]
"""
TABLES = ("CREATE TABLE composer (id integer PRIMARY KEY, name text NOT NULL)",
          "INSERT INTO composer VALUES (1, 'Tyāgarāja'), (2, 'Muttusvāmi Dīkṣitar')")


def body(title="", composer="", raga=""):
    return "".join(f"<{tag} class={name}>{text}</{tag}>" for tag, name, text in
                   (("h1", "title", title), ("p", "composer", composer), ("p", "raga", raga)) if text)


class QualityTest(BatchTest):
    def setUp(self):
        super().setUp()
        for text in TABLES:
            self.target(text)
        self.write("songs.yaml", SONGS)
        self.check(self.lade("definitions", "add", "songs.yaml"))
        self.site.bodies = {"good": body("Good", "Tyagaraja", "Mohanam"), "bare": body("Bare"),
                            "doubtful": body("Doubtful", "Muttuswami Dikshithar Iyer", "Kalyani"), "untitled": body("", "Tyagaraja", "Kalyani")}
        self.site.broken["gone"] = 404
        self.site.moved["old"] = "good"

    def fetch_songs(self):
        names = ("old?api_key=s3cret", "bare", "doubtful", "untitled", "gone")
        manifest = "Key,URL\n" + "".join(f"{name.split('?')[0]},{self.site.url(name)}\n" for name in names)
        self.create(manifest.encode(), "songs", batch="monday")
        self.wait_until("monday")
        return self.tasks()

    def tasks(self):
        return {task["key"]: task for task in self.items("monday", "tasks")}


class Qualities:
    def test_every_record_has_a_quality(self):
        tasks = self.fetch_songs()
        question, = self.client.get("/api/v1/review").json()["items"]
        sure = question["confidence"] / 100
        self.assertTrue(0.5 < sure < 1, sure)
        rounded = lambda number: round(number, 2)
        parts = lambda task: [task["quality"][name] for name in ("completeness", "resolution", "source", "validation", "score", "tier")]
        self.assertEqual(parts(tasks["old"]), [1, 1, 0.8, 1, 0.96, "excellent"])
        self.assertEqual(parts(tasks["bare"]), [0.33, 1, 0.8, 1, 0.69, "fair"])
        self.assertEqual(parts(tasks["untitled"]), [0.67, 1, 0.8, 0, 0.73, "fair"])
        doubtful = tasks["doubtful"]["quality"]
        self.assertEqual((doubtful["completeness"], doubtful["resolution"], doubtful["source"], doubtful["validation"]), (1, rounded(sure), 0.8, 1))
        self.assertAlmostEqual(doubtful["score"], 0.66 + 0.3 * sure, delta=0.011)
        self.assertIsNone(tasks["gone"]["quality"], "there is no record")
        self.assertEqual(question["quality"], doubtful, "a question says the same of its record")

        exported = {task["key"]: task for task in self.client.get("/api/v1/batches/monday/export").json()}
        self.assertEqual({key: task["quality"] for key, task in exported.items()}, {key: task["quality"] for key, task in tasks.items()})
        lines = {line["key"]: line for line in self.table("monday", "export?format=csv")}
        self.assertEqual([lines["bare"][name] for name in ("quality_score", "quality_tier", "completeness", "resolution", "source", "validation")],
                         ["0.69", "fair", "0.33", "1.00", "0.80", "1.00"])
        self.assertEqual((lines["gone"]["quality_score"], lines["gone"]["quality_tier"]), ("", ""))
        theirs = {task["krithi_key"]: task for task in self.admin.get(f"{GRANTHA}/batches/monday/tasks").json()["items"]}
        self.assertEqual((theirs["old"]["quality_score"], theirs["old"]["quality_tier"]), (0.96, "excellent"))
        self.assertEqual((theirs["old"]["fetched"], theirs["gone"]["quality_tier"]), (tasks["old"]["fetched"], None))

    def test_a_decision_makes_it_better(self):
        before = self.fetch_songs()["doubtful"]["quality"]["score"]
        question, = self.client.get("/api/v1/review").json()["items"]
        decided = self.reviewer.post(f"/api/v1/review/{question['id']}", {"decision": "pick", "entity": "2"}).json()
        self.assertEqual((decided["quality"]["resolution"], decided["quality"]["score"]), (1, 0.96))
        end = time.monotonic() + 180
        while self.tasks()["doubtful"]["status"] != "succeeded":
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        self.wait_until("monday")
        after = self.tasks()["doubtful"]["quality"]["score"]
        self.assertLess(before, after)
        self.assertEqual(after, 0.96)

    def test_how_a_page_was_answered(self):
        tasks = self.fetch_songs()
        page = tasks["old"]["fetched"]
        html = f"<html>{self.site.bodies['good']}</html>"
        self.assertEqual((page["url"], page["status"], page["bytes"]), (self.site.url("good"), 200, len(html)))
        self.assertEqual(page["hops"], [self.site.url("old?api_key=***"), self.site.url("good")])
        self.assertEqual(page["headers"]["content-type"], "text/html; charset=utf-8")
        self.assertRegex(page["fetched_at"], r"^20\d\d-\d\d-\d\dT.*Z$")
        self.assertNotIn("address", page)
        self.assertNotIn("hops", tasks["bare"]["fetched"])
        self.assertIsNone(tasks["gone"]["fetched"])
        for part in ("tasks", "export", "export?format=csv"):
            self.assertNotIn("s3cret", self.client.get(f"/api/v1/batches/monday/{part}").body.decode())
        line = next(line for line in self.table("monday", "export?format=csv") if line["key"] == "old")
        self.assertEqual((line["final_url"], line["fetched_at"], line["bytes"]), (page["url"], page["fetched_at"], str(len(html))))
        # On the command line, from the database itself.
        code, output = self.lade("batches", "task", "monday", tasks["old"]["task_id"])
        self.assertEqual(code, 0, output)
        for text in (f"answered by +{self.site.url('good')}\n", "api_key=[*]{3}", r"content-type +text/html; charset=utf-8\n",
                     r"quality +0.96, excellent: completeness 1.00, resolution 1.00, source 0.80, validation 1.00\n"):
            self.assertRegex(output, text)
        self.assertNotIn("s3cret", output)
        self.assertEqual(self.json("batches", "task", "monday", tasks["old"]["task_id"])["fetched"], page)
        self.assertRegex(self.lade("batches", "tasks", "monday")[1], r"  fair       bare ")


class OnSqlite(Qualities, QualityTest):
    pass


class OnPostgresql(OnServer, Qualities, QualityTest):
    pass


if __name__ == "__main__":
    unittest.main()
