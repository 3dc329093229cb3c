"""Sets that are replaced as a whole: versions that people list and bring back, approval of large removals, and what is
left when a job does not come to its end. On both databases."""

import time
import unittest

from program import OnServer, ProgramTest

PLAIN = """\
lade: 1
definition: plain
columns:
  code: {from: Code, required: true}
  price: {from: Price, type: "decimal(12,2)"}
load:
  - {table: offer, key: code, strategy: replace_set, max_removed: 1}
"""
VERSIONED = """\
lade: 1
definition: versioned
columns:
  code: {from: Code, required: true}
  price: {from: Price, type: "decimal(12,2)"}
load:
  - table: offer_row
    key: code
    strategy: replace_set
    scope: {list: {active: {table: lists, take: name}}}
    version: {column: version, table: list_version, keep_days: 0}
    max_removed: 100%
"""
TABLES = ["CREATE TABLE offer (code text PRIMARY KEY, price numeric(12,2), note text)",
          "INSERT INTO offer VALUES ('a', 1, 'by hand'), ('b', 2, NULL), ('c', 3, NULL)",
          "CREATE TABLE lists (name text PRIMARY KEY, is_active boolean NOT NULL)",
          "INSERT INTO lists VALUES ('north', true), ('south', false)",
          "CREATE TABLE list_version (id INTEGER PRIMARY KEY, list text NOT NULL, is_active boolean NOT NULL)",
          "CREATE TABLE offer_row (version integer NOT NULL, list text NOT NULL, code text NOT NULL, price numeric(12,2), "
          "PRIMARY KEY (version, code))",
          "CREATE VIEW offers AS SELECT o.list, o.code, o.price FROM offer_row o JOIN list_version v ON v.id = o.version "
          "WHERE v.is_active"]


class SetTest(ProgramTest):
    def setUp(self):
        super().setUp()
        for statement in TABLES:
            self.execute(self.dialect(statement))
        self.write("plain.yaml", PLAIN)
        self.write("versioned.yaml", VERSIONED)

    def dialect(self, statement):
        return statement

    def execute(self, text):
        return self.sql(text)

    def load(self, definition, rows, *words):
        """Imports these rows; gives the exit code and what was printed."""
        self.write("offers.csv", "Code,Price\n" + "".join(f"{code},{price}\n" for code, price in rows))
        return self.lade("import", "offers.csv", "-d", f"{definition}.yaml", *words)

    def shown(self):
        return [(code, float(price)) for code, price in self.execute("SELECT code, price FROM offers ORDER BY code")]

    def stored(self):
        return [(code, float(price)) for code, price in self.execute("SELECT code, price FROM offer ORDER BY code")]


class SetCommands:
    def test_versions_follow_each_other_and_come_back(self):
        self.assertEqual(self.load("versioned", [("a", 1), ("b", 2)])[0], 0)
        self.assertEqual(self.load("versioned", [("b", 3), ("c", 4)])[0], 0)
        self.assertEqual(self.shown(), [("b", 3), ("c", 4)])
        newest, oldest = self.json("versions", "list")["versions"]
        self.assertEqual((newest["state"], newest["rows"], newest["scope"]), ("active", 2, {"list": "north"}))
        self.assertEqual((oldest["state"], oldest["import"]), ("retired", "versioned-1"))
        self.assertEqual(self.json("versions", "activate", oldest["id"])["state"], "active")
        self.assertEqual(self.shown(), [("a", 1), ("b", 2)])
        self.assertEqual([one["state"] for one in self.json("versions", "list", "--table", "offer_row")["versions"]],
                         ["retired", "active"])
        self.assertRegex(self.lade("versions", "list")[1], r"\n +\d+  active +2 +\S*offer_row +")

    def test_an_undo_of_a_version_shows_the_one_before_again(self):
        self.assertEqual(self.load("versioned", [("a", 1)])[0], 0)
        self.assertEqual(self.load("versioned", [("b", 2)])[0], 0)
        newest, oldest = self.json("versions", "list")["versions"]
        preview = self.json("undo", "versioned-2", "--preview")
        self.assertEqual(preview["version"], {"from": newest["version_id"], "to": oldest["version_id"]})
        self.assertEqual(self.shown(), [("b", 2)])
        self.assertEqual(self.lade("undo", "versioned-2")[0], 0)
        self.assertEqual(self.shown(), [("a", 1)])
        self.assertEqual([one["state"] for one in self.json("versions", "list")["versions"]], ["retired", "active"])
        self.assertEqual(self.json("jobs", "show", "versioned-2")["status"], "undone")
        self.assertEqual(self.lade("undo", "versioned-3")[0], 0, "the undo of the undo")
        self.assertEqual(self.shown(), [("b", 2)])
        self.assertEqual(self.json("jobs", "show", "versioned-2")["status"], "succeeded")

    def test_an_undo_of_the_first_version_leaves_none(self):
        self.assertEqual(self.load("versioned", [("a", 1)])[0], 0)
        self.assertRegex(self.lade("undo", "versioned-1", "--preview")[1], r"readers see version none instead of \d+\n")
        self.assertEqual(self.lade("undo", "versioned-1")[0], 0)
        self.assertEqual(self.shown(), [])
        self.assertEqual(self.load("versioned", [("a", 1)])[0], 0, "the same file may come again")
        self.assertEqual(self.shown(), [("a", 1)])

    def test_a_version_that_readers_do_not_see_any_more_is_not_undone(self):
        for price in (1, 2, 3):
            self.assertEqual(self.load("versioned", [("a", price)])[0], 0)
        code, output = self.lade("undo", "versioned-2")
        self.assertEqual(code, 4, output)
        self.assertIn("cannot_undo", output)
        self.assertIn("lade versions activate", output)
        self.assertEqual(self.shown(), [("a", 3)])
        self.assertEqual(self.lade("worker", "--until-idle", "--quiet")[0], 0, "purges what is older than no day")
        code, output = self.lade("undo", "versioned-3")
        self.assertEqual(code, 4, output)
        self.assertIn("were purged", output)
        self.assertEqual(self.shown(), [("a", 3)])

    def test_many_rows_go_from_a_large_set_in_place(self):
        """Took minutes where the database looked through all keys for every stored row, and failed where the journal was
        written while removed rows were still being read."""
        self.execute("CREATE TABLE large (item integer, code text, price integer, PRIMARY KEY (item, code))")
        self.write("large.yaml", "lade: 1\ndefinition: large\ncolumns:\n  item: {from: Item, type: integer}\n  code: {from: Code}\n"
                                 "  price: {from: Price, type: integer}\nload:\n"
                                 "  - {table: large, key: [item, code], strategy: replace_set, max_removed: 100%}\n")
        stored = lambda: [tuple(map(str, row)) for row in self.execute("SELECT item, code, price FROM large ORDER BY item, code")]
        load = lambda rows: self.lade("import", self.write("large.csv", "Item,Code,Price\n" + "".join(rows)), "-d", "large.yaml", "--quiet")
        self.assertEqual(load(f"{i // 10},c{i},{i}\n" for i in range(60000))[0], 0)
        before, begun = stored(), time.monotonic()
        code, output = load(f"{i // 10},c{i},{i + i % 2}\n" for i in range(40000))
        self.assertEqual(code, 0, output)
        self.assertLess(time.monotonic() - begun, 15)
        self.assertEqual(len(stored()), 40000)
        self.assertEqual(self.lade("undo", "large-2", "--quiet")[0], 0)
        self.assertEqual(stored(), before)

    def test_a_set_in_place_is_undone_with_what_was_removed(self):
        before = self.execute("SELECT code, price, note FROM offer ORDER BY code")
        self.assertEqual(self.load("plain", [("a", 7), ("b", 2), ("d", 4)])[0], 0)
        self.assertEqual([code for code, price in self.stored()], ["a", "b", "d"])
        code, output = self.lade("undo", "plain-1")
        self.assertEqual(code, 0, output)
        self.assertEqual(self.execute("SELECT code, price, note FROM offer ORDER BY code"), before)

    def test_a_version_is_counted_against_the_one_before(self):
        self.load("versioned", [("a", 1), ("b", 2)])
        self.write("offers.csv", "Code,Price\nb,2\nc,4\nd,5\n")
        rows = self.json("import", "offers.csv", "-d", "versioned.yaml")["rows"]
        self.assertEqual((rows["inserted"], rows["unchanged"], rows["updated"], rows["removed"]), (2, 1, 0, 1))

    def test_only_a_version_that_was_whole_can_be_activated(self):
        code, output = self.lade("versions", "activate", "77")
        self.assertEqual(code, 4, output)
        self.assertIn("version_not_found", output)
        self.assertEqual(self.load("versioned", [("a", 1)])[0], 0)
        self.break_version()
        code, output = self.load("versioned", [("a", 1), ("b", 2)])
        self.assertEqual(code, 3, output)
        self.assertEqual(self.shown(), [("a", 1)])
        unfinished = self.json("versions", "list")["versions"][0]
        self.assertEqual(unfinished["state"], "building")
        code, output = self.lade("versions", "activate", str(unfinished["id"]))
        self.assertEqual(code, 4, output)
        self.assertIn("version_not_whole", output)

    def test_versions_that_nobody_wants_are_purged_unless_somebody_refers_to_them(self):
        for rows in ([("a", 1)], [("a", 2)], [("a", 3)]):
            self.assertEqual(self.load("versioned", rows)[0], 0)
        first = int(self.execute("SELECT min(version) FROM offer_row")[0][0])
        self.refer_to(first)
        self.lade("worker", "--until-idle", "--quiet")
        self.assertEqual([one["state"] for one in self.json("versions", "list")["versions"]], ["active", "purged", "retired"])
        self.assertIn("foreign key", self.json("versions", "list")["versions"][2]["error"].lower())
        self.assertEqual(int(self.execute("SELECT count(*) FROM offer_row")[0][0]), 2)
        self.assertEqual(self.shown(), [("a", 3)])

    def test_large_removals_wait_for_approval(self):
        code, output = self.load("plain", [("a", 1)])
        self.assertEqual(code, 7, output)
        self.assertEqual(len(self.stored()), 3)
        events = self.json("jobs", "show", "plain-1")["events"]
        self.assertIn("lacks 2 of the 3 rows", str([one["data"] for one in events if one["event"] == "review_needed"]))
        self.assertEqual(self.lade("approve", "plain-1")[0], 0)
        self.assertEqual(self.lade("worker", "--until-idle", "--quiet")[0], 0)
        self.assertEqual(self.stored(), [("a", 1)])
        self.assertEqual(self.json("jobs", "show", "plain-1")["rows"]["removed"], 2)

    def test_rows_that_appear_before_the_set_is_written_are_not_removed_unseen(self):
        self.assertEqual(self.load("plain", [("a", 1), ("b", 2), ("c", 3)])[0], 0)
        self.sneak_in()
        code, output = self.load("plain", [("a", 1), ("b", 2)])
        self.assertEqual(code, 3, output)
        self.assertIn("too_many_removed", output)
        self.assertEqual([code for code, price in self.stored()], ["a", "b", "c", "x"])

    def test_a_rejected_set_stays_as_it_was(self):
        self.load("plain", [("a", 1)])
        self.assertEqual(self.lade("reject", "plain-1")[0], 0)
        self.lade("worker", "--until-idle", "--quiet")
        self.assertEqual(len(self.stored()), 3)
        self.assertEqual(self.json("jobs", "show", "plain-1")["rows"]["removed"], 0)

    def test_a_job_that_ends_before_the_flip_leaves_the_old_set(self):
        self.assertEqual(self.load("versioned", [("a", 1)])[0], 0)
        self.assertEqual(self.load("versioned", [("a", 1), ("b", 2)], "--async")[0], 0)
        self.assertEqual(self.lade("jobs", "cancel", "versioned-2")[0], 0)
        self.lade("worker", "--until-idle", "--quiet")
        self.assertEqual(self.shown(), [("a", 1)])
        self.assertEqual(self.lade("jobs", "retry", "versioned-2")[0], 0)
        self.assertEqual(self.lade("worker", "--until-idle", "--quiet")[0], 0)
        self.assertEqual(self.shown(), [("a", 1), ("b", 2)])

    def test_rows_of_a_version_know_where_they_come_from(self):
        self.write("versioned.yaml", VERSIONED + "lineage: true\n")
        self.assertEqual(self.load("versioned", [("a", 1), ("b", 2)])[0], 0)
        self.assertEqual(self.load("versioned", [("c", 3), ("b", 2), ("a", 7)])[0], 0)
        told = lambda code: [(one["action"], one["job"], one["row"]) for one in self.json("lineage", "offer_row", f"code={code}")["items"]]
        self.assertEqual(told("a"), [("updated", "versioned-2", 3), ("inserted", "versioned-1", 1)])
        self.assertEqual(told("b"), [("inserted", "versioned-1", 2)], "it is as it was")
        rows = self.json("lineage", "--job", "versioned-2")["items"]
        self.assertEqual([(one["key"]["code"], one["row"]) for one in rows], [("a", 3), ("c", 1)])
        self.assertEqual(self.lade("undo", "versioned-2")[0], 0)
        self.assertEqual(self.shown(), [("a", 1), ("b", 2)])
        self.assertEqual(len(self.execute("SELECT code FROM offer_row")), 5, "an undo shows the version before, and touches no row")

    def test_rows_of_a_version_that_was_never_whole_are_not_told_of(self):
        self.write("versioned.yaml", VERSIONED + "lineage: true\n")
        self.assertEqual(self.load("versioned", [("a", 1)])[0], 0)
        self.break_version()
        self.assertEqual(self.load("versioned", [("a", 2), ("b", 2)])[0], 3)
        self.assertEqual(int(self.execute("SELECT count(DISTINCT job_id) FROM lade_journal")[0][0]), 2)
        self.assertEqual([one["job"] for one in self.json("lineage", "offer_row", "code=a")["items"]], ["versioned-1"])

    def test_a_table_with_versions_is_asked_with_and_without_the_version(self):
        self.write("versioned.yaml", VERSIONED + "lineage: true\n")
        self.assertEqual(self.load("versioned", [("a", 1)])[0], 0)
        self.write("by_hand.yaml", "lade: 1\ndefinition: by_hand\ncolumns: {version: {type: integer}, list: , code: , price: {type: integer}}\n"
                                   "load: [{table: offer_row, key: [version, code]}]\n")
        self.write("rows.csv", "version,list,code,price\n77,north,a,5\n")
        self.assertEqual(self.lade("import", "rows.csv", "-d", "by_hand.yaml")[0], 0)
        told = lambda *key: [one["job"] for one in self.json("lineage", "offer_row", *key)["items"]]
        self.assertEqual(told("code=a"), ["versioned-1"])
        self.assertEqual(told("version=77", "code=a"), ["by_hand-2"])
        self.assertIn("lineage_key_invalid", self.lade("lineage", "offer_row", "price=5")[1])

    def test_a_set_whose_removals_somebody_is_asked_about_is_not_fixed(self):
        self.write("lenient.yaml", PLAIN.replace("definition: plain", "definition: lenient\nmax_errors: 1"))
        self.assertEqual(self.load("lenient", [("a", 1), ("x", "bad")])[0], 7, "b and c would go")
        code, output = self.lade("fix", "lenient-1", "--row", "2", "--set", "Price=2")
        self.assertEqual(code, 4, output)
        self.assertIn("fix_not_possible", output)

    def test_a_set_that_a_few_rows_have_stopped_is_fixed(self):
        self.assertEqual(self.load("versioned", [("a", 1), ("z", 9)])[0], 0)
        for definition, shown in (("plain", self.stored), ("versioned", self.shown)):
            before = shown()
            self.assertNotEqual(self.load(definition, [("a", "7"), ("b", "two"), ("c", 3), ("d", "4 or so")])[0], 0)
            self.assertEqual(shown(), before, "nothing was written")
            job = self.json("jobs", "list")["jobs"][0]["slug"]
            code, output = self.lade("fix", job, "--row", "2", "--set", "Price=2")
            self.assertIn("too_many_errors", output, "one row is wrong still")
            self.assertEqual(shown(), before)
            fixed = self.json("fix", job, "--row", 4, "--set", "Price=4")
            self.assertEqual((fixed["outcome"], fixed["rows"]["failed"]), ("succeeded", 0))
            self.assertEqual(shown(), [("a", 7), ("b", 2), ("c", 3), ("d", 4)])
            self.assertEqual(fixed["rows"]["removed"], 0 if definition == "plain" else 1, "z has left the versions")

    def test_a_set_that_a_later_import_has_replaced_is_not_fixed(self):
        for definition, shown in (("plain", self.stored), ("versioned", self.shown)):
            self.assertNotEqual(self.load(definition, [("a", "bad"), ("b", 2), ("c", 3)])[0], 0)
            job = self.json("jobs", "list")["jobs"][0]["slug"]
            self.assertEqual(self.load(definition, [("a", 5), ("b", 6), ("d", 7)])[0], 0)
            code, output = self.lade("fix", job, "--row", "1", "--set", "Price=1")
            self.assertEqual(code, 4, output)
            self.assertIn("fix_not_possible", output)
            self.assertEqual(shown(), [("a", 5), ("b", 6), ("d", 7)])

    def test_a_set_that_has_rows_of_the_job_is_not_fixed(self):
        self.write("lenient.yaml", PLAIN.replace("definition: plain", "definition: lenient\nmax_errors: 1"))
        self.load("lenient", [("a", 7), ("b", "two"), ("c", 3)])
        self.assertEqual(self.stored(), [("a", 7), ("b", 2), ("c", 3)])
        code, output = self.lade("fix", "lenient-1", "--row", "2", "--set", "Price=2")
        self.assertEqual(code, 4, output)
        self.assertIn("fix_not_possible", output)


class Embedded(SetCommands, SetTest):
    def sneak_in(self):
        self.execute("CREATE TRIGGER sneak AFTER INSERT ON lade_task WHEN NEW.kind = 'process' "
                     "BEGIN INSERT OR IGNORE INTO offer VALUES ('x', 9, NULL); END")

    def break_version(self):
        self.execute("CREATE TRIGGER no_b BEFORE INSERT ON offer_row WHEN NEW.code = 'b' BEGIN SELECT RAISE(ABORT, 'no b'); END")

    def refer_to(self, version):
        self.execute("CREATE TABLE quote (version integer, code text, FOREIGN KEY (version, code) REFERENCES offer_row (version, code))")
        self.execute(f"INSERT INTO quote VALUES ({version}, 'a')")


class Server(OnServer, SetCommands, SetTest):
    def dialect(self, statement):
        return statement.replace("id INTEGER PRIMARY KEY", "id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY")

    def execute(self, text):
        return self.query(text)

    def sneak_in(self):
        self.execute("CREATE FUNCTION sneak() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                     "INSERT INTO offer VALUES ('x', 9, NULL) ON CONFLICT DO NOTHING; RETURN NULL; END $$; "
                     "CREATE TRIGGER sneak AFTER INSERT ON lade_task FOR EACH ROW WHEN (NEW.kind = 'process') EXECUTE FUNCTION sneak()")

    def break_version(self):
        self.execute("ALTER TABLE offer_row ADD CONSTRAINT no_b CHECK (code <> 'b')")

    def refer_to(self, version):
        self.execute("CREATE TABLE quote (version integer, code text, FOREIGN KEY (version, code) REFERENCES offer_row (version, code))")
        self.execute(f"INSERT INTO quote VALUES ({version}, 'a')")


if __name__ == "__main__":
    unittest.main()
