"""An undo is killed at a failpoint; the same command, or another worker, goes on. The tables are what they were before the import."""

from harness.oracle import Stock
from harness.scenario import DATABASES, Scenario
from harness.world import Failure

# Where an undo passes, and a later passage that every undo of STOCK reaches.
PASSAGES = {"claim": 3, "undo": 2, "undone": 3, "fence": 3, "commit_sent": 4, "commit_answered": 4, "finalise": 1, "undo_end": 1}
SHORT = ("undo", "undone", "commit_answered", "undo_end")


def dump(world):
    return [row for row in world.database.dump() if not row.startswith("stock_write: ")]


def start_undo(world, job, failpoints=""):
    return world.start("undo", job, "--output", "json", "--workers", 2, failpoints=failpoints)


def require(world, what, found, expected):
    if found != expected:
        raise Failure(f"{what}: {found} instead of {expected}\n{world.processes[-1].output[-2000:]}")


def require_undone(world, job, undo, before):
    """Exactly what was there before, each entry of the journal counted once, and both jobs say so."""
    lost = [row for row in before if row not in dump(world)]
    surplus = [row for row in dump(world) if row not in before]
    require(world, "rows that are missing and too many", (lost[:5], surplus[:5]), ([], []))
    row = world.job(undo)
    require(world, "the undo", (row["outcome"], row["rows_skipped"], row["rows_unprocessed"]), ("succeeded", 0, 0))
    accounted = sum(row[f"rows_{name}"] for name in ("inserted", "updated", "unchanged", "failed", "skipped", "unprocessed", "deleted"))
    require(world, "the sum of its rows", accounted, row["rows_read"])
    require(world, "the import", world.job(job)["outcome"], "undone")
    ended = world.value(f"SELECT count(*) AS n FROM lade_event WHERE kind = 'undone' AND job_id = {world.job(job)['id']}")
    require(world, "how often it was undone", ended, 1)


def imported(world):
    before = dump(world)
    process = world.start_import()
    process.wait()
    return before, process.summary["job_id"]


def undo_of(world):
    return world.value("SELECT uuid FROM lade_job WHERE undoes <> 0 ORDER BY id DESC LIMIT 1")


def one_shot(context, database, failpoint, passage):
    with context.world(database, Stock(600), audited=False) as world:
        before, job = imported(world)
        start_undo(world, job, f"{failpoint}=kill@{passage}").must_be_killed()
        context.survived()
        undo = undo_of(world)
        if not world.is_finished(undo):
            world.wait_until_sessions_end()
            again = start_undo(world, job)
            require(world, "exit code of the same command", again.wait(), 0)
            require(world, "the job it went on with", again.summary["job_id"], undo)
        require_undone(world, job, undo, before)


def workers(context, failpoint, passage):
    with context.world("postgresql", Stock(600), audited=False) as world:
        before, job = imported(world)
        process = world.start("undo", job, "--async", "--output", "json")
        require(world, "exit code of --async", process.wait(), 0)
        world.start_worker(failpoints=f"{failpoint}=kill@{passage}").must_be_killed()
        context.survived()
        other = world.start_worker()
        world.wait_finished(process.summary["job_id"])
        other.must_end_well()
        require_undone(world, job, process.summary["job_id"], before)


def scenarios(context):
    for failpoint, passage in PASSAGES.items():
        for database in DATABASES:
            yield Scenario(f"undos/{database}/{failpoint}@{passage}",
                           lambda context, values=(database, failpoint, passage): one_shot(context, *values),
                           slow=failpoint not in SHORT)
        yield Scenario(f"undos/workers/{failpoint}@{passage}",
                       lambda context, values=(failpoint, passage): workers(context, *values), slow=failpoint not in ("undo", "undone"))
