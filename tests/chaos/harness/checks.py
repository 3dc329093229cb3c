"""What must hold after a job, however it was disturbed."""

import collections
import csv
import json

from .oracle import HEADER
from .world import Failure, World
from runner.forms import result_text  # the world knows where

ENDS = ("completed", "failed", "cancelled")


def sample(title, wrong):
    """The first few of many."""
    wrong = sorted(wrong, key=str)
    return [f"{title}: {len(wrong)}, e.g. {wrong[:5]}"] if wrong else []


def compare_table(world: World, table):
    found = {row[0]: tuple(row) for row in world.database.read("stock", HEADER)}
    return (sample("rows missing in the table", table.keys() - found.keys()) +
            sample("rows that should not be in the table", found.keys() - table.keys()) +
            sample("rows that differ (found, expected)", [(row, table[code]) for code, row in found.items()
                                                         if code in table and row != table[code]]))


def compare_writes(world: World, written):
    if not world.audited:
        return []
    counted = {row["code"]: row["n"] for row in world.rows("SELECT code, count(*) AS n FROM stock_write GROUP BY code")}
    return (sample("rows written more than once", [(code, n) for code, n in counted.items() if n > 1]) +
            sample("rows whose write was not expected", counted.keys() - written) +
            sample("rows never written", written - counted.keys()))


def compare_counts(what, counts, expected):
    total = sum(count for name, count in counts.items() if name not in ("read", "deleted"))
    differences = [] if counts["read"] == total else [f"{what}: {counts['read']} rows read, {total} accounted for"]
    wrong = {name: (counts[name], count) for name, count in expected.items() if counts[name] != count}
    return differences + ([f"{what}: counts (found, expected): {wrong}"] if wrong else [])


def compare_issues(world: World, job, expected):
    """Every failed row once, with its reason, and every repeated row once."""
    rows = world.rows(f"SELECT row_id, severity, code FROM lade_issue WHERE job_id = {job['id']}")
    errors = collections.Counter((row["row_id"], row["code"]) for row in rows if row["severity"] == "error")
    warnings = collections.Counter(row["row_id"] for row in rows if row["severity"] == "warning")
    wanted = collections.Counter(expected.failed.items())
    return (sample("issues stored too often or wrongly", (errors - wanted).items()) +
            sample("issues missing", (wanted - errors).items()) +
            sample("warnings stored too often", [(row, n) for row, n in warnings.items() if n > 1]) +
            sample("warnings of rows without cause", warnings.keys() - expected.repeated))


def compare_failed_file(text: str, stock, failed):
    rows = list(csv.DictReader(text.splitlines()))
    counted = collections.Counter((int(row["_row"]), row["_code"]) for row in rows)
    wanted = collections.Counter(failed.items())
    changed = [row["_row"] for row in rows if tuple(row[name] for name in HEADER) != cells(stock.rows[int(row["_row"]) - 1])]
    return (sample("rows in failed.csv too often or wrongly", (counted - wanted).items()) +
            sample("rows missing in failed.csv", (wanted - counted).items()) +
            sample("rows of failed.csv that are not as in the source", changed))


def cells(row):
    return (row.code, row.name, row.quantity, row.parent)


def compare_events(world: World, job, end):
    events = world.rows(f"SELECT number, kind FROM lade_event WHERE job_id = {job['id']} ORDER BY number")
    numbers = [event["number"] for event in events]
    ends = [event["kind"] for event in events if event["kind"] in ENDS]
    repeated = [kind for kind, n in collections.Counter(event["kind"] for event in events).items() if n > 1]
    return ([] if numbers == list(range(1, len(numbers) + 1)) else [f"events have gaps: {numbers}"]) + \
        ([] if ends == [end] else [f"ends of the job: {ends}, expected [{end!r}]"]) + \
        ([f"events that came twice: {repeated}"] if repeated else [])


def result_files(world: World, job, purpose="failed"):
    return world.rows(f"SELECT coalesce(path, CAST(uuid AS text)) AS place, bytes FROM lade_file WHERE job_id = {job['id']} AND purpose = '{purpose}'")


def compare_result_files(world: World, job, stock, expected):
    files = result_files(world, job)
    if len(files) != (1 if expected.failed else 0):
        return [f"{len(files)} files of failed rows are recorded"]
    if not files:
        return []
    return compare_failed_file(result_text(world.stored_file(files[0]["place"])), stock, expected.failed)


def compare_queue(world: World):
    """Nothing is left over, and nothing was given up."""
    letters = world.rows("SELECT task_id, kind, reason, message FROM lade_dead_letter")
    left = world.rows("SELECT id, kind, status FROM lade_task WHERE status NOT IN ('succeeded', 'cancelled')")
    stages = world.rows("SELECT name, open FROM lade_stage WHERE open <> 0 OR finaliser IS NULL")
    return ([f"dead letters: {letters}"] if letters else []) + ([f"tasks left over: {left[:5]}"] if left else []) + \
        ([f"stages that have not ended: {stages}"] if stages else [])


def counts_of(job):
    return {name.removeprefix("rows_"): job[name] for name in job if name.startswith("rows_") and
            name not in ("rows_total", "rows_analysed", "rows_deleted")}


def differences_of_target(world: World, table, written):
    return compare_table(world, table) + compare_writes(world, written)


def differences_of_job(world: World, stock, expected, uuid=""):
    """What lade itself must say about a job that has succeeded."""
    job = world.job(uuid)
    if job is None:
        return ["there is no job"]
    if job["state"] != "finished" or job["outcome"] != "succeeded":
        return [f"the job is {job['state']}, {job['outcome']}: {job['error_code']} {job['error']}"]
    return (compare_counts("lade_job", counts_of(job), expected.counts) + compare_issues(world, job, expected) +
            compare_events(world, job, "completed") + compare_result_files(world, job, stock, expected))


def differences_of_summary(world: World, summary, expected):
    """The same as the command told it."""
    if not summary.get("rows"):
        return [f"the command gave no summary: {json.dumps(summary)}"]
    differences = compare_counts("summary", summary["rows"], expected.counts)
    if summary["status"] != "succeeded":
        differences.append(f"summary: {summary['status']}: {summary.get('error')}")
    path = summary["files"]["failed"]
    text = result_text(world.folder / path) if path else ""
    return differences + compare_failed_file(text, world.stock, expected.failed)


def require(differences, context=""):
    if differences:
        raise Failure("\n".join(differences) + (f"\n{context}" if context else ""))


def require_loaded(world: World, expected=None, uuid=""):
    """All that must hold when the world's only job has succeeded."""
    expected = expected or world.stock.expected()
    require(differences_of_target(world, expected.table, expected.written) +
            differences_of_job(world, world.stock, expected, uuid) + compare_queue(world))


def require_nothing_loaded(world: World):
    before = world.stock.existing()
    found = {row[0]: tuple(row) for row in world.database.read("stock", HEADER)}
    require(sample("rows of the table were changed", found.items() ^ before.items()))

