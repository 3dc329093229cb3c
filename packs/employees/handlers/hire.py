"""Hires employees: the whole import, written into a SQLite file of its own that HIRED_FILE names.

lade hands over rows at least once. What was done with a row is kept by (job_id, row_index) in the transaction that writes the row, and
answers are written when it is committed: a row that comes again, after whatever crash, gets the same answer and changes nothing.
"""

import json
import os
import sqlite3
import sys

SCHEMA = """
CREATE TABLE IF NOT EXISTS employee (
  number TEXT PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, email TEXT NOT NULL UNIQUE, login TEXT NOT NULL UNIQUE,
  phone TEXT, department TEXT NOT NULL, manager TEXT REFERENCES employee (number), contract TEXT NOT NULL, started_on TEXT NOT NULL,
  ends_on TEXT, probation_until TEXT, salary TEXT NOT NULL, iban TEXT
);
CREATE TABLE IF NOT EXISTS done_row (
  job_id TEXT NOT NULL, row_index INTEGER NOT NULL, outcome TEXT NOT NULL, PRIMARY KEY (job_id, row_index)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS import_log (
  job_id TEXT PRIMARY KEY, status TEXT NOT NULL, rows_read INTEGER NOT NULL, inserted INTEGER NOT NULL, updated INTEGER NOT NULL,
  unchanged INTEGER NOT NULL, failed INTEGER NOT NULL, ended_at TEXT NOT NULL
);
"""
COLUMNS = ("number", "first_name", "last_name", "email", "login", "phone", "department", "manager", "contract", "started_on", "ends_on",
           "probation_until", "salary", "iban")


class Refused(Exception):
    """The row cannot be hired; the text says why, in one line."""


def open_target():
    """The file with its tables; sqlite3.Error when there is none and none can be made."""
    target = sqlite3.connect(os.environ["HIRED_FILE"], timeout=30, isolation_level=None)
    target.execute("PRAGMA foreign_keys = ON")
    target.executescript(SCHEMA)
    return target


def first_value(target, statement, *values):
    found = target.execute(statement, values).fetchone()
    return found[0] if found else None


def write_employee(target, person, allow_update):
    """Gives the outcome. Refuses before it writes anything."""
    address = person.pop("manager_email")
    person["manager"] = address and first_value(target, "SELECT number FROM employee WHERE email = ?", address)
    if address and not person["manager"]:
        raise Refused(f"no manager has the address {address}")
    for column in ("email", "login"):
        other = first_value(target, f"SELECT number FROM employee WHERE {column} = ? AND number <> ?", person[column], person["number"])
        if other:
            raise Refused(f"the {column} {person[column]} belongs to employee {other}")
    values = [person[column] for column in COLUMNS]
    stored = target.execute(f"SELECT {', '.join(COLUMNS)} FROM employee WHERE number = ?", (person["number"],)).fetchone()
    if stored is None:
        target.execute(f"INSERT INTO employee ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})", values)
        return "inserted"
    if not allow_update:
        raise Refused(f"there is an employee {person['number']} already, and allow_update is not set")
    if list(stored) == values:
        return "unchanged"
    target.execute(f"UPDATE employee SET {' = ?, '.join(COLUMNS)} = ? WHERE number = ?", (*values, person["number"]))
    return "updated"


def import_row(target, start, row):
    job_id, row_index = start["job_id"], row["row_index"]
    outcome = first_value(target, "SELECT outcome FROM done_row WHERE job_id = ? AND row_index = ?", job_id, row_index)
    if outcome is None:
        allow_update = start["options"].get("allow_update") in (True, "true")
        outcome = write_employee(target, dict(zip(start["headers"], row["row"])), allow_update)
        target.execute("INSERT INTO done_row VALUES (?, ?, ?)", (job_id, row_index, outcome))
    return {"ok": True, "result": {"outcome": outcome}}


def import_rows(target, start, rows):
    """A batch is a transaction; nothing is answered before it is committed."""
    answers = []
    target.execute("BEGIN IMMEDIATE")
    for row in rows:
        try:
            answer = import_row(target, start, row)
        except Refused as refused:
            answer = {"ok": False, "error": str(refused)}
        answers.append({"row_index": row["row_index"], **answer})
    target.execute("COMMIT")
    return answers


def pre_import():
    try:
        open_target().close()
    except sqlite3.Error as error:
        return {"ok": False, "error": f"{os.environ['HIRED_FILE']}: {error}"}
    return {"ok": True}


def on_complete(target, start, message):
    """May come again for the same job, then with what holds now: after a crash, or when failed rows were fixed."""
    counts = message["counts"]
    target.execute("INSERT OR REPLACE INTO import_log VALUES (?, ?, ?, ?, ?, ?, ?, datetime('now'))",
                   (start["job_id"], message["status"], *(counts[key] for key in ("read", "inserted", "updated", "unchanged", "failed"))))
    return {"ok": True}


def main():
    start, target = {}, None
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["message"]
        answers = [{"ok": True}]
        if kind == "start":
            start = message
        elif kind == "pre_import":
            answers = [pre_import()]
        elif kind in ("rows", "on_complete"):
            target = target or open_target()
            answers = import_rows(target, start, message["rows"]) if kind == "rows" else [on_complete(target, start, message)]
        for answer in answers:
            print(json.dumps(answer))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
