"""Nobody dies, but an answer gets lost or a step fails: the process goes on by itself."""

from harness import checks
from harness.oracle import Stock
from harness.scenario import DATABASES, Scenario
from harness.world import Failure

PLACES = (("claim", 2), ("beat", 1), ("read", 3), ("stage", 2), ("load", 2), ("fence", 9), ("commit_sent", 9), ("commit_answered", 9),
          ("finalise", 3), ("conclude", 1))


def lost(context, database, failpoint, passage, code):
    """The connection is gone, it seems: after `commit_answered` the transaction is there all the same."""
    with context.world(database, Stock(600, judged=True)) as world:
        process = world.start_import(failpoints=f"{failpoint}=error:{code}@{passage}")
        process.wait()
        expected = world.stock.expected()
        checks.require(checks.differences_of_summary(world, process.summary, expected), process.output)
        checks.require_loaded(world, expected)
        used = world.value("SELECT coalesce(sum(attempts), 0) AS n FROM lade_task")
        if code == "db_lost" and used:
            raise Failure(f"the outage has cost {used} attempts")


def no_result_files(context, database):
    """What was loaded is not undone because a file cannot be written."""
    with context.world(database, Stock(600)) as world:
        process = world.start_import(failpoints="results=error:disk_full")
        process.wait()
        job = world.job()
        if job["state"] != "finished" or job["outcome"] != "succeeded" or not job["results_error"]:
            raise Failure(f"the job is {job['state']}, {job['outcome']}, results_error {job['results_error']!r}: {process.output}")
        expected = world.stock.expected()
        checks.require(checks.differences_of_target(world, expected.table, expected.written) +
                       checks.compare_counts("lade_job", checks.counts_of(job), expected.counts) +
                       checks.compare_issues(world, job, expected) + checks.compare_events(world, job, "completed"))


def scenarios(context):
    for database in DATABASES:
        for failpoint, passage in PLACES:
            for code in ("db_lost", "injected"):
                short = code == "db_lost" and (database == "postgresql" or failpoint in ("load", "commit_answered"))
                yield Scenario(f"answers/{database}/{failpoint}@{passage} {code}",
                               lambda context, values=(database, failpoint, passage, code): lost(context, *values), slow=not short)
        yield Scenario(f"answers/{database}/no result files", lambda context, database=database: no_result_files(context, database))
