"""The same table in other files: what comes out must not depend on it."""

import csv
import gzip
import io
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "testing"))
from workbook import make_workbook, read_workbook  # noqa: E402

LONGEST_CELL = 32_767


def rows_of(data: bytes):
    """The rows of a plain CSV file, blank lines as empty ones; None when it is anything else."""
    try:
        text = data.decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error):
        return None
    header = rows[0] if rows else []
    plain = len(header) > 1 and all(row == [] or len(row) == len(header) for row in rows)
    cells = [cell for row in rows for cell in row]
    if not plain or any("\n" in cell or "\r" in cell or "\0" in cell or len(cell) > LONGEST_CELL for cell in cells):
        return None
    # A row of blanks is a record in a CSV file and nothing in a sheet; so are blank columns at the header's end.
    return rows if all(any(row) for row in rows if row) and header[-1] else None


def as_workbook(data: bytes):
    rows = rows_of(data)
    return None if rows is None else make_workbook({"Sheet1": rows})


def as_utf16_gzip(data: bytes):
    return None if rows_of(data) is None else gzip.compress(data.decode("utf-8-sig").encode("utf-16"))


SMALL_CHUNKS = ["--chunk-bytes", "64", "--workers", "4"]
# By name: the file's ending, what makes its bytes of those of a CSV file, and flags of the import.
FORMS = {"as a workbook": (".xlsx", as_workbook, []),
         "as a workbook in small chunks": (".xlsx", as_workbook, SMALL_CHUNKS),
         "as UTF-16, gzipped": (".csv.gz", as_utf16_gzip, SMALL_CHUNKS)}


def result_text(path: pathlib.Path) -> str:
    """A result file as CSV."""
    data = path.read_bytes()
    if not data.startswith(b"PK"):
        return data.decode("utf-8-sig", "surrogateescape")
    out = io.StringIO()
    csv.writer(out).writerows(read_workbook(data))
    return out.getvalue()
