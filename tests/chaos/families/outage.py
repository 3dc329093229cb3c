"""(d) PostgreSQL is restarted, without a shutdown, while rows are loaded: imports and workers finish by themselves."""

from harness import checks
from harness.oracle import Stock
from harness.scenario import Scenario
from harness.server import OwnServer
from harness.world import Failure, wait_until

PAUSE = "load=pause:300"  # so that there is a middle of the load


def in_the_middle(world):
    """Some buckets are loaded, others are not."""
    wait_until("the first buckets are loaded", lambda: world.has_tables() and world.rows("SELECT 1 FROM lade_outcome"))
    if world.is_finished():
        raise Failure("the job ended before the server could be restarted")


def one_shot(context):
    with OwnServer() as server, context.world("postgresql", Stock(600), server.url) as world:
        process = world.start_import(failpoints=PAUSE)
        in_the_middle(world)
        server.restart()
        process.wait()
        checks.require(checks.differences_of_summary(world, process.summary, world.stock.expected()), process.output)
        checks.require_loaded(world)


def workers(context):
    with OwnServer() as server, context.world("postgresql", Stock(600), server.url) as world:
        job = world.submit()
        running = [world.start_worker(failpoints=PAUSE, threads=1) for _ in range(2)]
        in_the_middle(world)
        server.restart()
        world.wait_finished(job)
        for worker in running:
            if not worker.is_running():
                raise Failure(f"a worker has ended: {worker.output[-2000:]}")
            worker.must_end_well()
        checks.require_loaded(world, uuid=job)


def scenarios(_):
    yield Scenario("outage/one-shot import", one_shot)
    yield Scenario("outage/workers", workers)
