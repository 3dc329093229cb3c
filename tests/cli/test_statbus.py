"""The sample files of Statbus, the system that the register is made after: all that describe legal units, establishments and reference tables.

They are not part of the repository; the tests run where their folder is ($LADE_CORPORA, or shared/corpora beside the source) and say so where it
is not. Out of scope are relationships, roles, power groups, reorganisations and foreign participation, for which the pack has no tables."""

import json
import os
import pathlib
import unittest

from program import ROOT
from register import Postgresql, RegisterTest, iso_day, read_rows

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
    """Begins with the pack's tables, without the reference data of its invented country."""

    used = set()

    def setUp(self):
        super().setUp()
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
        self.load_seed()
        self.load_whole(DEMO / "regions_demo.csv", "region")
        self.load_whole(DEMO / "sectors_demo.csv", "sector")
        self.load_whole(DEMO / "legal_forms_demo.csv", "legal_form")

    def load_norwegian_references(self):
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
