"""(b) Workers die at random moments and are replaced, while jobs go on. A dead node's tasks are free again within 12 s."""

import time

from harness import checks
from harness.oracle import Stock
from harness.scenario import Scenario
from harness.world import QUICK, Failure, wait_until

RESCUE_SECONDS = 12


class Storm:
    def __init__(self, context, name, world, workers, wanted, longest):
        self.context = context
        self.chance = context.random(name)
        self.world = world
        self.wanted = wanted
        self.longest = longest  # pause between two kills
        self.kills = 0
        self.workers = [world.start_worker() for _ in range(workers)]

    def is_over(self, jobs):
        return all(self.world.is_finished(job) for job in jobs)

    def rage(self, jobs):
        """Kills workers until the jobs have ended; with enough kills it lets them end."""
        while not self.is_over(jobs):
            if self.kills >= self.wanted:
                for job in jobs:
                    self.world.wait_finished(job, 600)
                return
            self.wait_for_next_kill(jobs)
            victim = self.chance.randrange(len(self.workers))
            if not self.workers[victim].is_running():
                raise Failure(f"a worker ended by itself: {self.workers[victim].output[-2000:]}")
            self.workers[victim].kill()
            self.kills += 1
            self.context.survived()
            self.workers[victim] = self.world.start_worker()

    def wait_for_next_kill(self, jobs):
        until = time.monotonic() + self.chance.uniform(0.2, self.longest)
        while time.monotonic() < until and not self.is_over(jobs):
            time.sleep(0.05)

    def end(self):
        for worker in self.workers:
            worker.must_end_well()


def storm(context, name):
    """A large and a small file at a time, edition after edition, until enough workers have died."""
    rows, rarity, workers, wanted, longest, pieces = (
        (1_000_000, 100, 4, 200, 2.0, ("--chunk-bytes", "125000", "--bucket-bytes", "100000")) if context.long else
        (2_000, 1, 3, 12, 1.0, ("--chunk-bytes", "4000", "--bucket-bytes", "5000")))
    begin = time.monotonic()
    with context.world("postgresql", Stock(rows, rarity=rarity)) as world:
        raging = Storm(context, name, world, workers, wanted, longest)
        tables, editions = [world.stock.existing(), {}], 0
        while raging.kills < wanted:
            stocks = [Stock(rows, rarity=rarity, edition=editions), Stock(300, prefix="L", edition=editions)]
            expected = [stock.expected(table) for stock, table in zip(stocks, tables)]
            jobs = [world.submit(pieces=pieces, file=world.write(f"{stock.prefix}_{editions}.csv", stock.text())) for stock in stocks]
            raging.rage(jobs)
            tables = [one.table for one in expected]
            checks.require(checks.differences_of_target(world, tables[0] | tables[1], expected[0].written | expected[1].written) +
                           [text for job, stock, one in zip(jobs, stocks, expected)
                            for text in checks.differences_of_job(world, stock, one, job)] + checks.compare_queue(world))
            world.change("TRUNCATE stock_write")
            editions += 1
        raging.end()
    context.note(f"{name}: {raging.kills} kills survived by {2 * editions} jobs, half of them of {rows} rows, in "
                 f"{time.monotonic() - begin:.0f} s")


def rescue(context):
    """With the settings as they are by default: a worker that holds a task dies, another one looks on."""
    with context.world("postgresql", Stock(300)) as world:
        job = world.submit()
        defaults = {"QUEUE_MAX_CRASHES": QUICK["QUEUE_MAX_CRASHES"]}
        holder = world.start_worker(failpoints="load=pause:600000", settings=defaults)
        held = "FROM lade_task WHERE status = 'running' AND kind = 'process'"
        boot = wait_until("the worker holds a bucket", lambda: world.has_tables() and world.value(f"SELECT node {held}"))
        observer = world.start_worker(settings=defaults)
        wait_until("the other one beats", lambda: world.rows(f"SELECT 1 FROM lade_node WHERE boot <> '{boot}' AND beat > 1"))
        holder.kill()
        context.survived()
        begin = time.monotonic()
        wait_until("its tasks are free", lambda: not world.rows(
            f"SELECT 1 FROM lade_task WHERE node = '{boot}' AND status = 'running'"), 60)
        seconds = time.monotonic() - begin
        context.note(f"storm/rescue: the tasks of a dead node were free after {seconds:.1f} s")
        if seconds > RESCUE_SECONDS:
            raise Failure(f"the tasks of a dead node were free only after {seconds:.1f} s")
        world.wait_finished(job)
        observer.must_end_well()
        checks.require_loaded(world, uuid=job)


def scenarios(context):
    yield Scenario("storm", lambda context: storm(context, "storm"), needs_failpoints=False, alone=context.long)
    yield Scenario("storm/rescue within 12 s", rescue, alone=True)
