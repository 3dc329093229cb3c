"""A case: a folder with a definition, an input, existing tables and what must come out. README.md describes the files."""

import csv
import io
import json
import pathlib
import shlex
import subprocess
import sys

from .forms import FORMS

DATABASES = ("sqlite", "postgresql")


class Case:
    def __init__(self, root: pathlib.Path, folder: pathlib.Path):
        self.folder = folder
        self.name = str(folder.relative_to(root))

    @property
    def databases(self):
        only = self.folder / "only"
        return tuple(only.read_text().split()) if only.exists() else DATABASES

    @property
    def definition(self):
        return self.folder / "definition.yaml"

    @property
    def arguments(self):
        path = self.folder / "args"
        return shlex.split(path.read_text(), comments=True) if path.exists() else []

    @property
    def runs(self):
        """Imports to do one after another: [{"input": NAME or "failed", "replace": {OLD: NEW}}]."""
        path = self.folder / "runs.json"
        if path.exists():
            return json.loads(path.read_text())
        return [{"input": self.default_input()}]

    def default_input(self):
        for name in ("input.csv", "input.csv.gz", "input.py"):
            if (self.folder / name).exists():
                return name
        named = self.folder / "input.txt"
        return named.read_text().strip() if named.exists() else "input.csv"

    def input(self, name: str, work: pathlib.Path) -> pathlib.Path:
        """The path of an input; one that a .py file generates is written into `work` first."""
        source = self.folder / name
        if source.suffix != ".py":
            return source
        made = work / "input.csv"
        with made.open("wb") as out:
            subprocess.run([sys.executable, source], stdout=out, check=True)
        return made

    def forms(self):
        """The other files that its table can be put into, where the case is not about the file itself."""
        source = self.folder / self.default_input()
        if (self.folder / "runs.json").exists() or source.suffix != ".csv" or not source.exists():
            return []
        if "source:" in self.definition.read_text(errors="replace") or self.name.startswith(("input/", "hostile/")):
            return []
        return [name for name, (_, convert, _) in FORMS.items() if convert(source.read_bytes()) is not None]

    def schema(self, database: str) -> str:
        for name in (f"schema.{database}.sql", "schema.sql"):
            if (self.folder / name).exists():
                return (self.folder / name).read_text()
        return ""

    def expectation(self, run: int) -> pathlib.Path:
        """The folder expected/ belongs to the last run, expected_1/ … to the runs before it."""
        return self.folder / ("expected" if run == len(self.runs) else f"expected_{run}")


class Expectation:
    """What one run must give. Missing issues.csv means: no issues at all."""

    FILES = ("issues", "failed", "succeeded", "unprocessed")

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        summary = folder / "summary.json"
        self.summary = json.loads(summary.read_text()) if summary.exists() else {}
        stderr = folder / "stderr"
        self.messages = [line for line in stderr.read_text().splitlines() if line] if stderr.exists() else []
        self.issues = read_table(folder / "issues.csv") if (folder / "issues.csv").exists() else Table(["row", "code", "column"], [])

    @property
    def tables(self):
        return {path.stem: read_table(path) for path in sorted(self.folder.glob("*.csv")) if path.stem not in self.FILES}

    def result_file(self, name: str):
        path = self.folder / f"{name}.csv"
        return read_table(path) if path.exists() else None


class Table:
    """Rows of text under a header; `order` are the columns given in a first line "# order by a, b"."""

    def __init__(self, header, rows, order=()):
        self.header = list(header)
        self.rows = [list(row) for row in rows]
        self.order = list(order)

    def text(self):
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        if self.order:
            out.write(f"# order by {', '.join(self.order)}\n")
        writer.writerow(self.header)
        writer.writerows(self.rows)
        return out.getvalue()


def read_table(path: pathlib.Path) -> Table:
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    order = []
    if text.startswith("# order by "):
        first, _, text = text.partition("\n")
        order = [name.strip() for name in first.removeprefix("# order by ").split(",")]
    rows = list(csv.reader(io.StringIO(text, newline="")))
    return Table(rows[0], rows[1:], order) if rows else Table([], [])


def find_cases(root: pathlib.Path, pattern: str):
    folders = sorted({path.parent for path in root.glob("*/*/definition.yaml")})
    cases = [Case(root, folder) for folder in folders]
    return [case for case in cases if pattern in case.name]
