"""The pack for a business register: its samples on both databases, with what each fault of theirs must be called."""

import signal
import subprocess
import unittest

from program import HAS_FAILPOINTS, LADE
from register import PACK, Postgresql, RegisterTest, read_rows

SAMPLES = PACK / "samples"
SINCE_2025 = ("--time-context", "year_2025")


class Register(RegisterTest):
    def load_legal_units(self):
        return self.load(SAMPLES / "legal_units.csv", "legal_unit_source_dates")

    def codes(self):
        """line → codes of the errors of the last import."""
        found = {}
        for line, _, code in self.issues():
            found.setdefault(line, set()).add(code)
        return found

    def test_legal_units(self):
        self.assertEqual(self.load_legal_units(), {"read": 30, "inserted": 16, "updated": 6, "skipped": 1, "failed": 7})
        self.assertEqual(self.codes(), {22: {"identifier_missing"}, 23: {"period_reversed"}, 24: {"half_a_coordinate"}, 27: {"required"},
                                        28: {"claimed_twice"}, 29: {"claimed_twice"}, 31: {"not_a_date"}})
        self.assert_sound()
        rows = [row for line, row in enumerate(read_rows(SAMPLES / "legal_units.csv"), 2) if line not in self.codes() and line != 30]
        for row in rows:
            row["sector_code"] = row["sector_code"].split(" | ")[0]
        self.assertEqual(self.stored_timelines(), self.expected_timelines(rows))
        self.assert_unchanged_again(SAMPLES / "legal_units.csv", "legal_unit_source_dates")

    def test_an_error_is_told_under_every_column_concerned(self):
        self.load_legal_units()
        self.assertEqual([column for line, column, _ in self.issues() if line == 22], ["stat_ident", "tax_ident"])
        self.assertEqual([column for line, column, _ in self.issues() if line == 24], ["physical_latitude", "physical_longitude"])

    def test_codes_that_are_unknown_are_left_out(self):
        self.load_legal_units()
        warned = {column for line, column, _ in self.issues("warning") if line == 25}
        self.assertLessEqual({"sector_code", "unit_size_code", "status_code", "legal_form_code", "data_source_code", "physical_region_code",
                              "physical_country_iso_2", "primary_activity_category_code"}, warned)
        self.assertEqual(self.ask("SELECT name, sector_code, physical_region_code, primary_activity_category_code, employees FROM statistical_unit "
                                  "WHERE tax_ident = '700100117'"), [("Unknown Codes", "", "", "", "5")])
        self.assertEqual(self.ask("SELECT sector_code, primary_activity_category_code, birth_date FROM statistical_unit WHERE tax_ident = '700100118'"),
                         [("2100", "4711", "")])

    def test_only_tables_that_change_are_cut(self):
        self.load_legal_units()
        unit = "(SELECT legal_unit_id FROM external_ident WHERE ident = '700100101')"
        self.assertEqual(self.ask(f"SELECT valid_from, valid_until, name FROM legal_unit WHERE id = {unit} ORDER BY 1"),
                         [("2022-01-01", "2024-01-01", "Old Port Shipyard"), ("2024-01-01", "infinity", "Old Port Ships")])
        self.assertEqual(self.ask(f"SELECT valid_from, valid_until FROM location WHERE legal_unit_id = {unit} AND type = 'physical'"),
                         [("2022-01-01", "infinity")])
        self.assertEqual([row[:3] for row in self.ask(f"""SELECT s.valid_from, s.valid_until, s.value_int FROM stat_for_unit s JOIN stat_definition d
                             ON d.id = s.stat_definition_id WHERE s.legal_unit_id = {unit} AND d.code = 'employees' ORDER BY 1""")],
                         [("2022-01-01", "2023-01-01", "240"), ("2023-01-01", "2024-01-01", "255"), ("2024-01-01", "infinity", "262")])
        self.assertEqual([row for row, in self.ask("SELECT valid_to FROM statistical_unit WHERE tax_ident = '700100101' ORDER BY valid_from")],
                         ["2022-12-31", "2023-12-31", "infinity"])

    def test_a_gap_stays(self):
        self.load_legal_units()
        self.assertEqual(self.ask("SELECT valid_from, valid_to FROM statistical_unit WHERE tax_ident = '700100110' ORDER BY 1"),
                         [("2022-01-01", "2022-12-31"), ("2024-01-01", "infinity")])

    def test_a_period_of_the_job(self):
        self.load_legal_units()
        counts = self.load(SAMPLES / "legal_units_2025.csv", "legal_unit_job_provided", *SINCE_2025)
        self.assertEqual(counts, {"read": 7, "inserted": 2, "updated": 4, "failed": 1})
        self.assertEqual(self.codes(), {6: {"identifier_unstable"}})
        self.assert_sound()
        self.assertEqual(self.ask("SELECT valid_from, valid_to, unit_size_code FROM statistical_unit WHERE tax_ident = '700100112' ORDER BY 1"),
                         [("2022-06-01", "2024-12-31", "sml"), ("2025-01-01", "2025-12-31", "med"), ("2026-01-01", "infinity", "sml")])
        self.assert_unchanged_again(SAMPLES / "legal_units_2025.csv", "legal_unit_job_provided", *SINCE_2025)

    def test_establishments_of_legal_units(self):
        self.load_legal_units()
        counts = self.load(SAMPLES / "establishments_formal.csv", "establishment_formal_source_dates")
        self.assertEqual(counts, {"read": 17, "inserted": 11, "updated": 3, "failed": 3})
        self.assertEqual(sorted(self.codes()), [16, 17, 18])
        self.assertEqual(self.codes()[18], {"identifier_wrong_kind"})
        self.assert_sound()
        owners = self.ask("""SELECT e.valid_from, x.ident FROM establishment e JOIN external_ident y ON y.establishment_id = e.id AND y.ident = '800100005'
                             JOIN external_ident x ON x.legal_unit_id = e.legal_unit_id AND x.type_id = y.type_id ORDER BY 1""")
        self.assertEqual(owners, [("2022-01-01", "700100104"), ("2024-04-01", "700100105")])
        self.assert_unchanged_again(SAMPLES / "establishments_formal.csv", "establishment_formal_source_dates")

    def test_establishments_without_one(self):
        counts = self.load(SAMPLES / "establishments_informal.csv", "establishment_informal_source_dates")
        self.assertEqual(counts, {"read": 7, "inserted": 5, "failed": 2})
        self.assertEqual(self.codes(), {7: {"identifier_incomplete"}, 8: {"identifier_characters"}})
        self.assertEqual(self.ask("SELECT count(*) FROM enterprise"), [("5",)])
        self.assertIn(("2024.lakes.ida.001",), self.ask("SELECT ident FROM external_ident"))
        self.assertEqual(self.number("SELECT count(*) FROM tag_for_unit"), 5)
        self.assert_sound()
        self.assert_unchanged_again(SAMPLES / "establishments_informal.csv", "establishment_informal_source_dates")

    def test_statistical_variables_of_units_of_any_kind(self):
        self.load_legal_units()
        self.load(SAMPLES / "establishments_formal.csv", "establishment_formal_source_dates")
        units = (self.number("SELECT count(*) FROM legal_unit"), self.number("SELECT count(*) FROM establishment"))
        self.load(SAMPLES / "turnover_2023.csv", "generic_unit_stats_source_dates")
        self.assertEqual(self.codes(), {6: {"unit_not_found"}})
        self.assertEqual(self.issues("warning"), [(7, "employees", "not_an_integer")])
        self.assertEqual((self.number("SELECT count(*) FROM legal_unit"), self.number("SELECT count(*) FROM establishment")), units)
        turnover = self.ask("SELECT valid_from, CAST(turnover AS integer) FROM statistical_unit WHERE tax_ident = '700100102' ORDER BY 1")
        self.assertEqual(turnover, [("2022-01-01", "410000"), ("2023-06-01", "470000"), ("2023-06-15", "470000"), ("2023-09-01", "455000")])
        employees = self.ask("SELECT valid_from, employees FROM statistical_unit WHERE tax_ident = '800100006' ORDER BY 1")
        self.assertEqual(employees, [("2022-01-01", "12"), ("2023-01-01", "13"), ("2024-01-01", "12")])
        self.assert_sound()

    @unittest.skipUnless(HAS_FAILPOINTS, "the program has no failpoints")
    def test_an_identifier_that_another_unit_gets_after_the_analysis(self):
        self.load(self.write("two.csv", "tax_ident,name,valid_from,valid_to\n1,One,2024-01-01,infinity\n2,Two,2024-01-01,infinity\n"),
                  "legal_unit_source_dates")
        more = self.write("more.csv", "tax_ident,stat_ident,name,valid_from,valid_to\n1,9,One,2024-01-01,infinity\n")
        words = ["import", more, "-d", "legal_unit_source_dates", "--database", self.url]
        killed = subprocess.run([LADE, *words], cwd=self.folder, env={"LADE_FAILPOINTS": "load=kill"}, capture_output=True, check=False, timeout=120)
        self.assertEqual(killed.returncode, -signal.SIGKILL, killed.stderr)
        self.write_sql("""INSERT INTO external_ident (type_id, ident, legal_unit_id)
                          SELECT t.id, '9', x.legal_unit_id FROM external_ident_type t, external_ident x WHERE t.code = 'stat_ident' AND x.ident = '2'""")
        self.assertEqual(self.load(more, "legal_unit_source_dates"), {"read": 1, "failed": 1})
        self.assertEqual({code for _, _, code in self.issues()}, {"identifier_taken"})
        self.assertEqual(self.ask("SELECT x.ident FROM external_ident x JOIN legal_unit u ON u.id = x.legal_unit_id WHERE u.name = 'One'"), [("1",)])

    def test_who_and_when_is_kept(self):
        self.load_legal_units()
        self.assertEqual(self.number("SELECT count(*) FROM legal_unit WHERE edit_at IS NULL"), 0)

    def test_a_type_of_identifier_more_is_a_column_more(self):
        self.write_sql("INSERT INTO external_ident_type (code, name, priority) VALUES ('trade_ident', 'Number in the trade register', 9)")
        self.write("traded.csv", "trade_ident,name,valid_from,valid_to\nT-1,By Trade,2024-01-01,infinity\n")
        self.assertEqual(self.load(self.folder / "traded.csv", "legal_unit_source_dates"), {"read": 1, "inserted": 1})
        self.assertEqual(self.ask("SELECT ident FROM external_ident"), [("T-1",)])


class Definitions(unittest.TestCase):
    def test_the_two_forms_of_a_definition_differ_in_their_periods_only(self):
        for path in (PACK / "definitions").glob("*_source_dates.yaml"):
            other = path.with_name(path.name.replace("_source_dates", "_job_provided"))
            differing = [line for line, twin in zip(path.read_text().splitlines(), other.read_text().splitlines(), strict=True) if line != twin]
            keys = {line.strip().split(":")[0] for line in differing}
            self.assertLessEqual(keys, {"definition", "name", "note", "valid_time_from", "valid_time"}, path.name)


class RegisterOnPostgresql(Postgresql, Register):
    pass


if __name__ == "__main__":
    unittest.main()
