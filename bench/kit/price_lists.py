"""The files of the benchmark of price lists: those of the components, and of the second load a part in which 2 % of the codes are missing."""

import csv
import pathlib
import zlib

from .components import Components

ITEMS = pathlib.Path(__file__).resolve().parent.parent / "price-lists" / "items.sql"
REMOVED = 50  # one code of so many


def is_removed(code):
    return zlib.crc32(code.encode()) % REMOVED == 0


class PriceLists(Components):
    def __init__(self, folder, generator, rows):
        super().__init__(folder, generator, rows)
        self.second_dirty = self.folder / "second_dirty.csv"
        self.second_clean = self.folder / "second_clean.csv"
        for source, target, column in ((self.changed_dirty, self.second_dirty, 2), (self.changed_clean, self.second_clean, 1)):
            if not target.exists():
                self.leave_out(source, target, column)

    def leave_out(self, source, target, column):
        unfinished = target.with_suffix(".part")
        with source.open(newline="", encoding="utf-8") as lines, unfinished.open("w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerows(row for row in csv.reader(lines) if not is_removed(row[column]))
        unfinished.rename(target)

    def items_script(self):
        """SQL for the tables of the pack, on both databases."""
        return self.items.read_text().replace("price_list_item", "bench_item") + ITEMS.read_text()
