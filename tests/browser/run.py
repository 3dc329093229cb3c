#!/usr/bin/env python3
"""Starts the real lade on a fresh SQLite database and drives its dashboard with Debian's chromium: web/e2e/*.mjs, one after another.

  tests/browser/run.py [--lade PROGRAM] [--only NAME] [--slow FACTOR] [--minutes N] [--screenshots FOLDER]

Ends with one line: N passed, M failed. With --screenshots a picture of every page, light and dark, is written instead.
"""

import argparse
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEB = ROOT / "web"
TESTS = ["new_import", "questions", "review_grid", "operations", "administration", "batches", "steady", "many_jobs"]
PROOFS = ["live_memory"]  # by --only: it takes ten minutes
COUNTS = re.compile(r"(\d+) passed, (\d+) failed")


class Server:
    """lade serve on a free port, with the tables that the tests load into."""

    def __init__(self, program, folder):
        self.database = database = folder / "company.db"
        connection = sqlite3.connect(database)
        connection.executescript((WEB / "e2e" / "schema.sql").read_text(encoding="utf-8"))
        connection.close()
        self.process = subprocess.Popen(
            [program, "serve", "--database", f"sqlite:{database}", "--data", folder / "data", "--port", "0", "--log", "none"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.link = self.url = None
        for line in self.process.stdout:
            if found := re.search(r"/welcome/(\S+)", line):
                self.link = found.group(1)
            if found := re.search(r"^lade serves .* at (http://\S+)", line):
                self.url = found.group(1)
                return
        raise SystemExit("lade serve has not started")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=300)  # a bucket under way is written to its end, and some tests make rows slow


def slowness(program):
    """How many times as long as promised pages may take: sanitizers make the program slower."""
    return 4 if "asan" in program.resolve().parts else 1


def node(script, server, output, *arguments):
    """Shows what the script prints; gives how many passed and failed."""
    environment = {**os.environ, "LADE_URL": server.url, "LADE_LINK": server.link, "LADE_OUTPUT": str(output),
                   "LADE_DATABASE": str(server.database)}
    done = subprocess.run(["node", WEB / "e2e" / f"{script}.mjs", *arguments], cwd=WEB, env=environment, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.stdout, end="", flush=True)
    found = COUNTS.findall(done.stdout)
    passed, failed = map(int, found[-1]) if found else (0, 0)
    return passed, failed if done.returncode == 0 else max(failed, 1)


def with_server(program, script, output, *arguments):
    with tempfile.TemporaryDirectory(prefix="lade-browser-") as folder:
        server = Server(program, pathlib.Path(folder))
        try:
            return node(script, server, output, *arguments)
        finally:
            server.stop()


def check_client(program):
    """The calls that the dashboard knows are those that the server has."""
    with tempfile.TemporaryDirectory(prefix="lade-browser-") as folder:
        server = Server(program, pathlib.Path(folder))
        try:
            done = subprocess.run(["node", "scripts/generate_api.mjs", "--check", f"{server.url}/openapi.json"], cwd=WEB, check=False)
            return (1, 0) if done.returncode == 0 else (0, 1)
        finally:
            server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lade", default=ROOT / "build" / "asan" / "lade", type=pathlib.Path)
    parser.add_argument("--only", choices=TESTS + PROOFS)
    parser.add_argument("--slow", type=int, help="how many times as long as promised pages may take (1; with sanitizers 4)")
    parser.add_argument("--minutes", type=float, default=10, help="how long live_memory watches")
    parser.add_argument("--screenshots", type=pathlib.Path, help="folder for pictures of every page")
    arguments = parser.parse_args()
    os.environ["LADE_MINUTES"] = str(arguments.minutes)
    os.environ["LADE_SLOW"] = str(arguments.slow or slowness(arguments.lade))
    if arguments.screenshots:
        arguments.screenshots.mkdir(parents=True, exist_ok=True)
        totals = [with_server(arguments.lade, "screenshots", arguments.screenshots, arguments.screenshots.resolve())]
    else:
        output = ROOT / "build" / "browser"
        output.mkdir(parents=True, exist_ok=True)
        totals = [check_client(arguments.lade)] if not arguments.only else []
        for script in [arguments.only] if arguments.only else TESTS:
            totals.append(with_server(arguments.lade, script, output))
    failed = sum(total[1] for total in totals)
    print(f"{sum(total[0] for total in totals)} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
