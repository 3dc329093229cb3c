"""(d) PostgreSQL is restarted, without a shutdown, while rows are loaded: imports and workers finish by themselves."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from harness import checks
from harness.oracle import Stock
from harness.scenario import Scenario
from harness.world import Failure, wait_until
from runner.databases import Server

PAUSE = "load=pause:300"  # so that there is a middle of the load


class OwnServer(Server):
    """A server that may be restarted: what it has committed it keeps. Its commits need not survive the machine."""

    SETTINGS = "-c fsync=off -c max_connections=60"

    def __init__(self, script):
        self.folder = tempfile.mkdtemp(prefix="lade_pg_", dir="/tmp")
        super().__init__(script, self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def restart(self):
        control = pathlib.Path("/usr/lib/postgresql/15/bin/pg_ctl")
        program = str(control) if control.exists() else shutil.which("pg_ctl")
        user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        subprocess.run([*user, program, "-D", f"{self.folder}/data", "-m", "immediate", "-w", "-l", f"{self.folder}/log", "restart"],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, cwd="/")


def in_the_middle(world):
    """Some buckets are loaded, others are not."""
    wait_until("the first buckets are loaded", lambda: world.has_tables() and world.rows("SELECT 1 FROM lade_outcome"))
    if world.is_finished():
        raise Failure("the job ended before the server could be restarted")


def one_shot(context):
    with OwnServer(context.script) as server, context.world("postgresql", Stock(600), server.url) as world:
        process = world.start_import(failpoints=PAUSE)
        in_the_middle(world)
        server.restart()
        process.wait()
        checks.require(checks.differences_of_summary(world, process.summary, world.stock.expected()), process.output)
        checks.require_loaded(world)


def workers(context):
    with OwnServer(context.script) as server, context.world("postgresql", Stock(600), server.url) as world:
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
