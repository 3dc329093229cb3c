"""(a) The process kills itself at a failpoint; the same command, or another worker, goes on. (e) The only process is killed at random
moments until the job is done."""

import gzip
import subprocess
import time

from harness import checks
from harness.oracle import Stock
from harness.scenario import DATABASES, Scenario
from harness.world import Failure, wait_until
from runner.forms import as_workbook

# Where a one-shot import passes, and a later passage that every import of STOCK reaches. Only a task that ends without publishing
# anything passes `complete`; the family of finalisers has one.
PASSAGES = {"claim": 4, "beat": 1, "read": 5, "stage": 3, "load": 3, "fence": 9, "commit_sent": 9, "commit_answered": 9, "finalise": 3,
            "results": 1, "conclude": 1}
LAST = "last"  # the passage at the job's end
SHORT_ONE_SHOT = [(name, passage) for name, passage in PASSAGES.items()] + [("commit_answered", LAST)]
SHORT_WORKERS = [("claim", 1), ("fence", 1), ("load", 2), ("commit_sent", 9), ("commit_answered", LAST), ("finalise", 3), ("conclude", 1)]


def stock():
    return Stock(600, judged=True)


def last_publication(world, planned: bool) -> int:
    """How many tasks a job of the world's stock has; each publishes once. A one-shot import plans before it has a job."""
    reference = world.start_import()
    reference.wait()
    count = world.value("SELECT count(*) AS n FROM lade_task")
    return count + (1 if planned else 0)


def passage_of(context, database, passage, planned=False) -> int:
    if passage != LAST:
        return passage
    with context.world(database, stock()) as world:
        return last_publication(world, planned)


def one_shot(context, database, failpoint, passage):
    """Killed, started again, compared with what had to come out."""
    number = passage_of(context, database, passage)
    with context.world(database, stock(), audited=number % 2 == 1) as world:
        world.start_import(failpoints=f"{failpoint}=kill@{number}").must_be_killed()
        context.survived()
        go_on(world)


def go_on(world):
    """The same command again. A job that had ended before the kill is not touched by it."""
    expected = world.stock.expected()
    was_finished = world.is_finished()
    job = world.job()
    process = world.resume()
    summary = process.summary
    if was_finished:
        again = world.stock.expected(expected.table)
        checks.require(checks.differences_of_summary(world, summary, again), process.output)
    else:
        if not summary.get("resumed") or summary["job_id"] != job["uuid"]:
            raise Failure(f"the command did not go on with job {job['uuid']}: {process.output}")
        checks.require(checks.differences_of_summary(world, summary, expected), process.output)
    checks.require_loaded(world, expected, job["uuid"])


def workers(context, failpoint, passage):
    """One worker is killed at its failpoint, another one finishes the job."""
    number = passage_of(context, "postgresql", passage, planned=True)
    with context.world("postgresql", stock()) as world:
        job = world.submit()
        world.start_worker(failpoints=f"{failpoint}=kill@{number}").must_be_killed()
        context.survived()
        other = world.start_worker()
        world.wait_finished(job)
        other.must_end_well()
        checks.require_loaded(world, uuid=job)


def workers_together(context, failpoint, passage):
    """Both work from the beginning; if the armed one gets so far, it dies in the middle of the other's work."""
    with context.world("postgresql", stock()) as world:
        job = world.submit()
        armed = world.start_worker(failpoints=f"{failpoint}=kill@{passage}")
        other = world.start_worker()
        world.wait_finished(job)
        other.must_end_well()
        if not armed.is_running():
            context.survived()
        checks.require_loaded(world, uuid=job)


def all_or_nothing(context, database, failpoint):
    """A load in one transaction that is killed in the middle has loaded nothing."""
    with context.world(database, Stock(600, at_once=True)) as world:
        world.start_import(failpoints=f"{failpoint}=kill@3").must_be_killed()
        context.survived()
        checks.require_nothing_loaded(world)
        go_on(world)


def compressed(context, database):
    """What had to be inflated lies in the storage; the same file again finds the job by its content."""
    with context.world(database, stock()) as world:
        path = world.folder / "stock.csv.gz"
        path.write_bytes(gzip.compress(world.file.read_bytes()))
        world.file = path
        world.start_import(failpoints="load=kill@3").must_be_killed()
        context.survived()
        path.touch()
        go_on(world)


def workbook(context, database):
    """The rows of the sheet lie in the storage."""
    with context.world(database, stock()) as world:
        path = world.folder / "stock.xlsx"
        path.write_bytes(as_workbook(world.file.read_bytes()))
        world.file = path
        world.start_import(failpoints="load=kill@3").must_be_killed()
        context.survived()
        go_on(world)


def workbook_between_workers(context):
    """One worker has planned the job and dies; the other one finds the rows of the sheet."""
    with context.world("postgresql", stock()) as world:
        path = world.folder / "stock.xlsx"
        path.write_bytes(as_workbook(world.file.read_bytes()))
        world.file = path
        job = world.submit()
        world.start_worker(failpoints="stage=kill@2").must_be_killed()
        context.survived()
        other = world.start_worker()
        world.wait_finished(job)
        other.must_end_well()
        checks.require_loaded(world, uuid=job)


def beside_a_worker(context):
    """A worker takes the tasks of a killed import away from it; the same command still goes on with the job."""
    with context.world("postgresql", stock()) as world:
        worker = world.start_worker()
        wait_until("the worker beats", lambda: world.has_tables() and world.rows("SELECT 1 FROM lade_node"))
        world.start_import(failpoints="load=kill@3").must_be_killed()
        context.survived()
        wait_until("the dead import is noticed", lambda: len(world.rows("SELECT 1 FROM lade_node")) == 1)
        go_on(world)
        worker.must_end_well()


def sweep(context, database, failpoint):
    """Kills at the first passage, the second, and so on until the import ends before it."""
    passage = 1
    while True:
        with context.world(database, stock(), audited=passage % 2 == 1) as world:
            process = world.start_import(failpoints=f"{failpoint}=kill@{passage}")
            if process.wait() >= 0:
                if passage == 1:
                    raise Failure(f"{failpoint} was never passed: {process.output}")
                return
            context.survived()
            go_on(world)
        passage += 1


def kill_until_finished(context, database, name):
    """(e) The delays are as random as the seed; each start gets at least as far as to resume, so that it comes to an end."""
    chance = context.random(name)
    with context.world(database, Stock(600 if not context.long else 3_000, judged=True)) as undisturbed:
        begin = time.monotonic()
        undisturbed.start_import().wait()
        usual = time.monotonic() - begin
    kills = 0
    with context.world(database, undisturbed.stock) as world:
        while not world.is_finished():
            # Three deaths of one task are its own fault, which another family tests: one that has died before is spared.
            spared = world.has_tables() and world.value("SELECT max(crashes) AS n FROM lade_task")
            process = world.start_import()
            try:
                process.process.wait(120 if spared else chance.uniform(0, 1.2 * usual))
            except subprocess.TimeoutExpired:
                process.kill()
                context.survived()
                kills += 1
            if kills > 200:
                raise Failure("not finished after 200 kills")
        context.note(f"{name}: finished after {kills} kills, an undisturbed run takes {usual:.2f} s")
        checks.require_loaded(world)


def scenarios(context):
    for database in DATABASES:
        for failpoint, passage in SHORT_ONE_SHOT:
            for number in dict.fromkeys((1, passage) if context.long else (passage,)):
                yield Scenario(f"kills/{database}/{failpoint}@{number}",
                               lambda context, values=(database, failpoint, number): one_shot(context, *values))
        for failpoint in ("claim", "read", "load", "fence", "commit_sent", "commit_answered", "finalise"):
            yield Scenario(f"kills/{database}/{failpoint} at every passage",
                           lambda context, values=(database, failpoint): sweep(context, *values), slow=True)
    for failpoint in PASSAGES if not context.long else ():
        if PASSAGES[failpoint] > 1:  # the first passages, on one database each
            database = DATABASES[list(PASSAGES).index(failpoint) % 2]
            yield Scenario(f"kills/{database}/{failpoint}@1",
                           lambda context, values=(database, failpoint, 1): one_shot(context, *values))
    chosen = SHORT_WORKERS if not context.long else [(name, number) for name, later in PASSAGES.items()
                                                     for number in dict.fromkeys((1, later))] + [("commit_answered", LAST)]
    for failpoint, passage in chosen:
        yield Scenario(f"kills/workers/{failpoint}@{passage}",
                       lambda context, values=(failpoint, passage): workers(context, *values))
    for failpoint in PASSAGES:
        for passage in range(1, 5):
            yield Scenario(f"kills/workers together/{failpoint}@{passage}",
                           lambda context, values=(failpoint, passage): workers_together(context, *values), slow=True)
    for database in DATABASES:
        for failpoint in ("load", "fence") if context.long else ("load",):
            yield Scenario(f"kills/{database}/all or nothing {failpoint}@3",
                           lambda context, values=(database, failpoint): all_or_nothing(context, *values))
        yield Scenario(f"kills/{database}/compressed load@3", lambda context, database=database: compressed(context, database))
        yield Scenario(f"kills/{database}/workbook load@3", lambda context, database=database: workbook(context, database))
        for number in range(1 if not context.long else 10):
            name = f"kills/{database}/at random moments {number + 1}"
            yield Scenario(name, lambda context, values=(database, name): kill_until_finished(context, *values),
                           needs_failpoints=False)
    yield Scenario("kills/workers/workbook stage@2", workbook_between_workers)
    yield Scenario("kills/postgresql/beside a worker", beside_a_worker)
