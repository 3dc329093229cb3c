#!/usr/bin/env python3
"""Kills, stops and starves lade while it works, and looks whether every row was loaded exactly once.

  python3 tests/chaos/run.py --lade build/asan/lade [--long] [--filter TEXT] [--without TEXT] [--jobs N] [--seed N]

README.md says what the families do. The program must have failpoints (presets asan and tsan); what needs none runs with any."""

import argparse
import concurrent.futures
import os
import pathlib
import signal
import sys
import time
import traceback

from harness.scenario import Context
from harness.server import OwnServer
from harness.world import Failure, break_off_all_worlds
from runner.databases import DatabaseError
from families import answers, clocks, damage, finalisers, handlers, kills, outage, pages, poison, readers, storm, undos, zombies

FAMILIES = (outage, clocks, storm, pages, readers, handlers, poison, zombies, finalisers, damage, answers, undos, kills)  # those that wait most first


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lade", required=True, type=pathlib.Path, help="the program to test")
    parser.add_argument("--long", action="store_true", help="every passage, a storm over a million rows")
    parser.add_argument("--filter", default="", help="only scenarios whose name contains this text")
    parser.add_argument("--without", default="", help="no scenarios whose name contains this text")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 2), help="scenarios at a time; most of them wait")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="decides the random moments")
    parser.add_argument("--slowest", type=int, default=0, help="also print the slowest scenarios")
    return parser.parse_args()


def has_failpoints(lade: pathlib.Path) -> bool:
    return b"LADE_FAILPOINTS" in lade.read_bytes()


def choose(options, context):
    chosen = []
    able = has_failpoints(options.lade)
    for family in FAMILIES:
        for scenario in family.scenarios(context):
            if options.filter not in scenario.name or (scenario.slow and not options.long):
                continue
            if options.without and options.without in scenario.name:
                continue
            if scenario.needs_failpoints and not able:
                print(f"skipped: {scenario.name}: the program has no failpoints", flush=True)
                continue
            chosen.append(scenario)
    return chosen


def execute(scenario, context):
    """Gives (what went wrong or "", seconds)."""
    begin = time.monotonic()
    try:
        scenario.run(context)
        return "", time.monotonic() - begin
    except (Failure, DatabaseError) as failure:
        return str(failure), time.monotonic() - begin
    except Exception:  # a fault of the test, which fails it too
        return traceback.format_exc(), time.monotonic() - begin


def run_all(scenarios, context, jobs):
    """Gives [(scenario, what went wrong, seconds)]; says so as soon as something does."""
    results = []

    def record(scenario, result):
        wrong, seconds = result
        results.append((scenario, wrong, seconds))
        if wrong:
            print(f"FAILED {scenario.name} ({seconds:.1f} s)\n  " + wrong.strip().replace("\n", "\n  "), flush=True)

    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        waiting = {pool.submit(execute, scenario, context): scenario for scenario in scenarios if not scenario.alone}
        for done in concurrent.futures.as_completed(waiting):
            record(waiting[done], done.result())
    for scenario in scenarios:
        if scenario.alone:
            record(scenario, execute(scenario, context))
    return results


def break_off(number, _):
    """Nothing that was started stays behind; the server goes with the pipe to its guard."""
    break_off_all_worlds()
    os._exit(128 + number)


def main():
    options = parse_arguments()
    if not os.access(options.lade, os.X_OK):
        sys.exit(f"{options.lade} is not a program; build lade first")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, break_off)
    print(f"seed {options.seed}", flush=True)
    begin = time.monotonic()
    with OwnServer() as server:
        context = Context(options.lade.resolve(), server.url, options.long, options.seed)
        scenarios = choose(options, context)
        if not scenarios:
            sys.exit(f"no scenario contains {options.filter!r}")
        results = run_all(scenarios, context, options.jobs)
    for note in context.notes:
        print(note)
    for scenario, _, seconds in sorted(results, key=lambda result: -result[2])[:options.slowest]:
        print(f"{seconds:6.1f} s  {scenario.name}")
    failed = sum(bool(wrong) for _, wrong, _ in results)
    print(f"{context.kills} kills survived in {time.monotonic() - begin:.0f} s")
    print(f"{len(results) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
