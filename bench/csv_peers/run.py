#!/usr/bin/env python3
"""Reads one CSV file with lade and its peers, interleaved, best of some rounds, as Markdown. lade visits every field of every row with
its row number and line, and in a second mode copies every field out as text; the peers sum the lengths of all fields, which is the
least that makes them materialise every one. Needs the Debian package time and npm.

  python3 bench/csv_peers/run.py --bench build/release/bench_csv --file bench/data/big.csv [--rounds 3] [--threads 1]
"""

import argparse
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from kit.measure import CommandFailed, Contender, compete, run  # noqa: E402

PEERS = ("duckdb", "chdb", "polars")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True, type=pathlib.Path, help="the program bench_csv")
    parser.add_argument("--file", required=True, type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def install():
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--no-package-lock"], cwd=HERE.parent, check=True)


def lade(name, options, *flags):
    command = [options.bench.resolve(), options.file.resolve(), "--repeat", "1", "--threads", str(options.threads), *flags]
    return Contender(name, lambda: [command], lambda: None)


def peer(name, options):
    command = ["node", HERE / f"{name}.mjs", options.file.resolve(), str(options.threads)]
    return Contender(name, lambda: [command], lambda: None)


def works(contender):
    """A peer that cannot be installed here or cannot read the file is left out, and said to be."""
    try:
        run(contender.commands())
        return True
    except CommandFailed as failure:
        print(f"left out: {contender.name}: {failure}", file=sys.stderr)
        return False


def main():
    options = parse_arguments()
    os.environ["POLARS_MAX_THREADS"] = str(options.threads)
    install()
    contenders = [lade("lade, every field visited", options), lade("lade, every field copied", options, "--copy")]
    contenders += filter(works, (peer(name, options) for name in PEERS))
    title = f"{options.file.name}, {options.file.stat().st_size / 1e9:.2f} GB, {options.threads} thread(s)"
    table, _ = compete(title, contenders, options.rounds, contenders[0].name, note=lambda line: print(line, file=sys.stderr))
    print(table)


if __name__ == "__main__":
    main()
