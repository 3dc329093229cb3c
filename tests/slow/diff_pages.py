#!/usr/bin/env python3
"""Pages of a large diff, measured through the API, on both databases: no page may take 200 ms.

  tests/slow/diff_pages.py --lade PROGRAM [--rows 1000000] [--database sqlite|postgresql]

Half of the rows are inserted, half are updated; one row in 5,000 changes a second column. Prints what it saw and ends with "N passed, M failed".
"""

import argparse
import http.client
import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

LIMIT_MS = 200
RESULTS = []
DEFINITION = """\
lade: 1
definition: prices
review: always
columns:
  code: {from: Code, type: integer}
  name: {from: Name}
  price: {from: Price, type: "decimal(10,2)"}
  region: {from: Region}
  note: {from: Note}
load:
  - {table: price, key: code}
"""
SCHEMA = "CREATE TABLE price (code integer PRIMARY KEY, name text, price numeric(10,2), region text, note text)"


def write_file(path, rows):
    with path.open("w", encoding="utf-8") as file:
        file.write("Code,Name,Price,Region,Note\n")
        for number in range(rows):
            file.write(f"{number},some thing of number {number},{number % 997}.50,{'south' if number % 5000 == 0 else 'north'},a note that stays\n")


def import_file(test, name):
    command = test.command("import", name + ".csv", "-d", name + ".yaml", "--quiet", "--database", test.url)
    return subprocess.run(command, cwd=test.folder, stdout=subprocess.DEVNULL, check=False).returncode


def fill(test, rows):
    """Every second row is stored already, with another price."""
    path = test.folder / "stored.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("Code,Name,Price,Region,Note\n")
        for number in range(0, rows, 2):
            file.write(f"{number},some thing of number {number},{number % 997}.25,north,a note that stays\n")
    test.write("stored.yaml", DEFINITION.replace("review: always\n", ""))
    assert import_file(test, "stored") == 0


def ask(test, path):
    connection = http.client.HTTPConnection("127.0.0.1", test.server.port)
    connection.request("GET", "/api/v1/imports" + path, headers={"Authorization": "Bearer " + test.client.token})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 200, body
    return body


def measure(test, job, name, query):
    """The slowest of five, with all that a client waits for."""
    slowest = 0
    for _ in range(5):
        begun = time.monotonic()
        body = ask(test, f"/{job}/diff?{query}")
        slowest = max(slowest, (time.monotonic() - begun) * 1000)
    page = json.loads(body)
    good = slowest < LIMIT_MS and len(page["items"]) > 0
    RESULTS.append(good)
    print(f"{'ok' if good else 'FAILED':<7} {name:<44} {slowest:6.1f} ms  {len(page['items'])} of {page['matching']}", flush=True)
    return page


def last_page(test, job, query, limit):
    """Where the last page begins, found page by page."""
    after = ""
    while True:
        page = json.loads(ask(test, f"/{job}/diff?{query}&limit={limit}{after}".replace("?&", "?")))
        if page["next"] is None:
            return after
        after = f"&after={page['next']}"


def run(test, rows):
    test.target(SCHEMA)
    fill(test, rows)
    test.write("prices.yaml", DEFINITION)
    test.check(test.lade("definitions", "add", "prices.yaml"))
    write_file(test.folder / "prices.csv", rows)
    begun = time.monotonic()
    assert import_file(test, "prices") == 7
    print(f"figure  {rows} rows analysed and compared in {time.monotonic() - begun:.1f} s, {test.url.split(':')[0]}", flush=True)
    test.server = test.start()
    job = json.loads(ask(test, "?status=waiting_for_review"))["items"][0]["job_id"]
    for name, query in (("the first page", "limit=50"), ("a page of 1,000", "limit=1000"), ("updates", "kind=update&limit=50"),
                        ("one column", "column=price&limit=50"), ("updates of a column that changes rarely", "kind=update&column=region&limit=50"),
                        ("inserts with a column", "kind=insert&column=region&limit=1000")):
        measure(test, job, name, query)
    for name, query in (("the last page", ""), ("the last page of updates", "kind=update"), ("the last page of a rare column", "kind=update&column=region")):
        measure(test, job, name, f"{query}&limit=50{last_page(test, job, query, 1000)}".lstrip("&"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lade", required=True)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), action="append")
    arguments = parser.parse_args()
    os.environ["LADE"] = str(pathlib.Path(arguments.lade).resolve())
    from harness import OnServer, ServerTest  # pylint: disable=import-outside-toplevel

    class Plain(ServerTest):
        def runTest(self):
            self.server.stop()
            run(self, arguments.rows)

    class Served(OnServer, Plain):
        pass

    wanted = arguments.database or ["sqlite", "postgresql"]
    for name, kind in (("sqlite", Plain), ("postgresql", Served)):
        if name in wanted:
            if not unittest.TextTestRunner().run(unittest.TestSuite([kind()])).wasSuccessful():
                RESULTS.append(False)
    print(f"{RESULTS.count(True)} passed, {RESULTS.count(False)} failed")
    return 0 if RESULTS and all(RESULTS) else 1


if __name__ == "__main__":
    sys.exit(main())
