"""The sample files of Statbus, the system that the register is made after: all that describe legal units, establishments and reference tables.

They are not part of the repository; the tests run where their folder is ($LADE_CORPORA, or shared/corpora beside the source) and say so where it
is not. Out of scope are relationships, roles, power groups, reorganisations and foreign participation, for which the pack has no tables."""

import os
import pathlib
import unittest

from program import ROOT
from register import Postgresql, RegisterTest, read_rows

CORPORA = pathlib.Path(os.environ.get("LADE_CORPORA", ROOT.parent / "shared" / "corpora"))
FOLDER = CORPORA / "statbus"
DEMO, SEED, NORWAY, DATA = FOLDER / "app/public/demo", FOLDER / "dbseed", FOLDER / "samples/norway", FOLDER / "test/data"
HIERARCHICAL = FOLDER / "samples/demo/hierarchical"
OWN = pathlib.Path(__file__).resolve().parent / "statbus"

OUT_OF_SCOPE = {
    "app/public/demo/legal_relationships_demo.csv", "app/public/demo/legal_relationships_with_source_dates_demo.csv",
    "dbseed/foreign_participation.csv", "dbseed/legal_rel_type.csv", "dbseed/legal_reorg_type.csv", "dbseed/person_role.csv",
    "dbseed/power_group_type.csv", "samples/norway/legal_relationship/konsern-roller.csv",
    "samples/norway/legal_relationship/roller-selection.csv", "test/data/roller_sample.csv"}
SINCE_2020 = ("--valid-from", "2020-01-01", "--valid-to", "infinity")


@unittest.skipUnless(FOLDER.is_dir(), f"no corpora at {CORPORA} (set LADE_CORPORA): nothing was checked")
class StatbusTest(RegisterTest):
    """The pack's tables, without the reference data of its invented country."""

    used = set()

    def setUp(self):
        super().setUp()
        self.begin_with("empty", self.forget_references)

    def forget_references(self):
        for table in ("region", "sector", "legal_form", "data_source", "unit_size", "activity_category"):
            self.write_sql(f"DELETE FROM {table}")

    def load(self, path, definition, *words):
        StatbusTest.used.add(pathlib.Path(path))
        return super().load(path, definition, *words)

    def load_whole(self, path, definition, *words):
        """Every row is a row more of a reference table."""
        counts = self.load(path, definition, *words)
        self.assertEqual(counts, {"read": counts["read"], "inserted": counts["read"]}, path)
        return counts["read"]

    def load_seed(self):
        self.load_whole(SEED / "data_source.csv", "data_source")
        self.load_whole(SEED / "unit_size.csv", "unit_size")
        isic = SEED / "activity-category-standards/ISIC_Rev_4_english_structure.csv"
        self.load_whole(isic, "activity_category", "--source", "header_row=0", "--source", 'header=["path","name"]')

    def load_demo_references(self):
        self.begin_with("demo", self.load_demo)

    def load_demo(self):
        self.load_seed()
        self.load_whole(DEMO / "regions_demo.csv", "region")
        self.load_whole(DEMO / "sectors_demo.csv", "sector")
        self.load_whole(DEMO / "legal_forms_demo.csv", "legal_form")

    def load_norwegian_references(self):
        self.begin_with("norway", self.load_norway)

    def load_norway(self):
        self.load_whole(NORWAY / "data_source/data_source_norway.csv", "data_source")
        self.load_whole(NORWAY / "legal_form/legal_form_norway.csv", "legal_form")
        self.load_whole(NORWAY / "regions/norway-regions-2024.csv", "region")
        self.load_whole(NORWAY / "sector/sector_norway.csv", "sector")
        self.load_whole(SEED / "unit_size.csv", "unit_size")
        self.load_norwegian_activities()

    def load_norwegian_activities(self):
        """The samples have codes of a national standard, of which no table is among them: 49.410 becomes X.49.4.1.0."""
        files = [*DATA.glob("*.csv"), *NORWAY.glob("legal_unit/*.csv"), *NORWAY.glob("small-history/*.csv")]
        codes = {row[column] for path in files for row in read_rows(path) for column in row
                 if column in ("primary_activity_category_code", "secondary_activity_category_code", "naeringskode1.kode", "naeringskode2.kode")}
        paths = sorted(f"X.{code[:2]}." + ".".join(code[3:]) for code in codes if code and code[2:3] == ".")
        self.write("nace.csv", "path,name\n" + "".join(f"{path},{path}\n" for path in paths))
        self.load_whole(self.folder / "nace.csv", "activity_category_nace")


class References(StatbusTest):
    def test_every_file_in_scope_loads_and_loads_again_unchanged(self):
        files = {"region": [DEMO / "regions_demo.csv", NORWAY / "regions/norway-regions-2023.csv", NORWAY / "regions/norway-regions-2024.csv"],
                 "sector": [DEMO / "sectors_demo.csv", SEED / "sector.csv", NORWAY / "sector/sector_norway.csv",
                            DATA / "30_ug_sectorcodes_with_index_error.csv"],
                 "legal_form": [DEMO / "legal_forms_demo.csv", SEED / "legal_form.csv", NORWAY / "legal_form/legal_form_norway.csv"],
                 "data_source": [SEED / "data_source.csv", NORWAY / "data_source/data_source_norway.csv"],
                 "unit_size": [SEED / "unit_size.csv"], "country": [SEED / "country/country_codes.csv"],
                 "activity_category": [DEMO / "activity_custom_isic_demo.csv"]}
        for table, paths in files.items():
            for path in paths:
                with self.subTest(path.name):
                    first = self.load(path, table)
                    self.assertNotIn("failed", first, self.issues())
                    again = self.load(path, table)
                    self.assertEqual(again, {"read": first["read"], "unchanged": first["read"]})
        self.assertEqual(self.ask("SELECT name FROM sector WHERE path = 's1'"), [("er ror,part2",)])

    def test_codes_are_the_digits_of_paths(self):
        self.load_demo_references()
        self.assertEqual(self.number("SELECT count(*) FROM activity_category"), 766)
        self.assertEqual(self.ask("SELECT path FROM activity_category WHERE code = '4752'"), [("G.47.5.2",)])
        self.assertEqual(self.ask("SELECT name FROM region WHERE code = '0470301' OR code = '10470301'"), [("Oslo",)])
        self.assertEqual(self.ask("SELECT path FROM sector WHERE code = '2100'"), [("DOMESTIC.A.2100",)])


class Units(StatbusTest):
    def check(self, path, definition, *words, unit="legal_unit", ident="tax_ident", failed=(), period=None):
        """Loads the file. `failed`: lines of the rows that must fail; all others must make the timelines that the file tells, and the same file
        once more changes nothing."""
        before = self.stored_timelines(unit, ident)
        counts = self.load(path, definition, *words)
        rows = read_rows(path)
        self.assertEqual(counts["read"], len(rows), path)
        self.assertEqual(sorted({line for line, _, _ in self.issues()}), sorted(failed), path)
        good = [row for line, row in enumerate(rows, 2) if line not in failed]
        self.assertEqual(counts.get("failed", 0), len(failed), path)
        expected = self.expected_timelines(good, unit, ident, period)
        if not before:
            self.assertEqual(self.stored_timelines(unit, ident), expected, path)
        self.assert_sound()
        self.assert_unchanged_again(path, definition, *words)
        return expected

    def test_demo(self):
        self.load_demo_references()
        # Its lines "ErrorLine" have one tax number and four numbers of the statistical office.
        legal = self.check(DEMO / "legal_units_with_source_dates_demo.csv", "legal_unit_source_dates", failed={59, 60, 61, 62})
        formal = self.check(DEMO / "formal_establishments_units_with_source_dates_demo.csv", "establishment_formal_source_dates", unit="establishment")
        self.assertTrue(legal and formal)
        self.check(DEMO / "informal_establishments_units_with_source_dates_demo.csv", "establishment_informal_source_dates", unit="establishment")
        for path in ("legal_units_turnover_update_with_source_dates.csv", "formal_establishments_turnover_update_with_source_dates.csv"):
            self.load(DEMO / path, "generic_unit_stats_source_dates")
            self.assert_sound()

    def test_demo_of_one_period(self):
        self.load_demo_references()
        period = ("2020-01-01", "infinity")
        self.check(DEMO / "legal_units_demo.csv", "legal_unit_job_provided", *SINCE_2020, period=period)
        self.check(DEMO / "formal_establishments_units_demo.csv", "establishment_formal_job_provided", *SINCE_2020, unit="establishment", period=period)
        self.check(DEMO / "informal_establishments_units_demo.csv", "establishment_informal_job_provided", *SINCE_2020, unit="establishment", period=period)
        self.load(DEMO / "legal_units_turnover_update.csv", "generic_unit_stats_job_provided", *SINCE_2020)
        self.assert_sound()

    def test_hierarchical_identifiers(self):
        self.load_demo_references()
        self.write_sql("INSERT INTO external_ident_type (code, name, priority, shape, labels) "
                       "VALUES ('judicial_ident', 'Number at a court', 4, 'hierarchical', 'court.unit_no')")
        period = ("2020-01-01", "infinity")
        self.check(HIERARCHICAL / "legal_units_hierarchical_demo.csv", "legal_unit_job_provided", *SINCE_2020, period=period)
        self.check(HIERARCHICAL / "formal_establishments_hierarchical_demo.csv", "establishment_formal_job_provided", *SINCE_2020, unit="establishment",
                   period=period)
        self.assertIn(("CENSUS2024.CENTRAL.OKELLO.001",), self.ask("SELECT ident FROM external_ident WHERE legal_unit_id IS NOT NULL"))

    def test_histories_of_the_names_of_files(self):
        self.load_norwegian_references()
        for path in sorted(DATA.glob("4[0-3]_legal-units-*.csv")):
            with self.subTest(path.name):
                self.clear_units()
                self.check(path, "legal_unit_source_dates")

    def test_slices_of_the_sector_change_in_the_middle_of_a_month(self):
        self.load_norwegian_references()
        self.load(DATA / "40_legal-units-sector-change-middle-of-month.csv", "legal_unit_source_dates")
        self.assertEqual(self.ask("SELECT valid_from, valid_to, sector_code FROM statistical_unit ORDER BY valid_from"),
                         [("2010-01-01", "2011-01-14", "2100"), ("2011-01-15", "infinity", "8200")])
        self.assertEqual(self.number("SELECT count(*) FROM location"), 1)

    def test_the_combined_timeline_keeps_the_periods_of_the_file(self):
        self.load_norwegian_references()
        self.load(DATA / "41_legal-units-births-middle-of-month.csv", "legal_unit_source_dates")
        self.assertEqual(self.number("SELECT count(*) FROM legal_unit"), 2)
        self.assertEqual(self.ask("SELECT valid_from, valid_to FROM statistical_unit WHERE tax_ident = '823573673' ORDER BY 1"),
                         [("2010-01-15", "2010-12-31"), ("2011-01-01", "2012-01-14"), ("2012-01-15", "infinity")])

    def test_days_one_three_and_four(self):
        self.load_demo_references()
        for day in ("1", "3", "4"):
            self.load(DATA / f"43_legal-units-day-{day}.csv", "legal_unit_source_dates")
            self.assertEqual(self.ask("SELECT valid_from, valid_until FROM legal_unit"), [("2025-03-01", "infinity")])
        self.assertEqual([first for first, in self.ask("SELECT valid_from FROM statistical_unit ORDER BY 1")],
                         ["2025-03-01", "2025-03-03", "2025-03-04"])

    def test_norwegian_units_over_time(self):
        self.load_norwegian_references()
        for legal, establishments in (("03_norwegian-legal-units-over-time.csv", "03_norwegian-establishments-over-time.csv"),
                                      ("05_norwegian-legal-units.csv", "05_norwegian-establishments.csv"),
                                      ("35_norwegian-legal-units-with-status.csv", "35_norwegian-establishments-with-status.csv"),
                                      ("204_regression_lu_a.csv", "204_regression_est_a.csv"), ("204_regression_lu_b.csv", "204_regression_est_b.csv")):
            with self.subTest(legal):
                self.clear_units()
                self.check(DATA / legal, "legal_unit_source_dates")
                self.check(DATA / establishments, "establishment_formal_source_dates", unit="establishment")

    def test_an_establishment_changes_its_legal_unit(self):
        self.load_norwegian_references()
        self.load(DATA / "03_norwegian-legal-units-over-time.csv", "legal_unit_source_dates")
        self.load(DATA / "03_norwegian-establishments-over-time.csv", "establishment_formal_source_dates")
        owners = self.ask("""SELECT e.valid_from, x.ident FROM establishment e JOIN external_ident x ON x.legal_unit_id = e.legal_unit_id ORDER BY 1""")
        self.assertEqual([owner for _, owner in owners][:2], ["823573673", "921835809"])
        self.assertEqual(self.number("SELECT count(*) FROM stat_for_unit WHERE value_int IS NOT NULL"), 10)

    def test_norwegian_units_of_one_period(self):
        self.load_norwegian_references()
        period = ("2020-01-01", "infinity")
        self.check(NORWAY / "legal_unit/enheter-selection-web-import.csv", "legal_unit_job_provided", *SINCE_2020, period=period)
        self.clear_units()
        self.check(DATA / "04_legal-units-with-stats.csv", "legal_unit_job_provided", *SINCE_2020, period=period)
        self.check(DATA / "02_norwegian-establishments-without-legal-unit.csv", "establishment_informal_job_provided", *SINCE_2020, unit="establishment",
                   period=period)

    def test_small_units_of_other_tests(self):
        self.load_demo_references()
        self.check(DATA / "34_legal_units.csv", "legal_unit_source_dates")
        self.check(DATA / "34_formal_establishments.csv", "establishment_formal_source_dates", unit="establishment")
        self.check(DATA / "34_informal_establishments.csv", "establishment_informal_source_dates", unit="establishment")
        self.clear_units()
        self.check(DATA / "315_activity_for_portion_of_valid.csv", "legal_unit_source_dates", ident="stat_ident")
        self.check(DATA / "316_legal_unit_updates.csv", "legal_unit_source_dates", ident="stat_ident")
        self.clear_units()
        self.check(DATA / "roller_sample_legal_units.csv", "legal_unit_source_dates")

    def test_norwegian_headers(self):
        self.load_norwegian_references()
        for year in range(2015, 2019):
            period = ("--valid-from", f"{year}-01-01", "--valid-to", "infinity")
            self.load(NORWAY / f"small-history/{year}-enheter.csv", OWN / "enheter.yaml", *period)
            self.load(NORWAY / f"small-history/{year}-underenheter.csv", OWN / "underenheter.yaml", *period)
            self.assert_sound()
        self.assertEqual(self.number("SELECT count(DISTINCT id) FROM legal_unit"), 6)
        self.assertEqual(self.number("SELECT count(DISTINCT id) FROM establishment"), 6)
        sectors = self.ask("""SELECT u.valid_from, s.code FROM legal_unit u JOIN sector s ON s.id = u.sector_id JOIN external_ident x
                              ON x.legal_unit_id = u.id WHERE x.ident = '918420533' ORDER BY 1""")
        self.assertEqual(sectors, [("2015-01-01", "2100"), ("2016-01-01", "8200")])
        self.clear_units()
        for batch, units in ((1, 5), (2, 6)):
            path = SEED / f"legal-units-import-batch-{batch}.csv"
            self.assertEqual(self.load(path, OWN / "import_batch.yaml", *SINCE_2020), {"read": units, "inserted": units})
            self.assert_unchanged_again(path, OWN / "import_batch.yaml", *SINCE_2020)
        self.clear_units()
        self.assertEqual(self.load(NORWAY / "legal_unit/konsern-enheter.csv", OWN / "enheter.yaml", *SINCE_2020), {"read": 23, "inserted": 23})


class Duplicates(StatbusTest):
    def test_a_number_of_two_new_units(self):
        for name in ("340_duplicate_tax_ident_small_file.csv", "341_duplicate_tax_ident_big_file.csv"):
            with self.subTest(name):
                self.clear_units()
                rows = read_rows(DATA / name)
                counts = self.load(DATA / name, "legal_unit_job_provided", *SINCE_2020)
                numbers = [row["tax_ident"].strip() for row in rows]
                twice = {line for line, number in enumerate(numbers, 2) if number and numbers.count(number) > 1}
                self.assertEqual({line for line, _, _ in self.issues()}, twice)
                self.assertEqual(counts, {"read": len(rows), "inserted": len(rows) - len(twice), "failed": len(twice)})
                self.assert_sound()

    def test_a_history_repeats_its_numbers(self):
        counts = self.load(DATA / "345_duplicate_idents_history_import.csv", "legal_unit_source_dates")
        self.assertNotIn("failed", counts)
        self.assertEqual(self.number("SELECT count(DISTINCT id) FROM legal_unit"), 3)
        self.assertEqual(self.number("SELECT count(*) FROM legal_unit"), 4)

    def test_units_that_share_all_but_their_numbers(self):
        self.load_demo_references()
        self.assertEqual(self.load(DATA / "60_dupkey_collision_test.csv", "legal_unit_source_dates"), {"read": 2, "inserted": 2})
        for table in ("legal_unit", "enterprise", "contact"):
            self.assertEqual(self.number(f"SELECT count(*) FROM {table}"), 2, table)
        self.assertEqual(self.number("SELECT count(*) FROM location"), 4)


class ReferencesOnPostgresql(Postgresql, References):
    pass


class UnitsOnPostgresql(Postgresql, Units):
    pass


class DuplicatesOnPostgresql(Postgresql, Duplicates):
    pass


class WholeScope(unittest.TestCase):
    """Runs after the others, which unittest sorts by name: no file in scope was forgotten."""

    @unittest.skipUnless(FOLDER.is_dir(), f"no corpora at {CORPORA}")
    def test_no_file_is_left_out(self):
        if not StatbusTest.used:
            self.skipTest("the other tests did not run")
        files = {path for path in FOLDER.rglob("*.csv") if str(path.relative_to(FOLDER)) not in OUT_OF_SCOPE}
        self.assertEqual(sorted(map(str, files - StatbusTest.used)), [])


if __name__ == "__main__":
    unittest.main()
