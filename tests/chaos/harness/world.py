"""A world of its own for one scenario: a folder, a database, and the processes that work on it. All of them end with it."""

import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cases"))
from runner.databases import Postgresql, Sqlite  # noqa: E402
from runner.execute import last_object, quick_folder  # noqa: E402

from .session import Session  # noqa: E402

# Beats so quick that a scenario takes seconds. They must still be slow enough for a loaded machine; a node that is taken for dead
# without being so is only a nuisance, as long as its tasks may crash often.
QUICK = {"QUEUE_HEARTBEAT_MS": "200", "QUEUE_VISIBILITY_MS": "1000", "QUEUE_IDLE_MS": "100", "BACKOFF_BASE": "50",
         "QUEUE_MAX_CRASHES": "1000"}
SMALL_PIECES = ("--chunk-bytes", "2500", "--bucket-bytes", "3000")
PATIENCE = 120  # seconds until something that must happen is taken for never happening


class Failure(Exception):
    """What the program did is not what it promised."""


def wait_until(what: str, condition, seconds=PATIENCE, pause=0.05):
    """Gives the first true value of condition()."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Failure(f"waited {seconds} s in vain: {what}")
        time.sleep(pause)


class Process:
    """A lade that was started; its output goes to a file."""

    def __init__(self, command, environment, folder: pathlib.Path, number: int):
        self.command = command
        self.output_path = folder / f"output_{number}"
        with self.output_path.open("wb") as out:
            self.process = subprocess.Popen(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                                            stderr=subprocess.STDOUT)
        self.pid = self.process.pid

    @property
    def output(self) -> str:
        return self.output_path.read_text(errors="replace")

    @property
    def summary(self) -> dict:
        return last_object("\n".join(line for line in self.output.splitlines() if line.startswith("{")))

    def is_running(self) -> bool:
        return self.process.poll() is None

    def is_stopped(self) -> bool:
        try:
            return pathlib.Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
        except OSError:
            return False

    def wait(self, seconds=PATIENCE) -> int:
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"did not end within {seconds} s: {' '.join(self.command[1:3])}\n{self.output[-2000:]}") from None

    def send(self, number):
        if self.is_running():
            self.process.send_signal(number)

    def kill(self):
        self.send(signal.SIGKILL)
        self.process.wait()

    def must_be_killed(self):
        code = self.wait()
        if code != -signal.SIGKILL:
            raise Failure(f"ended with {code} instead of being killed at its failpoint\n{self.output[-2000:]}")

    def must_end_well(self):
        """As a worker that was asked to stop. One that is just starting knows no signals yet."""
        wait_until("the worker works", lambda: not self.is_running() or "working on" in self.output)
        self.send(signal.SIGTERM)
        if code := self.wait():
            raise Failure(f"the worker ended with {code}\n{self.output[-2000:]}")


_open = set()
_broken_off = threading.Event()


def break_off_all_worlds():
    """For a test run that is broken off while its threads still work: kills without waiting for anybody."""
    _broken_off.set()
    for world in list(_open):
        for process in [*(started.process for started in world.processes), *world.holders, world.session.process]:
            if process is not None and process.poll() is None:
                process.kill()
        shutil.rmtree(world.folder, ignore_errors=True)


class World:
    def __init__(self, lade: pathlib.Path, stock, server="", name="chaos", audited=True):
        self.lade = lade
        self.stock = stock
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lade_chaos_", dir=quick_folder()))
        self.data = self.folder / "data"
        self.processes = []
        self.holders = []
        self.kind = "postgresql" if server else "sqlite"
        self.database = Postgresql(server, name) if server else Sqlite(self.folder)
        self.session = Session(self.database.url)  # unused on SQLite
        self.audited = audited
        _open.add(self)
        try:
            self.definition = self.write("stock.yaml", stock.definition)
            self.file = self.write("stock.csv", stock.text())
            self.database.create(stock.schema(self.kind))
            if not audited:
                names = "stock_inserted", "stock_updated"
                self.change("".join(f"DROP TRIGGER {name}{' ON stock' if server else ''};" for name in names))
        except BaseException:
            _open.discard(self)
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.end_processes()
        _open.discard(self)
        try:
            if kind is None:
                self.refuse_own_errors()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.database.drop()

    def end_processes(self):
        for process in self.processes:
            process.kill()
        for session in self.holders:
            session.kill()
            session.communicate()
        self.session.close()

    def refuse_own_errors(self):
        for process in self.processes:
            if found := re.search(r".*(Sanitizer|runtime error:|broken invariant).*", process.output):
                raise Failure(f"the program reported an error of its own: {found[0]}\n{process.output[-3000:]}")

    def write(self, name: str, text: str) -> pathlib.Path:
        path = self.folder / name
        path.write_text(text)
        return path

    # ---- the database

    def rows(self, sql: str):
        """The rows of a query as dictionaries."""
        if self.kind == "postgresql":
            answered = wait_until("the server answers", lambda: (rows := self.session.rows(sql)) is not None and [rows])
            return answered[0]
        connection = sqlite3.connect(self.database.path, timeout=60)
        connection.row_factory = sqlite3.Row
        try:
            return [dict(row) for row in connection.execute(sql)]
        finally:
            connection.close()

    def value(self, sql: str):
        """The only value of a query; None when there is no row."""
        rows = self.rows(sql)
        return next(iter(rows[0].values())) if rows else None

    def change(self, sql: str):
        if self.kind == "postgresql":
            self.database.run(sql)
            return
        connection = sqlite3.connect(self.database.path, timeout=60)
        try:
            connection.executescript(sql)
        finally:
            connection.close()

    def has_tables(self) -> bool:
        """Whether lade's own tables, up to the last migration, are there."""
        if self.kind == "postgresql":
            return self.value("SELECT to_regclass('lade_file_job') IS NOT NULL")
        return bool(self.rows("SELECT 1 FROM sqlite_master WHERE name = 'lade_file_job'"))

    def job(self, uuid=""):
        """The row of the job, by default of the first one; None when there is none."""
        if not self.has_tables():
            return None
        rows = self.rows(f"SELECT * FROM lade_job {f'''WHERE uuid = '{uuid}' ''' if uuid else ''} ORDER BY id LIMIT 1")
        return rows[0] if rows else None

    def is_finished(self, uuid="") -> bool:
        job = self.job(uuid)
        return job is not None and job["state"] == "finished"

    def wait_finished(self, uuid="", seconds=PATIENCE):
        try:
            wait_until("the job ends", lambda: self.is_finished(uuid), seconds, 0.1)
        except Failure as failure:
            tasks = self.rows("SELECT id, kind, status, node, epoch, attempts, crashes, alone, error_code FROM lade_task "
                              "WHERE status IN ('pending', 'running', 'failed') ORDER BY id")
            outputs = "\n".join(process.output[-800:] for process in self.processes)
            raise Failure(f"{failure}\nopen tasks: {tasks}\noutput: {outputs}") from None

    def hold(self, sql: str, is_held: str):
        """A session of its own that runs `sql` and stays open until the world ends; waits until the query `is_held` gives a row."""
        session = subprocess.Popen(["psql", "-XqAt", self.database.url], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.holders.append(session)
        session.stdin.write(sql + "\n")
        session.stdin.flush()
        wait_until(is_held, lambda: self.rows(is_held))

    # ---- processes

    def start(self, *words, failpoints="", **variables) -> Process:
        if _broken_off.is_set():
            raise Failure("the run was broken off")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("LADE_", "QUEUE_", "BACKOFF_"))}
        if failpoints:
            environment["LADE_FAILPOINTS"] = failpoints
        command = [str(self.lade), *map(str, words), "--database", self.database.url, "--data", str(self.data)]
        process = Process(command, environment | variables, self.folder, len(self.processes))
        self.processes.append(process)
        return process

    def start_import(self, *words, failpoints="", pieces=SMALL_PIECES, workers=2) -> Process:
        return self.start("import", self.file, "-d", self.definition, "--output", "json", "--workers", workers, *pieces, *words,
                          failpoints=failpoints)

    def submit(self, *words, pieces=SMALL_PIECES, file=None) -> str:
        """Queues the file for workers; gives the job's uuid."""
        process = self.start("import", file or self.file, "-d", self.definition, "--output", "json", "--async", *pieces, *words)
        if process.wait() != 0:
            raise Failure(f"import --async: {process.output}")
        return process.summary["job_id"]

    def start_worker(self, *words, failpoints="", settings=None, threads=2) -> Process:
        return self.start("worker", "--workers", threads, *words, failpoints=failpoints, **(QUICK if settings is None else settings))

    def wait_until_sessions_end(self):
        """The server needs a moment to see that a dead process has left; until then the same command is refused."""
        if self.kind == "postgresql":
            wait_until("the dead one's sessions end", lambda: not self.rows(
                "SELECT 1 FROM pg_stat_activity WHERE application_name IN (SELECT 'lade/' || reserved_by FROM lade_task_group)"), 12)

    def resume(self) -> Process:
        """The same command again after a crash."""
        self.wait_until_sessions_end()
        process = self.start_import()
        process.wait()
        return process

    def stored_file(self, name: str) -> pathlib.Path:
        """By its uuid, or by the path that it has."""
        return self.data / "storage" / name
