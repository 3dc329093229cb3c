"""A price list with everything in it that a job must not lose: rows that are inserted, updated, unchanged, repeated, unreadable,
refused by the database, or waiting for their parents; and, computed here and not by lade, what must become of each."""

import collections
import csv
import dataclasses
import io

NULL = "\\N"
HEADER = ("code", "name", "quantity", "parent")

DEFINITION = """\
lade: 1
definition: stock
columns:
  code: {{from: code, required: true}}
  name: {{from: name}}
  quantity: {{from: quantity, type: "decimal(14,4)"}}
  parent: {{from: parent}}
duplicates: last
{more}load:
  - {{table: stock, key: [code], strategy: insert_or_update}}
"""

TABLE = """\
CREATE TABLE stock (code text PRIMARY KEY, name text, quantity numeric(14,4) CHECK (quantity >= 0),
                    parent text REFERENCES stock (code));
"""

# Every write of a row that was committed, so that one that is done twice is seen even if it changes nothing.
WRITES = {
    "sqlite": """\
CREATE TABLE stock_write (code text NOT NULL);
CREATE TRIGGER stock_inserted AFTER INSERT ON stock BEGIN INSERT INTO stock_write VALUES (new.code); END;
CREATE TRIGGER stock_updated AFTER UPDATE ON stock BEGIN INSERT INTO stock_write VALUES (new.code); END;
""",
    "postgresql": """\
CREATE TABLE stock_write (code text NOT NULL);
CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS
$$BEGIN INSERT INTO stock_write SELECT code FROM written; RETURN NULL; END$$;
CREATE TRIGGER stock_inserted AFTER INSERT ON stock REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION note_write();
CREATE TRIGGER stock_updated AFTER UPDATE ON stock REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION note_write();
""",
}


@dataclasses.dataclass(slots=True)
class Row:
    code: str
    name: str
    quantity: str
    parent: str = ""

    @property
    def stored(self):
        return (self.code, self.name, f"{int(self.quantity)}.0000", self.parent or NULL)


@dataclasses.dataclass
class Expected:
    """What must be there after a job."""

    table: dict  # code -> row as the database gives it
    counts: dict  # outcome -> rows
    failed: dict  # number of the row -> code of its issue
    repeated: set  # numbers of rows that lost to a later one
    written: set  # codes of rows that were inserted or updated


class Stock:
    """A file of about `rows` rows. `edition` changes every name, so that the next edition updates what the last one loaded. `rarity`
    makes rows that the database refuses rarer: finding them takes time, which short-lived workers of a large file do not have."""

    def __init__(self, rows: int, parents=True, judged=False, edition=0, rarity=1, at_once=False, prefix="K"):
        self.size = rows
        self.parents = parents
        self.rarity = rarity
        self.prefix = prefix  # files with different ones share no keys
        self.edition = edition
        self.definition = DEFINITION.format(more=("max_errors: 90%\n" if judged or at_once else "") +
                                            ("commit: all_or_nothing\n" if at_once else ""))
        self.rows = list(self.make())

    def key(self, number: int) -> str:
        return f"{self.prefix}{number:07}"

    def make(self):
        stride = 7919  # mixes the keys; no size used here is a multiple of it
        for step in range(self.size):
            number = step * stride % self.size
            quantity = "abc" if step % 41 == 7 else "-1" if step % (67 * self.rarity) == 11 else str(number % 1000)
            name = f"row {number}" if self.is_unchanged(number) else f"row {number} of {self.edition}"
            yield Row(self.key(number), name, quantity, self.parent(step, number) if quantity != "-1" else "")
            if step % 31 == 30:
                again = (step - 5) * stride % self.size
                yield Row(self.key(again), f"again {again} of {self.edition}", str(again % 1000 + 1))

    def parent(self, step: int, number: int) -> str:
        """Most parents have higher keys, so that their children come first; some do not exist."""
        if not self.parents or step % (29 * self.rarity) != 3:
            return ""
        higher = number + 1 + number % 97
        return self.key(higher) if step % 5 and higher < self.size else "nowhere"

    @staticmethod
    def exists(number: int) -> bool:
        return number % 3 == 0

    @staticmethod
    def is_unchanged(number: int) -> bool:
        return number % 9 == 0

    def existing(self):
        """The table before the first edition is loaded."""
        return {self.key(number): Row(self.key(number), f"row {number}", str(number % 1000)).stored
                for number in range(self.size) if self.exists(number)}

    def text(self) -> str:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows((row.code, row.name, row.quantity, row.parent) for row in self.rows)
        return out.getvalue()

    def schema(self, database: str) -> str:
        values = ",\n".join(f"('{code}', '{name}', {quantity})" for code, name, quantity, _ in self.existing().values())
        return f"{TABLE}INSERT INTO stock (code, name, quantity) VALUES {values};\n{WRITES[database]}"

    def expected(self, before=None) -> Expected:
        """What an import makes of the table `before` (by default the one of schema())."""
        before = self.existing() if before is None else before
        failed, repeated, last = {}, set(), {}
        for number, row in enumerate(self.rows, 1):
            if row.quantity == "abc":
                failed[number] = "not_a_number"
                continue
            if row.code in last:
                repeated.add(last[row.code])
            last[row.code] = number
        for code, number in list(last.items()):
            if self.rows[number - 1].quantity == "-1":
                failed[number] = "check_violation"
                del last[code]
        self.refuse_orphans(before, failed, last)
        return self.loaded(before, failed, repeated, last)

    def refuse_orphans(self, before, failed, last):
        """A row whose parent never comes fails, and so do those that wait for it."""
        found = True
        while found:
            found = False
            for code, number in list(last.items()):
                parent = self.rows[number - 1].parent
                if parent and parent not in before and parent not in last:
                    failed[number] = "foreign_key_violation"
                    del last[code]
                    found = True

    def loaded(self, before, failed, repeated, last) -> Expected:
        table, counts, written = dict(before), collections.Counter(), set()
        for code, number in last.items():
            row = self.rows[number - 1].stored
            if code in before and not self.rows[number - 1].parent:
                row = (*row[:3], before[code][3])  # a blank cell leaves what is there
            outcome = "inserted" if code not in before else "unchanged" if row == before[code] else "updated"
            counts[outcome] += 1
            if outcome != "unchanged":
                written.add(code)
            table[code] = row
        counts |= {"read": len(self.rows), "failed": len(failed), "skipped": len(repeated), "unprocessed": 0}
        return Expected(table, {name: counts[name] for name in
                                ("read", "inserted", "updated", "unchanged", "failed", "skipped", "unprocessed")},
                        failed, repeated, written)
