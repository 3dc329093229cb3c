"""lade packs: what is there, and installing it in an empty database, in one that has it, and in one that has something else."""

import json
import unittest

from program import ROOT, OnServer, ProgramTest

PACKS = ROOT / "packs"
REFERENCES = sorted(path.name for path in (PACKS / "register" / "reference").iterdir())


def rows_of(name):
    return len((PACKS / "register" / "reference" / name).read_text().splitlines()) - 1


class Packs(ProgramTest):
    """On SQLite; OnPostgresql does the same there."""

    def ask(self, text):
        return [tuple(map(str, row)) for row in self.sql(text)]

    def count(self, table):
        return int(self.ask(f"SELECT count(*) FROM {table}")[0][0])

    def install(self, pack="register"):
        return self.json("packs", "install", pack)

    def test_list_and_show(self):
        code, output = self.run_lade("packs", "list")
        self.assertEqual(code, 0, output)
        self.assertIn("backoffice", output)
        self.assertIn("register", output)
        shown = json.loads(self.run_lade("packs", "show", "register", "--output", "json")[1])
        self.assertIn("legal_unit", shown["tables"])
        self.assertIn("samples/legal_units.csv", shown["files"])
        code, output = self.run_lade("packs", "show", "register", "samples/legal_units.csv")
        self.assertEqual((code, output), (0, (PACKS / "register" / "samples" / "legal_units.csv").read_text()))

    def test_what_is_not_there_is_named(self):
        self.assert_refused(self.run_lade("packs", "show", "registre"), 4, "pack_not_found", "did you mean register?")
        self.assert_refused(self.run_lade("packs", "show", "register", "x.csv"), 4, "pack_file_not_found", "x.csv")
        self.assert_refused(self.lade("packs", "install", "office"), 4, "pack_not_found", "backoffice, compositions, employees, price-lists, register")
        code, output = self.run_lade("packs")
        self.assertEqual(code, 1)
        self.assertIn("list, show, install", output)

    def test_install_makes_tables_loads_reference_data_and_stores_definitions(self):
        done = self.install()
        self.assertEqual(done["tables_kept"], [])
        self.assertEqual(self.count("statistical_unit"), 0)
        self.assertEqual(sorted(reference["file"].removeprefix("reference/") for reference in done["reference"]), REFERENCES)
        for name in REFERENCES:
            self.assertEqual(self.count(name.removesuffix(".csv")), rows_of(name), name)
        self.assertEqual(self.ask("SELECT code FROM activity_category WHERE path = 'A.01.6.1'"), [("0161",)])
        self.assertEqual(self.ask("SELECT code FROM region WHERE path = '10.02.03'"), [("100203",)])
        self.assertEqual(self.ask("SELECT code FROM sector WHERE path = 'domestic.a_nonfinancial.2100'"), [("2100",)])
        listed = self.lade("definitions", "list")[1]
        for slug in ("legal_unit_source_dates", "establishment_formal_job_provided", "generic_unit_stats_source_dates", "region"):
            self.assertIn(slug, listed)
        self.assertNotIn("invalid", listed)
        self.assertEqual([path for path in (self.folder / "lade-data").glob("pack-*")], [])

    def test_a_second_time_changes_nothing_and_says_so(self):
        first = self.install()
        second = self.install()
        self.assertEqual(second["tables_made"], [])
        self.assertEqual(sorted(second["tables_kept"]), sorted(first["tables_made"]))
        for reference in second["reference"]:
            self.assertEqual(reference["unchanged"], reference["read"], reference)
        self.assertEqual(second["definitions"], first["definitions"])

    def test_rows_of_others_stay(self):
        self.install()
        self.sql_write("INSERT INTO data_source (code, name) VALUES ('mine', 'My own')")
        self.sql_write("UPDATE data_source SET name = 'Changed' WHERE code = 'ntr'")
        reference = next(one for one in self.install()["reference"] if one["file"].endswith("data_source.csv"))
        self.assertEqual(reference["updated"], 1)
        self.assertEqual(self.ask("SELECT name FROM data_source WHERE code IN ('mine', 'ntr') ORDER BY code"),
                         [("My own",), ("National tax register",)])

    def test_a_table_with_other_columns_is_refused_and_nothing_is_made(self):
        self.sql_write("CREATE TABLE region (colour text)")
        self.assert_refused(self.lade("packs", "install", "register"), 4, "pack_schema_refused", "region", "other columns")
        with self.assertRaises(Exception):
            self.count("legal_unit")

    def test_reference_rows_that_do_not_fit_are_told(self):
        self.sql_write("CREATE TABLE data_source (id integer, code text PRIMARY KEY, name text, colour text NOT NULL)")
        result = self.lade("packs", "install", "register")
        self.assert_refused(result, 3, "pack_reference_failed", "data_source.csv: 5 of 5 rows failed", "lade rows")

    def test_backoffice(self):
        done = self.install("backoffice")
        self.assertEqual(sorted(done["tables_made"]), ["accounts_payable", "budget_forecast", "customer"])
        self.assertEqual([definition["slug"] for definition in done["definitions"]], ["ap", "budget_forecast", "customers"])
        code, output = self.lade("import", PACKS / "backoffice" / "samples" / "Customers.csv", "-d", "customers")
        self.assertEqual(code, 2, output)
        self.assertEqual(self.count("customer"), 5)
        self.assertEqual(len(self.install("backoffice")["tables_kept"]), 3)

    def test_employees(self):
        done = self.install("employees")
        self.assertEqual(sorted(done["tables_made"]), ["department", "employee"])
        self.assertEqual([definition["slug"] for definition in done["definitions"]], ["employees", "employees_by_handler"])
        handlers = PACKS / "employees" / "handlers.yaml"
        code, output = self.lade("import", PACKS / "employees" / "samples" / "heads.csv", "-d", "employees", "--handlers", handlers)
        self.assertEqual(code, 0, output)
        self.assertEqual((self.count("department"), self.count("employee")), (5, 4))

    def sql_write(self, text):
        self.sql(text)


class PacksOnPostgresql(OnServer, Packs):
    def ask(self, text):
        return self.query(text)

    def sql_write(self, text):
        self.query(text)


class NewDatabase(ProgramTest):
    def test_install_makes_the_file(self):
        code, output = self.run_lade("packs", "install", "register", "--database", "sqlite:new.db")
        self.assertEqual(code, 0, output)
        self.assertIn("register is installed", output)
        self.assertIn("legal_unit", self.tables("new.db"))


if __name__ == "__main__":
    unittest.main()
