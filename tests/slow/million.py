#!/usr/bin/env python3
"""Imports a generated price list (1 % bad rows, 2 % repeated keys, quoted line breaks) into SQLite and PostgreSQL, each with one and with
four workers, and compares the four tables row by row.

  python3 tests/slow/million.py --lade build/lade --generator build/release/generate_components [--rows 1000000]
"""

import argparse
import csv
import io
import itertools
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "cases"))
from runner.databases import NULL, Server, canonical  # noqa: E402

COMPONENTS = ROOT / "bench" / "components"
COLUMNS = {"item_id": "integer", "component_code": "text", "description": "text", "quantity": "numeric(14,4)", "unit": "text",
           "unit_price": "numeric(14,2)", "activity": "text", "region": "text", "waste_pct": "numeric(6,2)", "supplier": "text",
           "valid_from": "date"}
SELECT = f"SELECT {', '.join(COLUMNS)} FROM component ORDER BY item_id, component_code"  # codes are plain ASCII


class SqliteTarget:
    def __init__(self, folder, workers, scripts):
        self.path = folder / f"{workers}.sqlite"
        self.url = f"sqlite:{self.path}"
        with sqlite3.connect(self.path) as connection:
            for script in scripts:
                connection.executescript(script.read_text())

    def rows(self):
        for row in sqlite3.connect(self.path).execute(SELECT):
            yield [canonical(value, declared) for value, declared in zip(row, COLUMNS.values())]


class PostgresqlTarget:
    def __init__(self, server, workers, scripts):
        name = f"workers_{workers}"
        self.url = server.replace("/postgres?", f"/{name}?")
        subprocess.run(["psql", "-Xq", server, "-c", f"CREATE DATABASE {name}"], check=True)
        for script in scripts:
            subprocess.run(["psql", "-Xq", self.url, "-v", "ON_ERROR_STOP=1", "-f", script], check=True)

    def rows(self):
        select = f"COPY ({SELECT} COLLATE \"C\") TO STDOUT (FORMAT csv, NULL '{NULL}')"
        process = subprocess.Popen(["psql", "-Xq", self.url, "-c", select], stdout=subprocess.PIPE)
        for row in csv.reader(io.TextIOWrapper(process.stdout, encoding="utf-8", newline="")):
            yield [value if value == NULL else canonical(value, declared) for value, declared in zip(row, COLUMNS.values())]
        if process.wait() != 0:
            raise RuntimeError("psql failed")


def import_rows(lade, target, workers, source, folder):
    words = [lade, "import", source, "-d", COMPONENTS / "definition.yaml", "--database", target.url, "--data", folder / "data",
             "--workers", str(workers), "--output", "json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 2:
        sys.exit(f"exit code {done.returncode}, expected 2 (some rows fail)\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def check_counts(name, summary, expected):
    rows = summary["rows"]
    found = {"rows": rows["read"], "failed": rows["failed"], "skipped": rows["skipped"], "clean": rows["inserted"]}
    if found != expected or not summary["conserved"]:
        return [f"{name}: counts {found}, the generator says {expected}"]
    return []


def compare(name, target, first_name, first, most=5):
    faults, count = [], 0
    for number, (row, other) in enumerate(itertools.zip_longest(target.rows(), first.rows()), 1):
        count += 1
        if row != other and len(faults) < most:
            faults.append(f"row {number}: {name} has {row}, {first_name} has {other}")
    return count, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lade", required=True, type=pathlib.Path)
    parser.add_argument("--generator", required=True, type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    lade, generator = options.lade.resolve(), options.generator.resolve()
    with tempfile.TemporaryDirectory(prefix="lade_million_") as name:
        folder = pathlib.Path(name)
        source, items = folder / "dirty.csv", folder / "items.sql"
        made = subprocess.run([generator, "--rows", str(options.rows), "--seed", "7", "--out", source, "--items-sql", items],
                              capture_output=True, text=True, check=True)
        expected = json.loads(made.stdout)
        scripts = [items, COMPONENTS / "target.sql"]
        server = Server(ROOT / "scripts" / "private_postgresql.sh", tempfile.mkdtemp(prefix="lade_pg_", dir="/tmp"))
        try:
            faults = run(lade, folder, server.url, scripts, source, expected)
        finally:
            server.stop()
    for fault in faults:
        print(fault)
    print(f"{4 - min(len(faults), 4)} passed, {min(len(faults), 4)} failed")
    sys.exit(1 if faults else 0)


def run(lade, folder, server, scripts, source, expected):
    targets, faults = {}, []
    for workers in (1, 4):
        targets[f"SQLite, {workers} workers"] = (SqliteTarget(folder, workers, scripts), workers)
        targets[f"PostgreSQL, {workers} workers"] = (PostgresqlTarget(server, workers, scripts), workers)
    for name, (target, workers) in targets.items():
        summary = import_rows(lade, target, workers, source, folder)
        faults += check_counts(name, summary, expected)
        print(f"{name:<22} {summary['seconds']:>7.2f} s {summary['rows_per_second']:>10,.0f} rows/s "
              f"{summary['peak_rss_bytes'] / 1e6:>6.0f} MB  {summary['rows']['inserted']:,} rows", flush=True)
    first_name, (first, _) = next(iter(targets.items()))
    for name, (target, _) in list(targets.items())[1:]:
        count, found = compare(name, target, first_name, first)
        print(f"{name:<22} {count:,} rows compared with {first_name}: {'the same' if not found else 'different'}", flush=True)
        faults += found
    return faults


if __name__ == "__main__":
    main()
