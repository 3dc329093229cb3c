"""Columns of files and columns of definitions: shown, saved, followed by imports."""

import json
import unittest

from program import OnServer, ProgramTest

COMPONENTS = """\
lade: 1
definition: components
columns:
  code: {from: Component Code, required: true}
  quantity: {from: Quantity, type: integer}
load:
  - {table: component, key: code}
"""
FILE = "Componet Code,Qty,Remarks\na,1,x\nb,2,y\n"


class Matching(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("components.yaml", COMPONENTS)
        self.write("components.csv", FILE)
        self.make_table("CREATE TABLE component (code varchar(20) NOT NULL PRIMARY KEY, quantity integer)")

    def make_table(self, text):
        self.sql(text)

    def rows(self):
        return self.sql("SELECT code, quantity FROM component ORDER BY code")

    def match(self, *words, file="components.csv"):
        code, output = self.lade("match", file, "-d", "components.yaml", "--output", "json", *words)
        return code, json.loads(output)

    def import_components(self, file="components.csv", definition="components.yaml"):
        return self.lade("import", file, "-d", definition, "--quiet")

    def test_a_similar_column_is_shown_and_not_taken(self):
        self.assert_refused(self.import_components(), 4, "header_mismatch", "similar: 'Componet Code' (0.9", "lade match FILE -d components --save")
        code, found = self.match()
        self.assertEqual((code, found["complete"], found["saved"]), (0, True, False))
        self.assertEqual([(one["source_column"], one["data_column"], one["kind"]) for one in found["matches"]],
                         [("Componet Code", "code", "similar"), ("Qty", "quantity", "similar")])
        self.assertEqual(found["unmapped"], ["Remarks"])
        self.assert_refused(self.import_components(), 4, "header_mismatch")
        self.assertEqual(self.rows(), [])

    def test_what_is_saved_is_followed(self):
        self.assertEqual(self.match("--save")[0], 0)
        self.assertEqual(self.import_components()[0], 0)
        self.assertEqual(self.rows(), [("a", 1), ("b", 2)])
        self.assertEqual({one["kind"] for one in self.match()[1]["matches"]}, {"remembered"})

    def test_a_saved_name_counts_for_other_files_too(self):
        self.match("--save")
        self.write("other.csv", "Qty,Price,Componet Code\n7,9,c\n")
        self.assertEqual(self.import_components("other.csv")[0], 0)
        self.assertEqual(self.rows(), [("c", 7)])

    def test_people_decide(self):
        self.write("german.csv", "Artikel,Menge\nx,5\n")
        code, found = self.match(file="german.csv")
        self.assertEqual((code, found["complete"], [one["data_column"] for one in found["missing"]]), (4, False, ["code", "quantity"]))
        code, found = self.match("--set", "Artikel=code", "--set", "menge=quantity", "--save", file="german.csv")
        self.assertEqual((code, [one["kind"] for one in found["matches"]]), (0, ["given", "given"]))
        self.assertEqual(self.import_components("german.csv")[0], 0)
        self.assertEqual(self.rows(), [("x", 5)])
        for words, text in ((["--set", "Artikel"], "has no '='"), (["--set", "Nothing=code"], "no column 'Nothing'"),
                            (["--set", "Artikel=nothing"], "'nothing' is no column")):
            self.assert_refused(self.lade("match", "german.csv", "-d", "components.yaml", *words), 4, "match_invalid", text)

    def test_a_worker_follows_it_too(self):
        self.match("--save")
        self.assertEqual(self.lade("import", "components.csv", "-d", "components.yaml", "--async", "--quiet")[0], 0)
        self.assertEqual(self.lade("worker", "--until-idle", "--quiet")[0], 0)
        self.assertEqual(self.rows(), [("a", 1), ("b", 2)])

    def test_a_dry_run_follows_it_and_needs_no_tables_of_lade(self):
        self.assert_refused(self.lade("plan", "components.csv", "-d", "components.yaml"), 4, "header_mismatch")
        self.match("--save")
        self.assertEqual(self.lade("plan", "components.csv", "-d", "components.yaml", "--quiet")[0], 0)
        self.assertEqual(self.rows(), [])

    def test_text_for_people(self):
        code, output = self.lade("match", "components.csv", "-d", "components.yaml")
        self.assertEqual(code, 0)
        for text in ("Componet Code  similar", "unmapped: Remarks", "not saved: an import takes exact and remembered columns only"):
            self.assertIn(text, output)
        self.assertIn("saved: imports by components", self.lade("match", "components.csv", "-d", "components.yaml", "--save")[1])


class MatchingOnServer(OnServer, Matching):
    def make_table(self, text):
        self.query(text)

    def rows(self):
        return [(code, int(quantity)) for code, quantity in self.query("SELECT code, quantity FROM component ORDER BY code")]


class Inferring(ProgramTest):
    def infer(self, *words):
        code, output = self.run_lade("definitions", "infer", *words)
        self.assertEqual(code, 0, output)
        self.write("draft.yaml", output)
        self.assertEqual(self.run_lade("definitions", "validate", "draft.yaml")[0], 0, output)
        return output

    def test_a_draft_imports_its_own_file(self):
        self.write("orders.csv", "Order No.;Ordered On;Amount;Rate;Paid;Note\n"
                                 "1001;13.04.2024;1.234,50;N/A;ja;x\n1002;01.05.2024 ;7,5;3;nein;\n1003;02.05.2024;-3;4;ja;\"a;b\"\n")
        self.sql("CREATE TABLE orders (order_no integer PRIMARY KEY, ordered_on date, amount decimal(14,2), rate integer, paid boolean, note text)")
        draft = self.infer("orders.csv")
        for text in ("format: \"DD.MM.YYYY\"", "locale: de-DE", "format: \"ja/nein\"", "null_values: [\"N/A\"]", "key: [order_no]"):
            self.assertIn(text, draft)
        code, output = self.run_lade("import", "orders.csv", "-d", "draft.yaml", "--database", self.url)
        self.assertEqual(code, 0, output)
        self.assertEqual(self.sql("SELECT order_no, ordered_on, amount, rate, paid, note FROM orders"),
                         [(1001, "2024-04-13", 1234.5, None, 1, "x"), (1002, "2024-05-01", 7.5, 3, 0, None), (1003, "2024-05-02", -3, 4, 1, "a;b")])

    def test_what_no_cell_tells_is_left_to_people(self):
        draft = self.infer(self.write("days.csv", "id,day\n1,03/04/2024\n2,05/06/2024\n"), "--table", "day")
        self.assertIn("# decide: type: date, format: \"DD/MM/YYYY\"; or type: date, format: \"MM/DD/YYYY\"", draft)
        self.assertIn("table: day", draft)

    def test_a_schema_is_followed(self):
        self.write("schema.json", json.dumps({"fields": [{"name": "Code", "constraints": {"required": True, "pattern": "[a-z]"}},
                                                         {"name": "Name", "constraints": {"enum": ["first"]}}], "primaryKey": "Code"}))
        self.infer("things.csv", "--schema", "schema.json", "--table", "thing")
        code, output = self.run_lade("import", "things.csv", "-d", "draft.yaml", "--database", self.url, "--output", "json")
        self.assertEqual(code, 2, output)
        self.assertEqual(self.sql("SELECT code, name FROM thing"), [("a", "first")])

    def test_faults_are_named(self):
        self.assert_refused(self.run_lade("definitions", "infer"), 1, "option_invalid", "--schema")
        self.write("wrong.json", "{'fields': []}")
        self.assert_refused(self.run_lade("definitions", "infer", "things.csv", "--schema", "wrong.json"), 4, "schema_invalid", "wrong.json", "no JSON")
        self.assert_refused(self.run_lade("definitions", "infer", "nothing.csv"), 4, "nothing.csv")


class Steps(ProgramTest):
    def test_columns_of_steps_need_a_database(self):
        self.write("steps.yaml", "lade: 1\ndefinition: s\nsteps: {edit_info: {priority: 1}}\nload: [{table: thing, key: code}]\n")
        self.assert_refused(self.run_lade("match", "things.csv", "-d", "steps.yaml"), 6, "cannot_connect")


if __name__ == "__main__":
    unittest.main()
