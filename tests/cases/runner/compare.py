"""Compares what a run gave with what its case expects. Every difference is a text that names the thing and shows both sides."""

import collections
import csv
import difflib
import io
import json

ANY = "*"  # in an expected cell: whatever stands there

OUTCOMES = ("inserted", "updated", "unchanged", "failed", "skipped", "unprocessed", "deleted")


def compare_summary(expected, actual, path="summary"):
    if isinstance(expected, dict):
        if not isinstance(actual, dict):
            return [f"{path}: expected an object, got {json.dumps(actual)}"]
        differences = []
        for name, value in expected.items():
            if name not in actual:
                differences.append(f"{path}.{name}: missing, expected {json.dumps(value)}")
            else:
                differences += compare_summary(value, actual[name], f"{path}.{name}")
        return differences
    if isinstance(expected, list):
        if not isinstance(actual, list) or len(expected) != len(actual):
            return [f"{path}: expected {json.dumps(expected)}, got {json.dumps(actual)}"]
        pairs = zip(sorted(expected, key=issue_order), sorted(actual, key=issue_order))
        return [text for i, (left, right) in enumerate(pairs) for text in compare_summary(left, right, f"{path}[{i}]")]
    return [] if expected in (ANY, actual) else [f"{path}: expected {json.dumps(expected)}, got {json.dumps(actual)}"]


def issue_order(item):
    return (str(item.get("code")), str(item.get("column"))) if isinstance(item, dict) else (str(item), "")


def check_conservation(summary):
    rows = summary.get("rows")
    if not isinstance(rows, dict):
        return []
    total = sum(rows.get(name, 0) for name in OUTCOMES)
    return [] if rows.get("read") == total else [f"conservation: {rows.get('read')} rows read, {total} accounted for: {rows}"]


def check_issue_counts(summary, issues):
    """The summary's counts must be those of the single issues."""
    if not isinstance(summary.get("issues"), list):
        return []
    told = {(entry.get("code"), entry.get("column") or ""): entry.get("count") for entry in summary["issues"]}
    counted = collections.Counter((issue.get("code"), issue.get("column") or "") for issue in issues)
    return [] if told == dict(counted) else [f"issue counts: the summary says {told}, the issues are {dict(counted)}"]


def compare_tables(name, expected, rows):
    """Rows as given by the database; both sides are sorted by the expectation's order, or by all columns."""
    order = [expected.header.index(column) for column in (expected.order or expected.header)]

    def key(row):
        return [sort_key(row[index]) for index in order] + row

    return compare_rows(f"table {name}", expected.header, sorted(expected.rows, key=key), sorted(rows, key=key))


def sort_key(text):
    try:
        return (0, int(text), text)
    except ValueError:
        return (1, 0, text)


def compare_issues(expected, issues):
    """`issues` are the objects of the --issues file; only the columns that the expectation has are compared."""
    actual = [[text_of(issue.get(name)) for name in expected.header] for issue in issues]
    rows = [issue.get("row") for issue in issues]
    differences = [] if rows == sorted(rows) else [f"issues: not in row order: {rows}"]
    return differences + compare_rows("issues", expected.header, sorted(expected.rows, key=issue_key), sorted(actual, key=issue_key))


def issue_key(row):
    return [sort_key(text) for text in row]


def text_of(value):
    return "" if value is None else str(value)


def compare_file(name, expected, text):
    rows = list(csv.reader(io.StringIO(text, newline="")))
    header = rows[0] if rows else []
    if header != expected.header:
        return [f"{name} file: expected the header {expected.header}, got {header}"]
    return compare_rows(f"{name} file", expected.header, expected.rows, rows[1:])


def compare_rows(name, header, expected, actual):
    if len(expected) == len(actual) and all(same(left, right) for left, right in zip(expected, actual)):
        return []
    # A wildcard must not show as a difference where the rest of the row agrees.
    shown = [right if left is not None and same(left, right) else left for left, right in zip(expected, actual)]
    shown += expected[len(actual):]
    diff = difflib.unified_diff(lines(header, shown), lines(header, actual), "expected", "got", lineterm="", n=2)
    return [f"{name}:\n" + "\n".join("    " + line for line in diff)]


def same(expected, actual):
    return len(expected) == len(actual) and all(left in (ANY, right) for left, right in zip(expected, actual))


def lines(header, rows):
    return [",".join(header)] + [",".join(repr(cell)[1:-1] for cell in row) for row in rows]
