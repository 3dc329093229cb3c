"""(h) A task that kills its process each time it runs is given up after three crashes alone; the others go on."""

import re

from harness import checks
from harness.oracle import Stock
from harness.scenario import DATABASES, Scenario
from harness.world import QUICK, Failure, wait_until

SETTINGS = {name: value for name, value in QUICK.items() if name != "QUEUE_MAX_CRASHES"}
MAX_CRASHES = 3
ONE_BUCKET = ("--chunk-bytes", "2500", "--bucket-bytes", "100000000")


def keep_running(context, world, workers, job):
    """Starts workers that died again, until the job has ended. Gives how many died."""
    deaths = 0

    def look():
        nonlocal deaths
        for number, worker in enumerate(workers):
            if not worker.is_running():
                deaths += 1
                context.survived()
                workers[number] = world.start_worker(failpoints="load=kill", settings=SETTINGS)
        return world.is_finished(job)

    wait_until("the job is given up", look, pause=0.1)
    return deaths


def require_poisoned(world, job, unprocessed):
    found = world.job(job)
    if (found["outcome"], found["error_code"]) != ("failed", "poison"):
        raise Failure(f"the job has ended as {found['outcome']}: {found['error_code']} {found['error']}")
    letters = world.rows("SELECT kind, reason, attempts, crashes FROM lade_dead_letter")
    if letters != [{"kind": "process", "reason": "poison", "attempts": 0, "crashes": MAX_CRASHES}]:
        raise Failure(f"dead letters: {letters}")
    counts = checks.counts_of(found)
    if counts["unprocessed"] != unprocessed:
        raise Failure(f"{counts['unprocessed']} rows are unprocessed, expected {unprocessed}")
    checks.require(checks.compare_counts("lade_job", counts, {}) + checks.compare_events(world, found, "failed"))


def only_bucket(context):
    with context.world("postgresql", Stock(300)) as world:
        job = world.submit(pieces=ONE_BUCKET)
        workers = [world.start_worker(failpoints="load=kill", settings=SETTINGS) for _ in range(2)]
        deaths = keep_running(context, world, workers, job)
        if deaths not in (MAX_CRASHES, MAX_CRASHES + 1):  # the first crash may have had company
            raise Failure(f"{deaths} workers died")
        for worker in workers:
            worker.must_end_well()
        checks.require_nothing_loaded(world)
        unreadable = sum(row.quantity == "abc" for row in world.stock.rows)
        require_poisoned(world, job, len(world.stock.rows) - unreadable)


def same_command(context, database):
    """A one-shot import that dies each time: the same command gives up in the end, instead of dying for ever."""
    with context.world(database, Stock(300)) as world:
        deaths = 0
        while (process := world.start_import(failpoints="load=kill", pieces=ONE_BUCKET)).wait() < 0:
            deaths += 1
            if deaths > MAX_CRASHES + 1:
                raise Failure(f"the command died {deaths} times")
            world.wait_until_sessions_end()
        context.survived(deaths)
        summary = process.summary
        if summary.get("status") != "failed" or summary["error"]["code"] != "poison" or summary["rows"]["inserted"]:
            raise Failure(f"after {deaths} deaths: {process.output}")
        checks.require_nothing_loaded(world)
        unreadable = sum(row.quantity == "abc" for row in world.stock.rows)
        require_poisoned(world, "", len(world.stock.rows) - unreadable)


TRAP = """\
CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
$$BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END$$;
CREATE TRIGGER stock_trap BEFORE INSERT OR UPDATE ON stock FOR EACH ROW WHEN (NEW.code = '{code}')
  EXECUTE FUNCTION wait_for_test();
"""
TRAPPED = """\
SELECT n.name FROM pg_locks l JOIN pg_stat_activity a USING (pid) JOIN lade_node n ON a.application_name = 'lade/' || n.boot
WHERE l.locktype = 'advisory' AND NOT l.granted"""


def hold_lock(world):
    """A session that holds the trap shut until the world ends."""
    return world.hold("SELECT pg_advisory_lock(4711);", "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted")


def one_of_many(context):
    """The workers that run into one bucket's trap are killed from outside; the other buckets are loaded."""
    with context.world("postgresql", Stock(600, parents=False)) as world:
        world.change(TRAP.format(code=world.stock.key(1)))
        hold_lock(world)
        job = world.submit()
        workers = [world.start_worker(settings=SETTINGS) for _ in range(2)]

        def look():
            if trapped := world.value(TRAPPED) if world.has_tables() else None:
                pid = int(re.search(r"\((\d+)\)$", trapped)[1])
                for number, worker in enumerate(workers):
                    if worker.pid == pid and worker.is_running():
                        worker.kill()
                        context.survived()
                        workers[number] = world.start_worker(settings=SETTINGS)
            return world.is_finished(job)

        wait_until("the bucket is given up", look, pause=0.1)
        for worker in workers:
            worker.must_end_well()
        require_rest_loaded(world, job)


def require_rest_loaded(world, job):
    expected, table = world.stock.expected(), {row[0]: tuple(row) for row in world.database.read("stock", checks.HEADER)}
    missing = {code for code, row in expected.table.items() if table.get(code) != row}
    strange = {code for code, row in table.items() if row not in (expected.table.get(code), world.stock.existing().get(code))}
    if world.stock.key(1) not in missing or strange or not 0 < len(missing) < len(expected.written):
        raise Failure(f"{len(missing)} of {len(expected.written)} rows were not loaded; neither old nor new: {sorted(strange)[:5]}")
    counts = checks.counts_of(world.job(job))
    require_poisoned(world, job, counts["unprocessed"])
    if not len(missing) <= counts["unprocessed"] < len(world.stock.rows):
        raise Failure(f"{counts['unprocessed']} rows are unprocessed, but {len(missing)} were not loaded")


def scenarios(_):
    yield Scenario("poison/only bucket", only_bucket)
    for database in DATABASES:
        yield Scenario(f"poison/same command on {database}", lambda context, database=database: same_command(context, database))
    yield Scenario("poison/one of many buckets", one_of_many, needs_failpoints=False)
