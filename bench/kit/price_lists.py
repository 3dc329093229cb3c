"""The files of the benchmark of price lists. A list is whole or not at all, so the bad rows of the components are left out; repeated keys stay.
In the second list 2 % of the codes are missing."""

import csv
import pathlib
import re
import zlib

from .components import Components

ITEMS = pathlib.Path(__file__).resolve().parent.parent / "price-lists" / "items.sql"
ITEM = re.compile(r"^\(\d+,'([^']*)','([^']*)'\)", re.M)
NUMBER = re.compile(r"([0-9]+(\.[0-9]+)?)?")
REMOVED = 50  # one code of so many


def is_removed(code):
    return zlib.crc32(code.encode()) % REMOVED == 0


class PriceLists(Components):
    def __init__(self, folder, generator, rows):
        super().__init__(folder, generator, rows)
        self.first = self.folder / "first_list.csv"
        self.second = self.folder / "second_list.csv"
        self.second_clean = self.folder / "second_clean.csv"
        if not self.second_clean.exists():
            self.make_lists()

    def make_lists(self):
        items = set(ITEM.findall(self.items.read_text()))

        def is_good(row):
            return (row[0], row[1]) in items and row[2] and all(NUMBER.fullmatch(row[column]) for column in (4, 6))

        self.take(self.dirty, self.first, is_good)
        self.take(self.changed_dirty, self.second, lambda row: is_good(row) and not is_removed(row[2]))
        self.take(self.changed_clean, self.second_clean, lambda row: not is_removed(row[1]))

    def take(self, source, target, is_wanted):
        """The header and the rows that are wanted."""
        unfinished = target.with_suffix(".part")
        with source.open(newline="", encoding="utf-8") as lines, unfinished.open("w", newline="", encoding="utf-8") as out:
            rows, writer = csv.reader(lines), csv.writer(out, lineterminator="\n")
            writer.writerow(next(rows))
            writer.writerows(filter(is_wanted, rows))
        unfinished.rename(target)

    def items_script(self):
        """SQL for the tables of the pack, on both databases."""
        return self.items.read_text().replace("price_list_item", "bench_item") + ITEMS.read_text()
