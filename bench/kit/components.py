"""The files of the components benchmark, generated once into a folder and reused."""

import json
import pathlib
import re
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "components"
FIRST_OF_RECORD = re.compile(rb"\d+,[A-Z]{3}-\d{7},")  # a clean record starts so, a line inside a quoted field does not


class Components:
    def __init__(self, folder: pathlib.Path, generator: pathlib.Path, rows: int):
        self.folder = folder / f"components_{rows}"
        self.rows = rows
        self.dirty = self.folder / "dirty.csv"
        self.clean = self.folder / "clean.csv"
        self.changed_dirty = self.folder / "changed_dirty.csv"
        self.changed_clean = self.folder / "changed_clean.csv"
        self.items = self.folder / "items.sql"
        self.counts = self.folder / "counts.json"
        if not self.counts.exists():
            self.generate(generator)
        self.expected = json.loads(self.counts.read_text())

    def generate(self, generator):
        self.folder.mkdir(parents=True, exist_ok=True)
        rows = ["--rows", str(self.rows), "--seed", "1"]
        done = subprocess.run([generator, *rows, "--out", self.dirty, "--clean-out", self.clean, "--items-sql", self.items],
                              check=True, capture_output=True, text=True)
        subprocess.run([generator, *rows, "--change-percent", "5", "--out", self.changed_dirty, "--clean-out", self.changed_clean],
                       check=True, capture_output=True)
        for path in (self.clean, self.changed_clean):
            self.split(path)
        self.take_half()
        self.counts.write_text(done.stdout)

    def records(self, path):
        """The header line and the records of a clean file, each as bytes."""
        with path.open("rb") as lines:
            yield next(lines)
            record = b""
            for line in lines:
                if record and FIRST_OF_RECORD.match(line):
                    yield record
                    record = b""
                record += line
            yield record

    def split(self, path):
        """Two halves in key order, for peers with two connections."""
        records = self.records(path)
        header = next(records)
        middle = path.stat().st_size // 2
        first, second = self.halves(path)
        with first.open("wb") as out_first, second.open("wb") as out_second:
            out_first.write(header)
            out_second.write(header)
            written = 0
            for record in records:
                (out_first if written < middle else out_second).write(record)
                written += len(record)

    def halves(self, path):
        return path.with_suffix(".first.csv"), path.with_suffix(".second.csv")

    @property
    def every_second(self):
        return self.folder / "every_second.csv"

    def take_half(self):
        records = self.records(self.clean)
        with self.every_second.open("wb") as out:
            out.write(next(records))
            for number, record in enumerate(records):
                if number % 2 == 0:
                    out.write(record)
