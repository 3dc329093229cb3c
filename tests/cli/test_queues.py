"""Queues of their own for kinds of imports: where tasks wait, who works on them, and how many at once. On both databases."""

import unittest

from program import OnServer, ProgramTest

DEFINITION = """\
lade: 1
definition: prices
queue: monthly
columns:
  code: {from: Code, required: true}
load:
  - {table: offer, key: code}
"""


class Queues:
    def setUp(self):
        super().setUp()
        self.execute("CREATE TABLE offer (code text PRIMARY KEY)")
        self.write("prices.yaml", DEFINITION)
        self.write("prices.csv", "Code\na\nb\n")

    def count(self):
        return int(self.execute("SELECT count(*) FROM offer")[0][0])

    def test_only_workers_of_its_queue_take_a_job(self):
        self.json("import", "prices.csv", "-d", "prices.yaml", "--async")
        self.assertEqual({task["queue"] for task in self.json("queue")["tasks"]}, {"monthly"})
        self.assertEqual(self.lade("worker", "--queue", "default", "--until-idle", "--quiet")[0], 0)
        self.assertEqual(self.count(), 0)
        self.assertEqual(self.lade("worker", "--queue", "monthly", "--until-idle", "--quiet")[0], 0)
        self.assertEqual(self.count(), 2)
        self.assertEqual({task["queue"] for task in self.json("queue")["tasks"]}, {"monthly"}, "also those that followed")

    def test_an_undo_and_a_retry_stay_in_it(self):
        self.assertEqual(self.lade("import", "prices.csv", "-d", "prices.yaml", "--quiet")[0], 0)
        self.json("undo", "prices-1", "--async")
        self.assertEqual({task["queue"] for task in self.json("queue")["tasks"]}, {"monthly"})

    def test_a_limited_queue_comes_to_its_end(self):
        self.assertEqual(self.lade("migrate", "--quiet")[0], 0)
        self.assertEqual(self.lade("queue", "limit", "monthly", "1"), (0, "queue monthly: at most 1 at once\n"))
        self.json("import", "prices.csv", "-d", "prices.yaml", "--async")
        self.assertEqual(self.lade("worker", "--workers", "4", "--until-idle", "--quiet")[0], 0)
        self.assertEqual(self.count(), 2)

    def test_a_name_that_is_none(self):
        self.write("prices.yaml", DEFINITION.replace("monthly", "no such name!"))
        code, output = self.lade("import", "prices.csv", "-d", "prices.yaml")
        self.assertEqual(code, 4, output)
        self.assertIn("queue", output)


class OnSqlite(Queues, ProgramTest):
    def execute(self, text):
        return self.sql(text)


class OnPostgresql(Queues, OnServer, ProgramTest):
    def execute(self, text):
        return self.query(text)


if __name__ == "__main__":
    unittest.main()
