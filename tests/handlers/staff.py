"""A handler with books of its own, which it keeps right though it may be killed at any moment: what it has done for a row of a job is
written together with the names of both, and not done again."""

import json
import os
import sqlite3
import sys
import time

with open(os.environ["PIDS"], "a") as pids:
    pids.write(f"{os.getpid()}\n")
books = sqlite3.connect(os.environ["BOOKS"], timeout=60, isolation_level=None)
while True:  # others may be about to do the same, and changing the mode waits for nobody
    try:
        books.execute("PRAGMA journal_mode = WAL")
        books.execute("PRAGMA synchronous = OFF")
        books.execute("CREATE TABLE IF NOT EXISTS person (job text, row integer, code integer, name text, PRIMARY KEY (job, row))")
        break
    except sqlite3.OperationalError:
        time.sleep(0.02)
storm = os.environ["STORM"]  # as long as this file is there, rows take their time
start = {}


def answer(row):
    if os.path.exists(storm):
        time.sleep(0.02)
    code, first, last = row["row"]
    if first == "refuse":
        return {"ok": False, "error": "nobody is called refuse"}
    name = f"{first} {last}"
    books.execute("INSERT OR IGNORE INTO person VALUES (?, ?, ?, ?)", (start["job_id"], row["row_index"], int(code), name))
    return {"ok": True, "result": {"name": name}}


for line in sys.stdin:
    message = json.loads(line)
    if message["message"] == "rows":
        for one in message["rows"]:
            print(json.dumps({"row_index": one["row_index"], **answer(one)}), flush=True)
    else:
        start = message if message["message"] == "start" else start
        print('{"ok": true}', flush=True)
