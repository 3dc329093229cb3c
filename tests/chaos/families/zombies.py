"""(c) A process sleeps longer than its lease, others finish its work, it wakes up: it writes nothing."""

import signal

from harness import checks
from harness.oracle import HEADER, Stock
from harness.scenario import DATABASES, Scenario
from harness.world import Failure, wait_until

LOOKS = ("SELECT * FROM lade_job", "SELECT * FROM lade_outcome ORDER BY bucket", "SELECT * FROM lade_stage ORDER BY id",
         "SELECT * FROM lade_event ORDER BY number", "SELECT * FROM lade_issue ORDER BY row_id, code",
         "SELECT id, status, node, epoch, nonce FROM lade_task ORDER BY id", "SELECT * FROM lade_file ORDER BY id",
         "SELECT code FROM stock_write ORDER BY code")


def all_that_is_stored(world):
    return [world.rows(sql) for sql in LOOKS] + [sorted(world.database.read("stock", HEADER))]


def zombie(context, place):
    with context.world("postgresql", Stock(600, judged=True)) as world:
        job = world.submit()
        sleeper = world.start_worker(failpoints=f"{place}=stop@3")
        wait_until(f"the worker stops at {place}", sleeper.is_stopped)
        boot = world.value("SELECT boot FROM lade_node")
        if not world.rows(f"SELECT 1 FROM lade_task WHERE status = 'running' AND node = '{boot}'"):
            raise Failure("the worker holds nothing while it sleeps")
        other = world.start_worker()
        world.wait_finished(job)
        checks.require_loaded(world, uuid=job)
        before = all_that_is_stored(world)
        sleeper.send(signal.SIGCONT)
        beats = f"SELECT beat FROM lade_node WHERE boot = '{boot}'"
        first = wait_until("the zombie registers again", lambda: not sleeper.is_running() or world.value(beats))
        if sleeper.is_running():  # several beats: whatever it had in hand has met the fence meanwhile
            wait_until("the zombie beats again", lambda: (world.value(beats) or 0) > first + 3)
        if all_that_is_stored(world) != before:
            changed = [sql for sql, old, new in zip((*LOOKS, "stock"), before, all_that_is_stored(world)) if old != new]
            raise Failure(f"the zombie has written: {changed}")
        sleeper.must_end_well()
        other.must_end_well()
        checks.require_loaded(world, uuid=job)


def silent_heart(context):
    """A worker goes on working while its beats fail to come: it is taken for dead while it loads."""
    with context.world("postgresql", Stock(600)) as world:
        job = world.submit()
        silent = world.start_worker(failpoints="beat=pause:4000;load=pause:3000")
        wait_until("it loads", lambda: world.has_tables() and world.rows(
            "SELECT 1 FROM lade_task WHERE kind = 'process' AND status = 'running'"))
        other = world.start_worker()
        world.wait_finished(job)
        for worker in (silent, other):
            worker.must_end_well()
        if not world.rows("SELECT 1 FROM lade_task WHERE epoch > 1"):
            raise Failure("nobody was taken for dead")
        checks.require_loaded(world, uuid=job)


def sleeping_twin(context, database):
    """A one-shot import that sleeps is alive: the same command does not take its job away."""
    with context.world(database, Stock(600)) as world:
        sleeper = world.start_import(failpoints="load=stop@2")
        wait_until("the import stops", sleeper.is_stopped)
        if database == "postgresql":  # on SQLite it would wait a minute for the file
            twin = world.start_import()
            if twin.wait() == 0 or "job_exists" not in twin.output:
                raise Failure(f"the same import was not refused: {twin.output}")
        sleeper.send(signal.SIGCONT)
        sleeper.wait()
        checks.require(checks.differences_of_summary(world, sleeper.summary, world.stock.expected()), sleeper.output)
        checks.require_loaded(world)


def one_shot_beside_a_worker(context):
    """An import sleeps so long that a worker takes it for dead; when it wakes up the job ends all the same, and once."""
    with context.world("postgresql", Stock(600)) as world:
        worker = world.start_worker()
        wait_until("the worker beats", lambda: world.has_tables() and world.rows("SELECT 1 FROM lade_node"))
        sleeper = world.start_import(failpoints="load=stop@2")
        wait_until("the import stops", sleeper.is_stopped)
        wait_until("the import is taken for dead", lambda: len(world.rows("SELECT 1 FROM lade_node")) == 1)
        sleeper.send(signal.SIGCONT)
        sleeper.wait()
        world.wait_finished()
        worker.must_end_well()
        checks.require(checks.differences_of_summary(world, sleeper.summary, world.stock.expected()), sleeper.output)
        checks.require_loaded(world)


def scenarios(context):
    for place in ("stage", "load", "commit_sent"):
        yield Scenario(f"zombies/{place}", lambda context, place=place: zombie(context, place))
    yield Scenario("zombies/silent heart", silent_heart)
    for database in DATABASES:
        yield Scenario(f"zombies/sleeping twin on {database}",
                       lambda context, database=database: sleeping_twin(context, database))
    yield Scenario("zombies/one-shot beside a worker", one_shot_beside_a_worker)
