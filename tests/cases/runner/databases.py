"""The two databases as a case sees them: made from schema.sql, read back as canonical text.

Canonical text: NULL is \\N, booleans 0 and 1, numeric(p,s) with s decimals (without a scale: no trailing zeros), timestamps
YYYY-MM-DDTHH:MM:SS[.ffffff]Z."""

import decimal
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess

NULL = "\\N"

# The program itself: what Debian has in the path is a script that looks for it, at five times the cost, several times in each run.
PSQL = shutil.which("psql", path="/usr/lib/postgresql/15/bin") or "psql"


class DatabaseError(Exception):
    pass


def canonical(value, declared: str) -> str:
    """`declared` is the column's type as its database prints it."""
    if value is None:
        return NULL
    declared = declared.lower()
    if declared.startswith("bool"):
        return {"true": "1", "false": "0", "t": "1", "f": "0"}.get(str(value), str(value))
    if re.match(r"(numeric|decimal)\b", declared):
        return canonical_number(str(value), declared)
    if declared.startswith("timestamp"):
        return canonical_timestamp(str(value))
    return str(value)


def canonical_number(text: str, declared: str) -> str:
    try:
        number = decimal.Decimal(text)
    except decimal.InvalidOperation:
        return text
    scale = re.search(r",\s*(\d+)\s*\)", declared)
    if scale:
        with decimal.localcontext() as context:
            context.prec = 60
            return f"{number.quantize(decimal.Decimal(1).scaleb(-int(scale.group(1)))):f}"
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def canonical_timestamp(text: str) -> str:
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:Z|\+00(?::?00)?)?", text)
    if not match:
        return text
    day, time, fraction = match.groups()
    fraction = (fraction or "").ljust(6, "0")
    return f"{day}T{time}Z" if not fraction.strip("0") else f"{day}T{time}.{fraction}Z"


class Sqlite:
    def __init__(self, work: pathlib.Path):
        self.path = work / "case.sqlite"
        self.url = f"sqlite:{self.path}"

    def create(self, schema: str):
        connection = sqlite3.connect(self.path)
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.executescript(schema)
            connection.commit()
        except sqlite3.Error as error:
            raise DatabaseError(f"schema on SQLite: {error}") from error
        finally:
            connection.close()

    def read(self, table: str, columns):
        connection = sqlite3.connect(self.path)
        try:
            types = {row[1]: row[2] for row in connection.execute(f"PRAGMA table_info({quoted(table)})")}
            if not types:
                raise DatabaseError(f"SQLite has no table {table}")
            missing = [name for name in columns if name not in types]
            if missing:
                raise DatabaseError(f"table {table} has no columns {missing}")
            names = ", ".join(quoted(name) for name in columns)
            rows = connection.execute(f"SELECT {names} FROM {quoted(table)}").fetchall()
        finally:
            connection.close()
        return [[canonical(value, types[name]) for name, value in zip(columns, row)] for row in rows]

    def dump(self):
        """All rows of all tables but lade's own, as text."""
        connection = sqlite3.connect(self.path)
        try:
            names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return sorted(f"{name}: {row!r}" for name in names if not name.startswith(("lade_", "sqlite_"))
                          for row in connection.execute(f"SELECT * FROM {quoted(name)}"))
        finally:
            connection.close()

    def drop(self):
        pass  # goes with its folder


class Postgresql:
    """A schema of its own in the private server; public holds the extensions that cases may need."""

    def __init__(self, server: str, schema: str):
        self.server = server
        self.schema = schema
        self.url = f"{server}&options=-csearch_path%3D{schema}%2Cpublic"

    def run(self, sql: str, url=None) -> str:
        command = [PSQL, "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", url or self.url, "-f", "-"]
        environment = dict(os.environ, PGTZ="UTC", PGCLIENTENCODING="UTF8", PGOPTIONS="")
        done = subprocess.run(command, input=sql.encode(), capture_output=True, env=environment, check=False)
        if done.returncode != 0:
            raise DatabaseError(f"psql: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout.decode()

    def create(self, schema: str):
        self.run(f"SET client_min_messages = error;\nCREATE SCHEMA {self.schema};\n{schema}")

    def read(self, table: str, columns):
        names = ", ".join(f"{quoted(name)}::text" for name in columns)
        sql = f"""
            SELECT json_build_object(
              'types', (SELECT json_object_agg(attname, format_type(atttypid, atttypmod)) FROM pg_attribute
                        WHERE attrelid = '{quoted(table)}'::regclass AND attnum > 0 AND NOT attisdropped),
              'rows', (SELECT coalesce(json_agg(to_json(ARRAY[{names}])), '[]') FROM {quoted(table)}));"""
        answer = json.loads(self.run(sql))
        return [[canonical(value, answer["types"][name]) for name, value in zip(columns, row)] for row in answer["rows"]]

    def dump(self):
        """All rows of all tables but lade's own, as text."""
        names = self.run(f"SELECT tablename FROM pg_tables WHERE schemaname = '{self.schema}' AND tablename !~ '^lade_';").splitlines()
        parts = [f"SELECT {literal(name)} || ': ' || replace(replace(t::text, chr(10), '\\n'), chr(13), '\\r') FROM {quoted(name)} AS t"
                 for name in names]
        return sorted(self.run(" UNION ALL ".join(parts) + ";").splitlines()) if parts else []

    def drop(self):
        """At once, not with the server: a hundred thousand small files take minutes to remove."""
        self.run(f"SET client_min_messages = error; DROP SCHEMA {self.schema} CASCADE;")


class Server:
    """The one private PostgreSQL of a test run. Its guard stops it when this process ends, however it ends."""

    SETTINGS = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=60"

    def __init__(self, script: pathlib.Path, folder: str):
        environment = {"PGOPTS": self.SETTINGS, **os.environ}
        self.guard = subprocess.Popen([script, "guard", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                      env=environment)
        self.url = self.guard.stdout.readline().strip()
        if not self.url:
            raise DatabaseError(f"{script} guard {folder} started no server")
        Postgresql(self.url, "public").run("CREATE EXTENSION IF NOT EXISTS citext;", self.url)

    def stop(self):
        self.guard.stdin.close()
        self.guard.wait()


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
