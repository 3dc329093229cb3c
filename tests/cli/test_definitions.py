"""Definitions as the database keeps them."""

import json
import unittest

from program import DEFINITION, ProgramTest


class StoredDefinitions(ProgramTest):
    def setUp(self):
        super().setUp()
        self.database = ("--database", "sqlite:company.db")

    def test_source_columns_keep_their_order(self):
        self.assertEqual(self.import_file("things.csv")[0], 0)
        self.assertEqual(self.sql("SELECT column_name FROM lade_source_column ORDER BY priority"), [("Code",), ("Name",), ("Title",)])

    def test_a_mapping_is_a_column_a_value_or_an_expression(self):
        self.write("things.yaml", DEFINITION.replace("  loaded_by: {value: me}", "  loaded_by: {value: me}\n  at: {expression: now}"))
        self.sql("ALTER TABLE thing ADD COLUMN at text")
        self.assertEqual(self.import_file("things.csv")[0], 0)
        self.assertEqual(
            self.sql("SELECT d.column_name, s.column_name, m.source_value, m.source_expression FROM lade_mapping AS m"
                     " JOIN lade_data_column AS d ON d.id = m.target_data_column_id"
                     " LEFT JOIN lade_source_column AS s ON s.id = m.source_column_id ORDER BY m.id"),
            [("code", "Code", None, None), ("name", "Name", None, None), ("name", "Title", None, None),
             ("loaded_by", None, "me", None), ("at", None, None, "now")])

    def test_key_columns_identify(self):
        self.assertEqual(self.import_file("things.csv")[0], 0)
        self.assertEqual(self.sql("SELECT column_name FROM lade_data_column WHERE is_uniquely_identifying"), [("code",)])

    def test_the_definition_that_is_named_decides_what_is_done(self):
        for slug in ("xact_raw", "xact_components", "price_list", "price_list_components"):
            self.write("one.yaml", DEFINITION.replace("things", slug).replace("value: me", f"value: {slug}"))
            code, output = self.run_lade("definitions", "add", "one.yaml", *self.database)
            self.assertEqual((code, output.strip()), (0, f"{slug} version 1"))
        self.assertEqual(self.run_lade("import", "things.csv", "-d", "xact_components", *self.database, "--quiet")[0], 0)
        self.assertEqual(self.sql("SELECT DISTINCT loaded_by FROM thing"), [("xact_components",)])

    def test_versions_count_changes_of_the_text(self):
        for text, version in ((DEFINITION, 1), (DEFINITION, 1), (DEFINITION + "max_errors: 1\n", 2)):
            self.write("things.yaml", text)
            code, output = self.run_lade("definitions", "add", "things.yaml", *self.database)
            self.assertEqual((code, output.strip()), (0, f"things version {version}"))

    def test_an_invalid_one_is_kept_but_cannot_be_used(self):
        self.write("wrong.yaml", DEFINITION.replace("required", "requird"))
        self.assert_refused(self.run_lade("definitions", "add", "wrong.yaml", *self.database), 4, "definition_invalid", "requird")
        self.assertEqual(self.sql("SELECT slug, valid FROM lade_definition"), [("things", 0)])
        self.assert_refused(self.run_lade("import", "things.csv", "-d", "things", *self.database), 4, "definition_invalid")
        self.assert_nothing_written()

    def test_a_job_keeps_the_definition_it_ran_with(self):
        self.assertEqual(self.import_file("things.csv")[0], 0)
        self.write("things.yaml", DEFINITION.replace("value: me", "value: you"))
        self.run_lade("definitions", "add", "things.yaml", *self.database)
        snapshot = json.loads(self.sql("SELECT snapshot FROM lade_job")[0][0])
        self.assertEqual(snapshot["columns"]["loaded_by"]["value"], "me")

    def test_a_stored_one_is_used_by_its_slug(self):
        self.run_lade("definitions", "add", "things.yaml", *self.database)
        code, output = self.run_lade("import", "things.csv", "-d", "things", *self.database)
        self.assertEqual(code, 0, output)
        self.assertEqual(self.sql("SELECT code, name, loaded_by FROM thing"), [("a", "first", "me"), ("b", "second", "me")])


if __name__ == "__main__":
    unittest.main()
