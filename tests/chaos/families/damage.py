"""(i) Files that vanish or change under a job, tasks that nobody knows, definitions that change meanwhile."""

import re

from harness import checks
from harness.oracle import Stock
from harness.scenario import Scenario
from harness.world import QUICK, Failure, wait_until

HELD = "load=pause:600000"


def flip_byte(path, place):
    """Another byte at `place` (a share of the file), everything else as it was."""
    content = bytearray(path.read_bytes())
    content[int(len(content) * place)] ^= 1
    path.write_bytes(content)


def require_failed(world, job, code, *texts):
    found = world.job(job)
    if found["outcome"] != "failed" or found["error_code"] != code or not all(text in found["error"] for text in texts):
        raise Failure(f"the job has ended as {found['outcome']}: {found['error_code']} {found['error']}; expected {code} with {texts}")
    checks.require(checks.compare_events(world, found, "failed"))


def damaged_upload(context, damage, code):
    with context.world("postgresql", Stock(300)) as world:
        job = world.submit()
        upload = world.value("SELECT uuid FROM lade_file WHERE purpose = 'upload'")
        damage(world.stored_file(upload))
        worker = world.start_worker()
        world.wait_finished(job)
        worker.must_end_well()
        require_failed(world, job, code, upload)
        checks.require_nothing_loaded(world)
        if world.rows("SELECT 1 FROM lade_segment") or world.rows("SELECT 1 FROM lade_outcome"):
            raise Failure("rows were staged although the file is not as it was stored")


def upload_changed_after_planning(context):
    """The checksum was right when the job was planned. Then a digit changes, so that the file can still be read, and the worker dies."""
    with context.world("postgresql", Stock(300, parents=False)) as world:
        job = world.submit()
        holder = world.start_worker(failpoints="read=pause:600000")
        wait_until("a chunk is held", lambda: world.has_tables() and world.rows(
            "SELECT 1 FROM lade_task WHERE kind = 'analyse' AND status = 'running'"))
        upload = world.stored_file(world.value("SELECT uuid FROM lade_file WHERE purpose = 'upload'"))
        flip_byte(upload, (upload.stat().st_size - 3) / upload.stat().st_size)  # "…,7,\n": the last digit
        holder.kill()
        context.survived()
        other = world.start_worker()
        world.wait_finished(job)
        other.must_end_well()
        require_failed(world, job, "stored_file_damaged", upload.name)
        checks.require_nothing_loaded(world)


def damaged_segment(context):
    """A worker holds the first bucket; every segment is damaged in its records; the worker dies; another one reads them again."""
    with context.world("postgresql", Stock(300, parents=False)) as world:
        job = world.submit(pieces=("--chunk-bytes", "2500", "--bucket-bytes", "100000000"))
        holder = world.start_worker(failpoints=HELD)
        wait_until("the bucket is held", lambda: world.has_tables() and world.rows(
            "SELECT 1 FROM lade_task WHERE kind = 'process' AND status = 'running'"))
        segments = world.rows("SELECT file_uuid FROM lade_segment")
        for segment in segments:
            flip_byte(world.stored_file(segment["file_uuid"]), 0.2)
        holder.kill()
        context.survived()
        other = world.start_worker()
        world.wait_finished(job)
        other.must_end_well()
        require_failed(world, job, "staging_damaged")
        checks.require_nothing_loaded(world)
        if not any(segment["file_uuid"] in world.job(job)["error"] for segment in segments):
            raise Failure(f"the error names no file: {world.job(job)['error']}")
        checks.require(checks.compare_counts("lade_job", checks.counts_of(world.job(job)), {}))


def unknown_kind(context):
    with context.world("postgresql", Stock(300)) as world:
        job = world.submit()
        task = int(world.database.run(
            "INSERT INTO lade_task (queue, kind, payload, priority, turn, storage, available_at, created_at) "
            "SELECT queue, 'from_the_future', '{}', priority, turn, storage, 0, created_at FROM lade_task LIMIT 1 RETURNING id;"))
        worker = world.start_worker(settings=QUICK)
        wait_until("the task is given up", lambda: world.rows(f"SELECT 1 FROM lade_dead_letter WHERE task_id = {task}"))
        world.wait_finished(job)
        worker.must_end_well()
        letters = world.rows("SELECT task_id, reason FROM lade_dead_letter")
        if letters != [{"task_id": task, "reason": "unknown_kind"}]:
            raise Failure(f"dead letters: {letters}")
        expected = world.stock.expected()
        checks.require(checks.differences_of_target(world, expected.table, expected.written))


def changed_definition(context):
    """A new version while the job is held: it goes on with the one that it began with, also in another process."""
    with context.world("postgresql", Stock(300)) as world:
        job = world.submit()
        holder = world.start_worker(failpoints=HELD)
        wait_until("a bucket is held", lambda: world.has_tables() and world.rows(
            "SELECT 1 FROM lade_task WHERE kind = 'process' AND status = 'running'"))
        changed = re.sub(r"name: \{from: name\}", 'name: {value: "of another version"}', world.stock.definition)
        added = world.start("definitions", "add", world.write("changed.yaml", changed))
        if added.wait() != 0:
            raise Failure(f"definitions add: {added.output}")
        if world.value("SELECT max(version) AS newest FROM lade_definition") != 2:
            raise Failure("the changed definition is no new version")
        holder.kill()
        context.survived()
        other = world.start_worker()
        world.wait_finished(job)
        other.must_end_well()
        checks.require_loaded(world, uuid=job)


def scenarios(_):
    yield Scenario("damage/upload gone",
                   lambda context: damaged_upload(context, lambda path: path.unlink(), "stored_file_missing"), needs_failpoints=False)
    yield Scenario("damage/upload changed",
                   lambda context: damaged_upload(context, lambda path: flip_byte(path, 0.5), "stored_file_damaged"),
                   needs_failpoints=False)
    yield Scenario("damage/upload changed after planning", upload_changed_after_planning)
    yield Scenario("damage/segments changed", damaged_segment)
    yield Scenario("damage/unknown kind", unknown_kind, needs_failpoints=False)
    yield Scenario("damage/definition changed", changed_definition)
