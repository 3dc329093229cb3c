#!/usr/bin/env python3
"""A file with one row more than fits is refused before anything is written. Needs 4.3 GB of disk for a minute.

  python3 tests/slow/too_many_rows.py --lade build/lade
"""

import argparse
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

ROWS = 2**31
ROWS_PER_BLOCK = 2**20
DEFINITION = "lade: 1\ndefinition: rows\ncolumns:\n  code:\nload:\n  - {table: thing, strategy: append}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lade", required=True)
    lade = pathlib.Path(parser.parse_args().lade).resolve()
    with tempfile.TemporaryDirectory(prefix="lade_rows_") as name:
        folder = pathlib.Path(name)
        (folder / "rows.yaml").write_text(DEFINITION)
        database = sqlite3.connect(folder / "company.db")
        database.execute("CREATE TABLE thing (code text)")
        with (folder / "rows.csv").open("wb") as file:
            file.write(b"code\n")
            for _ in range(ROWS // ROWS_PER_BLOCK):
                file.write(b"a\n" * ROWS_PER_BLOCK)
        done = subprocess.run([lade, "import", "rows.csv", "-d", "rows.yaml", "--database", "sqlite:company.db", "--quiet"], cwd=folder,
                              capture_output=True, text=True, check=False)
        written = database.execute("SELECT count(*) FROM thing").fetchone()[0]
        database.close()
    passed = done.returncode == 4 and "too_many_rows" in done.stderr and written == 0
    if not passed:
        print(f"exit code {done.returncode}, {written} rows written\n{done.stdout}{done.stderr}")
    print("1 passed, 0 failed" if passed else "0 passed, 1 failed")
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
