"""(f) Two finalisers of one stage: the job ends once."""

from harness import checks
from harness.oracle import Stock
from harness.scenario import Scenario
from harness.world import QUICK, Failure, wait_until

COLUMNS = "queue, kind, group_id, payload, priority, turn, storage, essential, available_at, created_at"


def insert_twin(world, kind: str) -> int:
    """A second task like the newest of this kind, as if two had thought that it was their turn. Gives its id."""
    newest = f"SELECT {COLUMNS} FROM lade_task WHERE kind = '{kind}' ORDER BY id DESC LIMIT 1"
    return int(world.database.run(f"INSERT INTO lade_task ({COLUMNS}) {newest} RETURNING id;"))


def wait_at_the_end(world):
    return wait_until("the job is being ended", lambda: world.has_tables() and world.value(
        "SELECT id FROM lade_task WHERE kind = 'finalise' AND status = 'running'"))


def wait_idle(world):
    wait_until("all tasks have ended",
               lambda: not world.rows("SELECT 1 FROM lade_task WHERE status IN ('pending', 'running')"))


def stock():
    return Stock(300, parents=False)  # without orphans the first `finalise` is the last


def twins(context, kind):
    with context.world("postgresql", stock()) as world:
        job = world.submit()
        workers = [world.start_worker(failpoints="results=pause:1500") for _ in range(2)]
        wait_at_the_end(world)
        insert_twin(world, kind)
        world.wait_finished(job)
        wait_idle(world)
        insert_twin(world, kind)  # and a late one
        wait_idle(world)
        for worker in workers:
            worker.must_end_well()
        checks.require_loaded(world, uuid=job)


def both_in_office(context):
    """The stage itself names the second one while the first is at work: only the fence and the job's state are left."""
    with context.world("postgresql", stock()) as world:
        job = world.submit()
        workers = [world.start_worker(failpoints="results=pause:1500") for _ in range(2)]
        first = wait_at_the_end(world)
        second = insert_twin(world, "finalise")
        world.change(f"UPDATE lade_stage SET finaliser = {second} WHERE finaliser = {first}")
        world.wait_finished(job)
        wait_idle(world)
        for worker in workers:
            worker.must_end_well()
        found = world.job(job)
        if found["outcome"] != "succeeded":
            raise Failure(f"the job has ended as {found['outcome']}: {found['error_code']} {found['error']}")
        expected = world.stock.expected()
        checks.require(checks.differences_of_target(world, expected.table, expected.written) +
                       checks.compare_counts("lade_job", checks.counts_of(found), expected.counts) +
                       checks.compare_events(world, found, "completed") + checks.compare_result_files(world, found, world.stock, expected))


def killed_at_complete(context):
    """A finaliser that has nothing to do ends by a plain completion; there its process is killed."""
    with context.world("postgresql", stock()) as world:
        job = world.submit()
        armed = world.start_worker(failpoints="results=pause:1500;complete=kill@1")
        wait_at_the_end(world)
        insert_twin(world, "finalise")
        armed.must_be_killed()
        context.survived()
        other = world.start_worker(settings=QUICK)
        world.wait_finished(job)
        wait_idle(world)
        other.must_end_well()
        checks.require_loaded(world, uuid=job)


def scenarios(_):
    for kind in ("finalise", "judge"):
        yield Scenario(f"finalisers/a second {kind}", lambda context, kind=kind: twins(context, kind))
    yield Scenario("finalisers/both in office", both_in_office)
    yield Scenario("finalisers/kills/complete@1", killed_at_complete)
