"""Tests of the harness itself: it must see what is wrong. Run with: python3 -m unittest discover -s tests/chaos/harness -t tests/chaos"""

import pathlib
import unittest

from . import checks
from .oracle import NULL, Stock
from .world import World


def literal(text):
    return "NULL" if text == NULL else f"'{text}'"


class Oracle(unittest.TestCase):
    def test_every_kind_of_row_occurs(self):
        expected = Stock(600).expected()
        self.assertEqual({name for name, count in expected.counts.items() if not count}, {"unprocessed"})
        self.assertEqual(set(expected.failed.values()), {"not_a_number", "check_violation", "foreign_key_violation"})
        self.assertEqual(sum(expected.counts.values()), 2 * expected.counts["read"])

    def test_a_second_import_changes_nothing(self):
        stock = Stock(600)
        first = stock.expected()
        second = stock.expected(first.table)
        self.assertEqual(second.table, first.table)
        self.assertEqual(second.written, set())

    def test_the_next_edition_changes_most(self):
        first = Stock(600).expected()
        second = Stock(600, edition=1).expected(first.table)
        self.assertGreater(second.counts["updated"], 400)


class Checks(unittest.TestCase):
    def setUp(self):
        self.stock = Stock(300)
        self.world = self.enterContext(World(pathlib.Path("lade"), self.stock))
        self.expected = self.stock.expected()
        for code, name, quantity, parent in self.expected.table.values():
            if code in self.expected.written:
                self.world.change(f"INSERT INTO stock VALUES ('{code}', '{name}', {quantity}, {literal(parent)}) ON CONFLICT "
                                  "(code) DO UPDATE SET name = excluded.name, quantity = excluded.quantity, parent = excluded.parent")

    def differences(self):
        return checks.differences_of_target(self.world, self.expected.table, self.expected.written)

    def test_nothing_wrong(self):
        self.assertEqual(self.differences(), [])

    def test_a_row_is_missing(self):
        self.world.change("DELETE FROM stock WHERE code = (SELECT min(code) FROM stock)")
        self.assertIn("missing in the table", self.differences()[0])

    def test_a_row_is_written_twice(self):
        self.world.change("UPDATE stock SET name = name WHERE code = (SELECT min(code) FROM stock_write)")
        self.assertIn("more than once", self.differences()[0])

    def test_a_row_differs(self):
        self.world.change("UPDATE stock SET quantity = 5000 WHERE code = (SELECT max(code) FROM stock)")
        self.assertIn("differ", self.differences()[0])

    def test_counts_do_not_add_up(self):
        counts = self.expected.counts | {"inserted": self.expected.counts["inserted"] + 1}
        self.assertEqual(len(checks.compare_counts("job", counts, self.expected.counts)), 2)

    def test_a_failed_row_is_told_twice_or_never(self):
        header = "code,name,quantity,parent,_row,_code,_message\n"
        lines = [f"{','.join(checks.cells(self.stock.rows[number - 1]))},{number},{code},why\n"
                 for number, code in self.expected.failed.items()]
        failed = self.expected.failed
        self.assertEqual(checks.compare_failed_file(header + "".join(lines), self.stock, failed), [])
        self.assertIn("too often", checks.compare_failed_file(header + "".join(lines + lines[:1]), self.stock, failed)[0])
        self.assertIn("missing", checks.compare_failed_file(header + "".join(lines[1:]), self.stock, failed)[0])


if __name__ == "__main__":
    unittest.main()
