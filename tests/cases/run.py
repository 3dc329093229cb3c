#!/usr/bin/env python3
"""Runs the text cases under tests/cases/<area>/<name>/ on SQLite and on a private PostgreSQL, each under hostile settings.

  python3 tests/cases/run.py --lade build/lade [--filter TEXT] [--jobs N] [--quick] [--update]
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys
import tempfile

from runner.case import DATABASES, find_cases
from runner.databases import DatabaseError, Server
from runner.execute import SETTINGS, Task, execute, quick_folder

ROOT = pathlib.Path(__file__).resolve().parent
POSTGRESQL = ROOT.parent.parent / "scripts" / "private_postgresql.sh"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lade", required=True, type=pathlib.Path, help="the program to test")
    parser.add_argument("--filter", default="", help="only cases whose area/name contains this text")
    parser.add_argument("--database", choices=DATABASES, help="only this database")
    parser.add_argument("--setting", help="only the settings whose name contains this text")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--quick", action="store_true", help="only the default setting")
    parser.add_argument("--seconds", type=int, default=120, help="time limit of one import")
    parser.add_argument("--slowest", type=int, default=0, help="also print the slowest runs")
    parser.add_argument("--update", action="store_true",
                        help="rewrite the expectations from what the program does on SQLite; review the difference by hand")
    return parser.parse_args()


def make_tasks(options):
    tasks = []
    for case in find_cases(ROOT, options.filter):
        for database in case.databases:
            if options.database not in (None, database):
                continue
            for setting in SETTINGS:
                if setting == "default" or not (options.quick or options.update):
                    tasks.append(Task(case, database, setting, len(tasks)))
        if not (options.quick or options.update) and options.database in (None, case.databases[0]):
            tasks += [Task(case, case.databases[0], form, len(tasks) + i) for i, form in enumerate(case.forms())]
    if options.setting:
        tasks = [task for task in tasks if options.setting in task.setting]
    if options.update:
        seen = set()
        tasks = [task for task in tasks if not (task.case.name in seen or seen.add(task.case.name))]
    return tasks


def run_tasks(tasks, options, server):
    """Gives the failures as (task, differences, command); says how it goes meanwhile."""
    lade = options.lade.resolve()
    failures, times = [], []
    with concurrent.futures.ThreadPoolExecutor(max_workers=options.jobs) as pool:
        waiting = {pool.submit(execute, task, lade, server, options.seconds, options.update): task for task in tasks}
        for done in concurrent.futures.as_completed(waiting):
            task = waiting[done]
            differences, command, seconds = done.result()
            times.append((seconds, task.label))
            if differences:
                failures.append((task, differences, command))
                print(f"failed: {task.label}", flush=True)
            if len(times) % 200 == 0:
                print(f"{len(times)} of {len(tasks)} runs", flush=True)
    for seconds, label in sorted(times, reverse=True)[:options.slowest]:
        print(f"{seconds:6.2f} s  {label}")
    return failures


def report(failures):
    """The first failing run of a case in full, the others by name."""
    by_case = {}
    for task, differences, command in sorted(failures, key=lambda failure: failure[0].number):
        by_case.setdefault(task.case.name, []).append((task, differences, command))
    for runs in by_case.values():
        task, differences, command = runs[0]
        print(f"\nFAILED {task.label}\n  {command}")
        for difference in differences:
            print("  " + difference.replace("\n", "\n  "))
        if len(runs) > 1:
            print("  also: " + ", ".join(f"[{other.database}, {other.setting}]" for other, _, _ in runs[1:]))
    if by_case:
        print("\nfailed cases: " + " ".join(sorted(by_case)))


def main():
    options = parse_arguments()
    if not os.access(options.lade, os.X_OK):
        sys.exit(f"{options.lade} is not a program; build lade first")
    tasks = make_tasks(options)
    if not tasks:
        sys.exit(f"no case contains {options.filter!r}")
    server = None
    folder = tempfile.mkdtemp(prefix="lade_pg_", dir=quick_folder())
    try:
        if any(task.database == "postgresql" for task in tasks):
            server = Server(POSTGRESQL, folder)
        failures = run_tasks(tasks, options, server.url if server else "")
    except DatabaseError as error:
        sys.exit(str(error))
    finally:
        if server:
            server.stop()
        elif os.path.isdir(folder):
            os.rmdir(folder)
    report(failures)
    cases = len({task.case.name for task in tasks})
    print(f"{cases} cases, {len(tasks)} runs: {len(tasks) - len(failures)} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
