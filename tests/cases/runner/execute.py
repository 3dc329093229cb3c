"""Runs one case on one database under one setting."""

import collections
import dataclasses
import json
import os
import pathlib
import shlex
import subprocess
import tempfile
import time
import traceback

from . import compare
from .case import Case, Expectation, Table
from .databases import DatabaseError, Postgresql, Sqlite
from .forms import FORMS, result_text

# Every case must give the same under each of them.
SETTINGS = {
    "default": [],
    "tiny blocks, one worker": ["--block-bytes", "1", "--workers", "1"],
    "small blocks and chunks, batches of one row": ["--block-bytes", "7", "--chunk-bytes", "64", "--batch-rows", "1"],
    "small buckets, probed lookups": ["--bucket-bytes", "200", "--lookup-rows", "0"],
    "four workers": ["--workers", "4", "--chunk-bytes", "128", "--bucket-bytes", "256"],
    "undone": ["--chunk-bytes", "256", "--bucket-bytes", "200"],
}

# Cases that append to a table without a key: lade says that it cannot undo them.
CANNOT_BE_UNDONE = {"strategies/append"}
# Cases that build versions: an undone one is kept, out of the sight of readers. tests/cli/test_sets.py looks at what those see.
KEEP_VERSIONS = {"sets/versions"}
# Cases whose rows are not found again, since a trigger changes their keys: they stay.
STAY = {"refused/key_changed_by_a_trigger"}


@dataclasses.dataclass
class Task:
    case: Case
    database: str
    setting: str
    number: int

    @property
    def label(self):
        return f"{self.case.name} [{self.database}, {self.setting}]"


class Execution:
    def __init__(self, task: Task, lade: pathlib.Path, server: str, work: pathlib.Path, seconds: int):
        self.task = task
        self.lade = lade
        self.work = work
        self.seconds = seconds
        self.database = Sqlite(work) if task.database == "sqlite" else Postgresql(server, f"case_{task.number}")
        self.command = []
        self.summary = {}
        self.issues = []
        self.output = ""

    def run(self, update=False):
        """Gives the list of differences, empty when everything is as expected."""
        try:
            self.database.create(self.task.case.schema(self.task.database))
            try:
                return self.run_all(update)
            finally:
                self.database.drop()
        except subprocess.TimeoutExpired:
            return [f"did not end within {self.seconds} s"]
        except (DatabaseError, OSError, ValueError, KeyError):
            return [traceback.format_exc()]

    def run_all(self, update):
        several = len(self.task.case.runs) > 1
        for number in range(1, len(self.task.case.runs) + 1):
            undone = self.task.setting.startswith("undone")
            before = self.database.dump() if undone else []
            self.import_file(number)
            if undone and (differences := self.undo_and_redo(before)):
                return [f"run {number}: {text}" for text in differences]
            if update:
                self.update(self.task.case.expectation(number))
            elif differences := self.differences(self.task.case.expectation(number)):
                return [f"run {number}: {text}" for text in differences] if several else differences
        return []

    def import_file(self, number: int):
        case = self.task.case
        run = case.runs[number - 1]
        issues = self.work / f"issues_{number}.ndjson"
        results = self.work / f"results_{number}"
        source = self.corrected(run, number) if run["input"] in Expectation.FILES else case.input(run["input"], self.work)
        flags = SETTINGS.get(self.task.setting, [])
        if self.task.setting in FORMS:
            ending, convert, flags = FORMS[self.task.setting]
            data = convert(source.read_bytes())
            source = self.work / f"input{ending}"
            source.write_bytes(data)
        self.command = [str(self.lade), *run.get("command", ["import"]), str(source), "-d", str(case.definition), "--database",
                        self.database.url, "--output", "json", "--data", str(self.work / "data"), "--results-dir", str(results),
                        "--issues", str(issues), *flags, *case.arguments]
        done = subprocess.run(self.command, capture_output=True, timeout=self.seconds, cwd=self.work, check=False)
        standard_output = done.stdout.decode(errors="replace")
        self.output = standard_output + done.stderr.decode(errors="replace")
        self.summary = last_object(standard_output)
        self.summary["exit_code"] = done.returncode
        text = issues.read_text(errors="surrogateescape") if issues.exists() else ""
        self.issues = [json.loads(line) for line in text.splitlines()]

    def undo_and_redo(self, before):
        """Takes the import back and compares every table with what it was; takes the undo back and compares again."""
        if "job_id" not in self.summary or self.summary.get("dry_run") or self.summary.get("outcome") in (None, "waiting_for_review"):
            return []
        if self.task.case.name in STAY:
            return []
        after = self.database.dump()
        undo = self.undo(self.summary["job_id"])
        if self.task.case.name in CANNOT_BE_UNDONE:
            return [] if undo.get("code") == "cannot_undo" else [f"undo: cannot_undo was expected: {undo}"]
        if found := self.compare_undo("undo", undo, before):
            return found
        return self.compare_undo("undo of the undo", self.undo(undo["job_id"]), after)

    def undo(self, job: str):
        command = [str(self.lade), "undo", job, "--database", self.database.url, "--output", "json", "--data", str(self.work / "data")]
        done = subprocess.run(command, capture_output=True, timeout=self.seconds, cwd=self.work, check=False)
        answer = last_object(done.stdout.decode(errors="replace"))
        answer["output"] = done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")
        answer["exit_code"] = done.returncode
        return answer.get("error", {}) | answer if done.returncode else answer

    def compare_undo(self, what: str, job, expected):
        rows = job.get("rows", {})
        if job["exit_code"] != 0 or job.get("status") != "succeeded" or rows.get("skipped") or not job.get("conserved"):
            return [f"{what}: {json.dumps(job, indent=1)}"]
        if self.task.case.name in KEEP_VERSIONS:
            return []
        wanted, found = collections.Counter(expected), collections.Counter(self.database.dump())
        return [f"{what}: missing {row}" for row in list(wanted - found)[:10]] + \
            [f"{what}: surplus {row}" for row in list(found - wanted)[:10]]

    def corrected(self, run, number: int) -> pathlib.Path:
        """The result file of the run before, with the corrections that a person would make."""
        text = self.result_text(run["input"])
        for old, new in run.get("replace", {}).items():
            if old not in text:
                raise ValueError(f"runs.json: the {run['input']} file has no {old!r}:\n{text}")
            text = text.replace(old, new)
        path = self.work / f"corrected_{number}.csv"
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        return path

    def result_text(self, name: str) -> str:
        path = (self.summary.get("files") or {}).get(name)
        return result_text(self.work / path) if path else ""

    def differences(self, folder: pathlib.Path):
        expected = Expectation(folder)
        found = compare.compare_summary(expected.summary, self.summary)
        found += compare.check_conservation(self.summary) + compare.check_issue_counts(self.summary, self.issues)
        found += [f"message: {text!r} is not in the output" for text in expected.messages if text not in self.output]
        if "Sanitizer" in self.output or "runtime error:" in self.output or "broken invariant" in self.output:
            found.append("the program reported an error of its own")
        found += compare.compare_issues(expected.issues, self.issues)
        for name, table in expected.tables.items():
            found += compare.compare_tables(name, table, self.database.read(name, table.header))
        for name in ("failed", "succeeded", "unprocessed"):
            if (table := expected.result_file(name)) is not None:
                found += compare.compare_file(name, table, self.result_text(name))
        return found + ([f"output:\n{indented(self.output)}"] if found else [])

    def update(self, folder: pathlib.Path):
        """Rewrites the expectation from this run: the same tables, columns and keys as it had. A person reviews the result."""
        expected = Expectation(folder)
        folder.mkdir(exist_ok=True)
        for name, table in expected.tables.items():
            rows = self.database.read(name, table.header)
            order = [table.header.index(column) for column in (table.order or table.header)]
            rows.sort(key=lambda row: [compare.sort_key(row[index]) for index in order] + row)
            (folder / f"{name}.csv").write_text(Table(table.header, rows, table.order).text())
        header = expected.issues.header
        if self.issues:
            rows = [[compare.text_of(issue.get(name)) for name in header] for issue in self.issues]
            (folder / "issues.csv").write_text(Table(header, rows).text())
        names = list(expected.summary) or ["exit_code", "status", "outcome", "rows"]
        summary = {name: self.summary.get(name) for name in names}
        (folder / "summary.json").write_text(json.dumps(summary, indent=2) + "\n")

    def reproduce(self):
        return shlex.join(self.command)


def last_object(text: str):
    """The summary is the last line of standard output; a run that was refused may have none."""
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    return json.loads(text) if text.strip().startswith("{") else {}


def indented(text: str):
    return "\n".join("    " + line for line in text.splitlines()[-30:])


def quick_folder():
    """A folder in memory where there is room: nothing here tests the disk."""
    try:
        room = os.statvfs("/dev/shm")
    except OSError:
        return "/tmp"
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) and room.f_bavail * room.f_frsize > 2_000_000_000 else "/tmp"


def execute(task: Task, lade: pathlib.Path, server: str, seconds: int, update: bool):
    """Gives (differences, the command, seconds it took)."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="lade_case_", dir=quick_folder()) as folder:
        execution = Execution(task, lade, server, pathlib.Path(folder), seconds)
        return execution.run(update), execution.reproduce(), time.monotonic() - begin
