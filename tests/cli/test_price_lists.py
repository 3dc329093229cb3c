"""The pack for price lists: its samples, and files that must not become the list."""

import json
import subprocess
import unittest

from program import HAS_FAILPOINTS, ROOT, OnServer, ProgramTest

SAMPLES = ROOT / "packs" / "price-lists" / "samples"
COMPONENTS = "price_list_components"
COUNTS = ("inserted", "updated", "deleted", "unchanged", "skipped", "failed", "removed")


class PriceLists(ProgramTest):
    """On SQLite; PriceListsOnPostgresql does the same there."""

    def setUp(self):
        super().setUp()
        self.json("packs", "install", "price-lists")
        for company, name, active in ((1, "GOLDEN 2026", "true"), (1, "GOLDEN 2025", "false"), (2, "GOLDEN 2026", "true")):
            self.ask("INSERT INTO price_list (company_id, kind, name, is_active) "
                     f"VALUES ({company}, 'GOLDEN', '{name}', {active}) RETURNING id")

    def ask(self, text):
        return [tuple(map(str, row)) for row in self.sql(text)]

    def load(self, path, definition, *words, code=0):
        """Imports the file; gives the counts that are not 0."""
        found, output = self.lade("import", path, "-d", definition, "--output", "json", *words)
        self.assertEqual(found, code, output)
        rows = json.loads(output.splitlines()[-1])["rows"]
        return {name: rows[name] for name in COUNTS if rows.get(name)}

    def sample(self, name, definition, **options):
        return self.load(SAMPLES / f"{name}.csv", definition, **options)

    def prepare(self):
        self.sample("price_list", "price_list")
        self.sample(COMPONENTS, COMPONENTS)

    def components(self, table="price_list_component"):
        return self.ask(f"SELECT item_id, component_code, quantity, unit_price FROM {table} ORDER BY item_id, component_code")

    def active_versions(self):
        return [version for version, in self.ask("SELECT id FROM price_list_version WHERE is_active ORDER BY id")]

    def test_samples(self):
        self.assertEqual(self.sample("price_list", "price_list"), {"inserted": 12})
        self.assertEqual(self.ask("SELECT unit_price FROM price_list_item WHERE sel = 'LOW' AND unit_price = 1234"
                                  " AND equipment IS NULL AND price_list_id = 1")[0][0].split(".")[0], "1234")
        ids = self.ask("SELECT id, cat, sel FROM price_list_item WHERE sel <> 'FELT15' ORDER BY id")
        first, second = {"inserted": 12, "skipped": 1}, {"inserted": 1, "updated": 1, "unchanged": 10, "skipped": 1, "removed": 1}
        for definition, table in ((COMPONENTS, "price_list_component"), (f"{COMPONENTS}_plain", "price_list_component_plain")):
            self.assertEqual(self.sample(COMPONENTS, definition), first, definition)
            self.assertEqual(self.ask(f"SELECT description FROM {table} WHERE quantity = 0.006"), [("Drywall screws",)])
            self.assertEqual(self.sample(f"{COMPONENTS}_march", definition), second, definition)
            codes = [code for code, in self.ask(f"SELECT component_code FROM {table} ORDER BY component_code")]
            self.assertEqual((len(codes), "PNTL" in codes, "PNTX" in codes), (12, False, True), definition)
        self.assertEqual(self.components(), self.components("price_list_component_plain"))
        self.assertEqual(self.active_versions(), ["2"])
        self.assertEqual(self.ask("SELECT version_id, count(*) FROM price_list_component_row GROUP BY version_id ORDER BY version_id"),
                         [("1", "12"), ("2", "12")])
        self.assertEqual(self.sample("price_list_march", "price_list"), {"inserted": 1, "updated": 1, "unchanged": 10, "removed": 1})
        self.assertEqual(self.ask("SELECT id, cat, sel FROM price_list_item WHERE sel <> 'AIRM' ORDER BY id"), ids)

    def test_estimates(self):
        self.sample("price_list", "price_list")
        self.assertEqual(self.sample("xact_raw", "xact_raw", code=2), {"inserted": 4, "failed": 2})
        self.assertEqual(self.ask("SELECT line_no, note FROM xact_raw WHERE rcv = 18454.24"), [("3", 'Owner wants oak, "as before"')])
        self.assertEqual(self.ask("SELECT line_no FROM xact_raw WHERE depreciation < 0"), [("2",)])
        self.assertEqual(self.sample("xact_raw", "xact_raw", code=2), {"inserted": 4, "failed": 2})
        self.assertEqual(self.sample("xact_components", "xact_components"), {"inserted": 6, "skipped": 1})
        self.assertEqual(self.ask("SELECT component_code FROM xact_component WHERE quantity = 4.75 AND total = 291.84"), [("DRY-HANG",)])
        self.assertEqual(self.ask("SELECT component_code FROM xact_component WHERE item_id IS NULL"), [("MISC",)])

    def test_a_part_of_the_list_is_merged(self):
        self.sample("price_list", "price_list")
        self.assertEqual(self.sample("price_list_changes", "price_list_changes"),
                         {"inserted": 1, "updated": 1, "deleted": 1, "unchanged": 1})
        self.assertEqual(self.ask("SELECT sel FROM price_list_item WHERE cat IN ('WTR', 'CLN')"), [("WALL",)])
        self.assertEqual(len(self.ask("SELECT 1 FROM price_list_item WHERE sel = 'TEX' AND unit_price = 0.74 AND labor = 0.51")), 1)

    def test_without_an_active_list_or_with_two_nothing_is_read(self):
        self.prepare()
        rows = self.ask("SELECT * FROM price_list_component_row ORDER BY item_id, component_code")
        for change, code in (("is_active = false", "no_active_row"), ("is_active = true", "several_active_rows")):
            self.ask(f"UPDATE price_list SET {change} WHERE company_id = 1 RETURNING id")
            for definition in (COMPONENTS, f"{COMPONENTS}_plain", "price_list"):
                result = self.lade("import", SAMPLES / f"{definition.removesuffix('_plain')}.csv", "-d", definition)
                self.assert_refused(result, 4, code, "price_list")
        self.assertEqual(self.ask("SELECT * FROM price_list_component_row ORDER BY item_id, component_code"), rows)
        self.assertEqual(self.ask("SELECT count(*) FROM price_list_version"), [("1",)])

    def test_a_file_for_another_list_changes_nothing(self):
        self.prepare()
        items, components = self.ask("SELECT * FROM price_list_item ORDER BY id"), self.components()
        text = (SAMPLES / "price_list.csv").read_text()
        other = self.write("other.csv", text.replace("GOLDEN 2026", "GOLDEN 2025").replace("$2.87", "$9.99"))
        self.assertEqual(self.load(other, "price_list", code=3), {"failed": 12})
        self.assertEqual(self.ask("SELECT DISTINCT code FROM lade_issue WHERE severity = 'error'"), [("other_list",)])
        # Items that only another company's list has.
        self.ask("INSERT INTO price_list_item (price_list_id, cat, sel, description, unit, unit_price) "
                 "VALUES (3, 'ZZZ', 'TOP', 'Of another company', 'EA', 1) RETURNING id")
        text = (SAMPLES / f"{COMPONENTS}_march.csv").read_text() + "ZZZ,TOP,X,Something,1,EA,$1.00,+,Metro,,,\n"
        for definition in (COMPONENTS, f"{COMPONENTS}_plain"):
            self.assertEqual(self.load(self.write("zzz.csv", text), definition, code=3)["failed"], 1)
        self.assertEqual(self.ask("SELECT * FROM price_list_item WHERE price_list_id = 1 ORDER BY id"), items)
        self.assertEqual(self.components(), components)
        self.assertEqual(self.components("price_list_component_plain"), [])

    def test_the_header_of_last_year(self):
        self.prepare()
        before = self.components()
        file = SAMPLES / f"{COMPONENTS}_2025.csv"
        self.assert_refused(self.lade("import", file, "-d", COMPONENTS), 4, "header_mismatch", "similar: 'Component Codes'", "lade match")
        code, output = self.lade("match", file, "-d", COMPONENTS, "--save")
        self.assertEqual(code, 0, output)
        self.assertEqual(self.load(file, COMPONENTS)["unchanged"], 12)
        self.assertEqual([row[:2] for row in self.components()], [row[:2] for row in before])

    def test_the_same_file_again(self):
        self.prepare()
        before = self.components()
        words = ("import", SAMPLES / f"{COMPONENTS}.csv", "-d", COMPONENTS, "--async")
        first = self.json(*words)["job_id"]
        self.assert_refused(self.lade(*words), 8, "job_exists")
        second = self.json(*words, "--force")["job_id"]
        self.assertEqual(self.lade("worker", "--until-idle", "-q")[0], 0)
        for job in (first, second):
            shown = self.json("jobs", "show", job)
            self.assertEqual((shown["outcome"], shown["rows"]["unchanged"]), ("succeeded", 12))
        self.assertEqual(self.components(), before)
        self.assertEqual(len(self.active_versions()), 1)

    def kill_then_cancel(self, definition, failpoint):
        """A worker dies there; the job is cancelled before another one goes on."""
        job = self.json("import", SAMPLES / f"{COMPONENTS}_march.csv", "-d", definition, "--async")["job_id"]
        killed = subprocess.run(self.command("worker", "--until-idle", "--database", self.url), cwd=self.folder,
                                env={"LADE_FAILPOINTS": failpoint}, capture_output=True, check=False, timeout=120)
        self.assertEqual(killed.returncode, -9, killed.stderr)
        self.assertEqual(self.lade("jobs", "cancel", job)[0], 0)
        self.assertEqual(self.lade("worker", "--until-idle", "-q")[0], 0)
        self.assertEqual(self.json("jobs", "show", job)["outcome"], "cancelled")

    @unittest.skipUnless(HAS_FAILPOINTS, "the program has no failpoints")
    def test_cancelled_between_build_and_flip_the_old_list_stays(self):
        self.prepare()
        before = self.components()
        self.kill_then_cancel(COMPONENTS, "conclude=kill@1")
        self.assertEqual(self.ask("SELECT version_id, count(*) FROM price_list_component_row GROUP BY version_id ORDER BY version_id"),
                         [("1", "12"), ("2", "12")])
        self.assertEqual(self.components(), before)
        self.assertEqual(self.active_versions(), ["1"])

    @unittest.skipUnless(HAS_FAILPOINTS, "the program has no failpoints")
    def test_a_plain_list_that_is_cancelled_while_it_is_loaded_stays(self):
        self.prepare()
        self.sample(COMPONENTS, f"{COMPONENTS}_plain")
        before = self.components("price_list_component_plain")
        self.kill_then_cancel(f"{COMPONENTS}_plain", "load=kill@1")
        self.assertEqual(self.components("price_list_component_plain"), before)


class PriceListsOnPostgresql(OnServer, PriceLists):
    def ask(self, text):
        return self.query(text)


if __name__ == "__main__":
    unittest.main()
