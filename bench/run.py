#!/usr/bin/env python3
"""The benchmark kit: lade and its peers on the same data, interleaved, best of some rounds, as Markdown. Needs the Debian packages time,
postgresql-15, sqlite3, gcc and libsqlite3-dev.

  python3 bench/run.py --lade build/lade --generator build/release/generate_components [--rows 1000000] [--only sqlite]
"""

import argparse
import json
import pathlib
import platform
import tempfile

from kit.components import Components
from kit.legal_units import LegalUnits
from kit.measure import compete
from kit.on_postgresql import PostgresqlBench
from kit.on_price_lists import PriceListsOnPostgresql, PriceListsOnSqlite
from kit.on_register import RegisterBench
from kit.on_sqlite import SqliteBench
from kit.price_lists import PriceLists

ROOT = pathlib.Path(__file__).resolve().parent
SMALL_ROWS = 100_000


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lade", required=True, type=pathlib.Path)
    parser.add_argument("--generator", required=True, type=pathlib.Path, help="the program generate_components")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "data", help="where the generated files are kept")
    parser.add_argument("--only", choices=("postgresql", "sqlite", "small", "register", "price-lists"))
    parser.add_argument("--json", type=pathlib.Path, help="also write the figures here")
    return parser.parse_args()


def small_files(lade, data, work, rounds):
    """The whole command on 100 k rows, process start included."""
    sqlite = SqliteBench(lade, data, work)
    with PostgresqlBench(lade, data, work) as postgresql:
        contenders = [postgresql.copies()[1], postgresql.by_lade(data.dirty), sqlite.by_lade(data.dirty, "wal")]
        contenders[1].name = "lade on PostgreSQL"
        contenders[2].name = "lade on SQLite"
        yield compete(f"{SMALL_ROWS:,} dirty rows, whole command", contenders, rounds, contenders[0].name)


def register(options, work):
    """The small size beside the large one: rows a second stay the same."""
    for rows in sorted({min(SMALL_ROWS, options.rows), options.rows}):
        with RegisterBench(options.lade.resolve(), LegalUnits(options.data.resolve(), rows), work) as bench:
            yield from bench.run(options.rounds, rows)


def price_lists(options, work):
    """Whole sets of components, with versions and without."""
    data = PriceLists(options.data.resolve(), options.generator.resolve(), options.rows)
    with PriceListsOnPostgresql(options.lade.resolve(), data, work) as bench:
        yield from bench.run(options.rounds, options.rows)
    yield from PriceListsOnSqlite(options.lade.resolve(), data, work).run(options.rounds, options.rows)


def competitions(options, work):
    lade = options.lade.resolve()
    generator = options.generator.resolve()
    if options.only == "register":
        yield from register(options, work)
        return
    if options.only == "price-lists":
        yield from price_lists(options, work)
        return
    data = Components(options.data.resolve(), generator, options.rows)
    if options.only in (None, "postgresql"):
        with PostgresqlBench(lade, data, work) as bench:
            yield from bench.run(options.rounds, options.rows)
    if options.only in (None, "sqlite"):
        yield from SqliteBench(lade, data, work).run(options.rounds, options.rows)
    if options.only in (None, "small"):
        yield from small_files(lade, Components(options.data.resolve(), generator, SMALL_ROWS), work, options.rounds)
    if options.only is None:
        yield from register(options, work)
        yield from price_lists(options, work)


def main():
    options = parse_arguments()
    figures = []
    with tempfile.TemporaryDirectory(prefix="lade_bench_", dir=options.data.parent) as folder:
        for table, best in competitions(options, pathlib.Path(folder)):
            print(f"\n{table}", flush=True)
            figures.append({"title": table.splitlines()[0].lstrip("# "),
                            "best": {name: vars(sample) for name, sample in best.items()}})
    if options.json:
        options.json.write_text(json.dumps({"machine": platform.processor() or platform.machine(), "competitions": figures}, indent=2))


if __name__ == "__main__":
    main()
