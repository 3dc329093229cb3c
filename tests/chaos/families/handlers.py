"""(k) Row handlers are killed while they work, and the workers that talk to them: every row has one outcome, and that is the true one."""

import collections
import os
import pathlib
import signal
import sqlite3
import sys
import textwrap
import time

from harness import checks
from harness.scenario import DATABASES, Scenario
from harness.world import QUICK, Failure

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "handlers" / "staff.py"


class Staff:
    """Takes the place of the harness' stock: people, every tenth of whom the handler refuses."""

    def __init__(self, rows, whole):
        self.count = rows
        columns = "columns: {code: {type: integer}, first: , last: }\n"
        step = textwrap.dedent("""\
            steps: {full: {kind: handler, priority: 10, handler: staff, columns: {name: {purpose: internal}}}}
            load: [{table: person, key: code, strategy: append, columns: [code, name]}]
            """)
        self.definition = "lade: 1\ndefinition: staff\n" + columns + ("load: [{handler: staff}]\n" if whole else step)

    def text(self):
        return "code,first,last\n" + "".join(f"{number},{'refuse' if number % 10 == 9 else 'Ann'},Lee {number}\n" for number in range(self.count))

    def schema(self, _):
        return "CREATE TABLE person (code integer, name text);\n"

    def accepted(self):
        return {number: f"Ann Lee {number}" for number in range(self.count) if number % 10 != 9}


class Killer:
    """Kills a handler that just lives, again and again."""

    def __init__(self, world, pids):
        self.world = world
        self.pids = pids
        self.kills = 0

    def living(self):
        found = [int(line) for line in self.pids.read_text().split()] if self.pids.exists() else []
        return [pid for pid in found if PROGRAM.name.encode() in self.command_of(pid)]

    @staticmethod
    def command_of(pid):
        try:
            return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return b""

    def kill_one(self, chance):
        if not (living := self.living()):
            return
        try:
            os.kill(chance.choice(living), signal.SIGKILL)
            self.kills += 1
        except ProcessLookupError:
            pass


def write_handlers(world):
    """The file of handlers; they tell their pids, and keep their own books in a database of their own."""
    return world.write("handlers.yaml", textwrap.dedent(f"""\
        handlers:
          staff:
            command: [{sys.executable}, {PROGRAM}]
            environment: {{PIDS: {world.folder}/pids, BOOKS: {world.folder}/books.db, STORM: {world.folder}/storm}}
            limits: {{batch_rows: 200}}
        """))


def compare(world, staff, job, whole, kills):
    """What is there, against what must be there."""
    found = world.job(job)
    counts = checks.counts_of(found)
    if whole:
        with sqlite3.connect(world.folder / "books.db") as books:
            rows = books.execute("SELECT code, name FROM person").fetchall()
    else:
        rows = [(row["code"], row["name"]) for row in world.rows("SELECT code, name FROM person")]
    twice = [code for code, often in collections.Counter(code for code, _ in rows).items() if often > 1]
    there, wanted = dict(rows), staff.accepted()
    failed = {row["row_id"] - 1: row["code"] for row in world.rows("SELECT row_id, code FROM lade_issue")}
    lost = {code for code, why in failed.items() if why == "handler_died"}  # killed twice at the same row
    wrong = {code for code, name in there.items() if wanted.get(code) != name}
    missing = {code for code in wanted if code not in there and code not in lost}
    told = [f"{what}: {sorted(those)[:10]}" for what, those in (("twice", twice), ("wrong", wrong), ("missing", missing)) if those]
    if found["outcome"] != "succeeded" or counts["read"] != staff.count:
        told.append(f"the job has ended as {found['outcome']} {found['error']}: {counts}")
    if counts["inserted"] + counts["failed"] != staff.count or counts["failed"] != len(failed):
        told.append(f"outcomes {counts}, {len(failed)} rows with an issue")
    if any(why not in ("handler_failed", "handler_died") for why in failed.values()) or len(lost) > kills / 3:
        told.append(f"codes {collections.Counter(failed.values())} after {kills} kills")
    # A row that the handler has done and that was lost afterwards is in its own books, at least once is what it was promised.
    if counts["inserted"] != len(there) - (len(lost & set(there)) if whole else 0):
        told.append(f"{counts['inserted']} inserted, {len(there)} are there")
    if told:
        raise Failure("\n".join(told))
    return len(lost)


def storm(context, name, database, whole):
    rows, wanted = (100_000, 100) if context.long else (3_000, 12)
    pieces = ("--chunk-bytes", str(25 * rows // 6), "--bucket-bytes", str(25 * rows // 6))
    staff = Staff(rows, whole)
    chance = context.random(name)
    with context.world(database, staff) as world:
        handlers = write_handlers(world)
        rages = world.write("storm", "")  # until enough have died
        killer = Killer(world, world.folder / "pids")
        job = world.submit("--handlers", handlers, pieces=pieces)
        worker = world.start_worker("--handlers", handlers)
        workers_killed = 0
        while not world.is_finished(job):
            time.sleep(chance.uniform(0.1, 0.4))
            if killer.kills < wanted:
                killer.kill_one(chance)
            elif not whole or workers_killed == 3:
                rages.unlink(missing_ok=True)
            # The one who talks to them dies too, a few times.
            if whole and workers_killed < 3 and killer.kills > (workers_killed + 1) * wanted / 4:
                worker.kill()
                workers_killed += 1
                context.survived()
                worker = world.start_worker("--handlers", handlers, settings=QUICK)
        worker.must_end_well()
        context.survived(killer.kills)
        if killer.kills < wanted:
            raise Failure(f"the job was done after {killer.kills} kills: {world.job(job)['error']} {checks.counts_of(world.job(job))}")
        lost = compare(world, staff, job, whole, killer.kills)
        context.note(f"{name}: {killer.kills} handlers and {workers_killed} workers killed during {rows} rows, {lost} rows lost their handler twice")


def scenarios(_):
    for database in DATABASES:
        yield Scenario(f"handlers/a step on {database}", lambda context, database=database: storm(
            context, f"handlers/step on {database}", database, False), needs_failpoints=False)
        yield Scenario(f"handlers/the whole import on {database}", lambda context, database=database: storm(
            context, f"handlers/whole on {database}", database, True), needs_failpoints=False)
