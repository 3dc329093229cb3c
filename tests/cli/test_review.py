"""lade review, without a server: names are decided and their rows loaded."""

import json
import unittest

from program import OnServer, ProgramTest

TABLES = ("CREATE TABLE composer (id integer PRIMARY KEY, name text NOT NULL, born integer)",
          "INSERT INTO composer VALUES (1, 'Tyāgarāja', 1767), (2, 'Muttusvāmi Dīkṣitar', 1775)",
          "CREATE TABLE work (title text PRIMARY KEY, composer_id integer)")
WORKS = """\
lade: 1
definition: works
columns: {title: {from: Title}, composer: {from: Composer}}
steps:
  who:
    {kind: resolve, priority: 20, input: composer, table: composer, results: {composer_id: id},
     columns: {composer_id: {purpose: internal, type: integer}}}
load: [{table: work, key: title, columns: [title, composer_id]}]
"""
FILE = "Title,Composer\nendaro,Tyagaraja\nvatapi,Muttuswami Dikshithar Iyer\nair,Johann Bach\n"


class Review(ProgramTest):
    def setUp(self):
        super().setUp()
        for text in TABLES:
            self.target(text)
        self.write("works.yaml", WORKS)
        self.write("works.csv", FILE)
        code, output = self.lade("import", "works.csv", "-d", "works.yaml")
        self.assertEqual(code, 2, output)

    def target(self, text):
        return self.query(text) if hasattr(self, "query") else [tuple(map(str, row)) for row in self.sql(text)]

    def test_names_are_listed_decided_and_loaded(self):
        code, output = self.lade("review", "list")
        self.assertEqual(code, 0, output)
        self.assertIn("Johann Bach", output)
        items = self.json("review", "list")["items"]
        self.assertEqual([one["name"] for one in items], ["Muttuswami Dikshithar Iyer", "Johann Bach"])
        code, output = self.lade("review", "show", items[0]["id"])
        self.assertIn("Muttusvāmi Dīkṣitar", output)
        self.assertIn("title: vatapi", output)
        code, output = self.lade("review", "decide", items[0]["id"], "--pick", "2")
        self.assertEqual(code, 0, output)
        self.assertIn("questions decided: 1", output)
        self.assertIn("rows sent again: 1, succeeded", output)
        done = self.json("review", "decide", items[1]["id"], "--create", "--set", "id=9", "--set", "born=1685")
        self.assertEqual((done["decision"]["entity"], done["imports"][0]["rows"], done["imports"][0]["status"]), ("9", 1, "succeeded"))
        self.assertEqual(sorted(self.target("SELECT title, composer_id FROM work")), [("air", "9"), ("endaro", "1"), ("vatapi", "2")])
        code, output = self.lade("review", "list")
        self.assertIn("nothing to decide", output)
        self.assertEqual(len(self.json("review", "list", "--status", "decided")["items"]), 2)
        # The next import needs nobody.
        self.write("later.csv", FILE.replace("vatapi", "later"))
        code, output = self.lade("import", "later.csv", "-d", "works.yaml")
        self.assertEqual(code, 0, output)

    def test_decisions_are_taken_back_and_counted(self):
        item = self.json("review", "list", "--confidence", "low")["items"][0]
        self.assert_refused(self.lade("review", "undo", item["id"]), 8, "not_decided")
        self.assertEqual(self.json("review", "decide", item["id"], "--reject")["decision"]["decision"], "reject")
        self.assert_refused(self.lade("review", "decide", item["id"], "--pick", "1"), 8, "already_decided", "means nobody")
        self.assertEqual(self.json("review", "undo", item["id"])["status"], "open")
        counted = self.json("review", "bulk", "--min-confidence", "70", "--dry-run")
        self.assertEqual((counted["items"], counted["decided"]), (1, 0))
        done = self.json("review", "bulk", "--min-confidence", "70", "--table", "composer")
        self.assertEqual((done["decided"], done["imports"][0]["rows"]), (1, 1))
        self.assertEqual(len(self.target("SELECT title FROM work")), 2)

    def test_what_is_refused(self):
        self.assert_refused(self.lade("review", "show", "99"), 4, "review_item_not_found")
        self.assert_refused(self.lade("review", "decide", "1"), 1, "option_invalid")
        self.assert_refused(self.lade("review", "decide", "1", "--reject", "--set", "a=b"), 1, "option_invalid")
        self.assert_refused(self.lade("review", "decide", "1", "--create", "--set", "a"), 1, "option_invalid")
        self.assert_refused(self.lade("review", "decide", "1", "--pick", "77"), 4, "entity_not_found")
        self.assert_refused(self.lade("review", "list", "--confidence", "odd"), 1, "request_invalid")
        self.assertEqual(json.loads(self.lade("review", "list", "--output", "json")[1])["next"], None)


class ReviewOnServer(OnServer, Review):
    pass


if __name__ == "__main__":
    unittest.main()
