#!/usr/bin/env python3
"""Reads one sheet with lade and its peers, interleaved, best of some rounds, as Markdown: whole commands with their start-up. All of
them deliver every cell; orcus loads the workbook into its model. Needs the Debian packages time, python3-openpyxl, liborcus-bin, and
npm.

  python3 bench/xlsx_peers/run.py --bench build/release/bench_xlsx [--rows 200000] [--rounds 3]
"""

import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from kit.measure import CommandFailed, Contender, compete, run  # noqa: E402
from xlsx_peers.generate_sheet import generate  # noqa: E402


PYTHON = "/usr/bin/python3"  # Debian's own, which its packages are for
NPM_PEERS = ("exceljs@4.4.0", "xlsx@0.18.5")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True, type=pathlib.Path, help="the program bench_xlsx")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=pathlib.Path, default=HERE.parent / "data", help="where the generated file is kept")
    return parser.parse_args()


def contender(name, *command, accepted=(0,)):
    return Contender(name, lambda: [command], lambda: None, accepted)


def works(peer):
    """A peer that cannot be installed here or cannot read the file is left out, and said to be."""
    try:
        run(peer.commands(), peer.accepted)
        return True
    except (CommandFailed, OSError) as failure:
        print(f"left out: {peer.name}: {failure}", file=sys.stderr)
        return False


def main():
    options = parse_arguments()
    options.data.mkdir(parents=True, exist_ok=True)
    sheet = (options.data / f"sheet_{options.rows}.xlsx").resolve()
    if not sheet.exists():
        generate(sheet, options.rows)
    for package in NPM_PEERS:  # one by one: a registry may lack what one of them needs
        subprocess.run(["npm", "install", "--prefix", HERE, "--no-save", "--no-audit", "--no-fund", "--no-package-lock", package], check=False)
    bench = options.bench.resolve()
    contenders = [contender("lade", bench, sheet, "--repeat", "1"),
                  contender("lade, strings on disk", bench, sheet, "--repeat", "1", "--string-memory-kb", "4096")]
    # orcus-xlsx ends with 1 when it is told to write nothing.
    contenders += filter(works, (contender("orcus", "orcus-xlsx", "-f", "none", sheet, accepted=(0, 1)),
                                 contender("exceljs", "node", HERE / "exceljs.mjs", sheet),
                                 contender("SheetJS", "node", HERE / "sheetjs.mjs", sheet),
                                 contender("openpyxl", PYTHON, HERE / "read_openpyxl.py", sheet)))
    title = f"{options.rows:,} rows × 12 columns, {sheet.stat().st_size / 1e6:.0f} MB"
    table, _ = compete(title, contenders, options.rounds, contenders[0].name, note=lambda line: print(line, file=sys.stderr))
    print(table)


if __name__ == "__main__":
    main()
