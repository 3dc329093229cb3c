"""(g) The database's clock jumps while workers work. The clock is a function of the test's own, found before the server's."""

from harness import checks
from harness.oracle import Stock
from harness.scenario import Scenario
from harness.session import Session
from harness.world import QUICK, Failure, wait_until

CLOCK = """\
CREATE TABLE clock_shift (by interval NOT NULL);
INSERT INTO clock_shift VALUES ('0');
CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
$$SELECT pg_catalog.clock_timestamp() + (SELECT by FROM clock_shift)$$;
"""
PAUSE = "read=pause:1500"  # several beats, outside of a transaction


def with_clock(context, stock):
    world = context.world("postgresql", stock)
    world.change(CLOCK)
    world.session.close()
    world.database.url = world.database.url.replace("%2Cpublic", "%2Cpg_catalog%2Cpublic")
    world.session = Session(world.database.url)
    return world


def jump(world, interval):
    world.change(f"UPDATE clock_shift SET by = by + '{interval}'")


def wait_for(world, kind):
    """Gives the node that works on such a task."""
    return wait_until(f"a task '{kind}' runs", lambda: world.has_tables() and world.value(
        f"SELECT node FROM lade_task WHERE kind = '{kind}' AND status = 'running'"))


def require_nobody_rescued(world):
    """Who was rescued runs alone afterwards."""
    rescued = world.rows("SELECT id, kind, epoch, crashes FROM lade_task WHERE alone OR crashes > 0")
    if rescued:
        raise Failure(f"tasks were taken from nodes that live: {rescued}")


def live_nodes(context, interval):
    with with_clock(context, Stock(600, parents=False)) as world:
        job = world.submit()
        workers = [world.start_worker(failpoints=PAUSE) for _ in range(2)]
        wait_for(world, "analyse")
        jump(world, interval)
        world.wait_finished(job)
        for worker in workers:
            worker.must_end_well()
        require_nobody_rescued(world)
        attempts = world.value("SELECT sum(attempts) AS n FROM lade_task")
        if attempts:
            raise Failure(f"the jump has cost {attempts} attempts")
        checks.require_loaded(world, uuid=job)


def dead_node(context, interval):
    """Who is dead is found out as quickly as ever."""
    with with_clock(context, Stock(600)) as world:
        job = world.submit()
        holder = world.start_worker(failpoints="load=pause:600000")
        boot = wait_for(world, "process")
        other = world.start_worker()
        wait_until("the other one beats", lambda: world.rows(f"SELECT 1 FROM lade_node WHERE boot <> '{boot}' AND beat > 1"))
        jump(world, interval)
        holder.kill()
        context.survived()
        wait_until("the dead node's tasks are free", lambda: not world.rows(
            f"SELECT 1 FROM lade_task WHERE status = 'running' AND node = '{boot}'"), 12)
        world.wait_finished(job)
        other.must_end_well()
        checks.require_loaded(world, uuid=job)


def waiting_retry(context):
    """A task that waits for its next attempt does not wait for hours because the clock was set back."""
    with with_clock(context, Stock(600)) as world:
        job = world.submit()
        worker = world.start_worker(failpoints="load=error:injected@1", settings=QUICK | {"BACKOFF_BASE": "3000"})
        wait_until("a task waits", lambda: world.has_tables() and world.rows(
            "SELECT 1 FROM lade_task WHERE kind = 'process' AND status = 'pending' AND attempts = 1"))
        jump(world, "-2 hours")
        world.wait_finished(job, 30)
        worker.must_end_well()
        checks.require_loaded(world, uuid=job)


def scenarios(_):
    for interval in ("2 hours", "-2 hours"):
        yield Scenario(f"clocks/live nodes, {interval}", lambda context, interval=interval: live_nodes(context, interval))
        yield Scenario(f"clocks/dead node, {interval}", lambda context, interval=interval: dead_node(context, interval))
    yield Scenario("clocks/waiting retry", waiting_retry)
