"""(j) Somebody reads in a loop while lists are replaced as a whole and workers are killed: what is read is one list or the next one."""

import hashlib
import pathlib
import sqlite3
import subprocess
import threading
import time

from harness.scenario import DATABASES, Scenario
from harness.world import QUICK, Failure, wait_until

PACK = pathlib.Path(__file__).resolve().parents[3] / "packs" / "price-lists"
SETS = {"versions": ("price_list_components", "price_list_component"),
        "plain": ("price_list_components_plain", "price_list_component_plain")}
PIECES = ("--chunk-bytes", "4000", "--bucket-bytes", "3000")
ITEMS = 40
HEADER = "Cat,Sel,Component Code,Description,Quantity,Unit,Unit Price\n"
END = "-- end of the answer --"


class Lists:
    """Takes the place of the harness' stock: editions of a list with `rows` components, each without some rows of the one before."""

    definition = "lade: 1\ndefinition: unused\ncolumns: {code: {from: code}}\nload: [{table: price_list, key: id}]\n"

    def __init__(self, rows):
        self.count = rows

    def text(self):
        return self.file(0)

    def schema(self, kind):
        items = ", ".join(f"({number}, 1, 'CAT', 'S{number}', 'item', 'EA', 1)" for number in range(1, ITEMS + 1))
        return ((PACK / f"schema.{kind}.sql").read_text() +
                "INSERT INTO price_list (id, kind, name, is_active) VALUES (1, 'GOLDEN', 'GOLDEN', true);\n"
                f"INSERT INTO price_list_item (id, price_list_id, cat, sel, description, unit, unit_price) VALUES {items};\n")

    def rows(self, edition):
        """(item, code, price in cents): a seventh is missing, another one in each edition; every price says its edition."""
        return [(1 + number % ITEMS, f"C{number:05}", 100 * number + edition) for number in range(self.count) if number % 7 != edition % 7]

    def file(self, edition):
        return HEADER + "".join(f'CAT,S{item},{code},edition {edition},1,EA,"${price // 100:,}.{price % 100:02}"\n'
                                for item, code, price in self.rows(edition))

    def fingerprint(self, edition):
        return fingerprint((item, code, str(price)) for item, code, price in self.rows(edition))


def fingerprint(rows):
    digest = hashlib.sha256()
    count = 0
    for row in sorted(f"{item}|{code}|{price}" for item, code, price in rows):
        digest.update(row.encode() + b"\n")
        count += 1
    return count, digest.hexdigest()


class Reader(threading.Thread):
    """Polls the table or view as any program would, on a connection of its own, and remembers what it has seen."""

    def __init__(self, world, table, known):
        super().__init__(daemon=True)
        self.world = world
        self.sql = f"SELECT item_id, component_code, CAST(round(unit_price * 100) AS integer) FROM {table}"
        self.known = known  # fingerprint -> edition
        self.ended = threading.Event()
        self.polls = 0
        self.seen = []  # editions in the order in which they appeared
        self.wrong = ""

    def run(self):
        read = self.from_server() if self.world.kind == "postgresql" else self.from_file()
        while not self.ended.is_set() and not self.wrong:
            try:
                found = fingerprint(next(read))
            except Exception as error:  # pylint: disable=broad-exception-caught
                self.wrong = f"a poll failed: {error!r}"
                return
            self.polls += 1
            edition = self.known.get(found)
            if edition is None:
                self.wrong = f"poll {self.polls} read {found[0]} rows that are no edition; before it editions {self.seen[-3:]}"
            elif not self.seen or self.seen[-1] != edition:
                self.seen.append(edition)
            time.sleep(0.002)
        read.close()

    def from_file(self):
        connection = sqlite3.connect(self.world.database.path, timeout=60, check_same_thread=False)
        try:
            while True:
                yield connection.execute(self.sql).fetchall()
        finally:
            connection.close()

    def from_server(self):
        session = subprocess.Popen(["psql", "-XqAt", self.world.database.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            while True:
                session.stdin.write(f"{self.sql};\n\\echo {END}\n")
                session.stdin.flush()
                yield [tuple(line.rstrip("\n").split("|")) for line in iter(session.stdout.readline, f"{END}\n")]
        finally:
            session.kill()
            session.communicate()

    def finish(self):
        self.ended.set()
        self.join(30)
        return self.wrong


class Hunt:
    """A worker at work; every now and then it is killed and replaced. SQLite has one process at a time, PostgreSQL two."""

    def __init__(self, context, name, world):
        self.context = context
        self.chance = context.random(name)
        self.world = world
        self.kills = 0
        self.workers = [self.start() for _ in range(2 if world.kind == "postgresql" else 1)]

    def start(self):
        return self.world.start_worker(settings=QUICK)

    def until_finished(self, job, kills):
        """Kills so many times while the job runs, at random moments after it was taken; then lets it end."""
        for _ in range(kills):
            wait_until("work on the job begins", lambda: self.world.rows(
                f"SELECT 1 FROM lade_job WHERE uuid = '{job}' AND state <> 'upload_completed'"))
            time.sleep(self.chance.uniform(0, 0.5))
            if self.world.is_finished(job):
                break
            victim = self.chance.randrange(len(self.workers))
            self.workers[victim].kill()
            self.kills += 1
            self.context.survived()
            self.workers[victim] = self.start()
        self.world.wait_finished(job, 300)
        found = self.world.job(job)
        if found["outcome"] != "succeeded":
            raise Failure(f"the job has ended as {found['outcome']}: {found['error_code']} {found['error']}")

    def end(self):
        for worker in self.workers:
            worker.must_end_well()


def replaced(context, name, database, form):
    """Edition after edition; the reader starts with the first one, which nobody disturbs."""
    imports, rows, kills = (20, 2_000, 3) if context.long else (3, 400, 1)
    definition, table = SETS[form]
    lists = Lists(rows)
    begin = time.monotonic()
    with context.world(database, lists) as world:
        world.definition = world.write("list.yaml", (PACK / "definitions" / f"{definition}.yaml").read_text())
        hunt = None

        def load(edition, kills):
            job = world.submit(file=world.write(f"edition_{edition}.csv", lists.file(edition)), pieces=PIECES)
            nonlocal hunt
            hunt = hunt or Hunt(context, name, world)
            hunt.until_finished(job, kills)

        load(0, 0)
        reader = Reader(world, table, {lists.fingerprint(edition): edition for edition in range(imports + 1)})
        reader.start()
        for edition in range(1, imports + 1):
            load(edition, kills)
            wait_until("the reader sees the edition or something wrong",
                       lambda edition=edition: reader.wrong or (reader.seen and reader.seen[-1] == edition))
            if reader.wrong:
                break
        wrong = reader.finish()
        if wrong:
            raise Failure(wrong)
        if reader.seen != list(range(imports + 1)):
            raise Failure(f"the reader saw the editions {reader.seen}")
        hunt.end()
    context.note(f"{name}: {reader.polls} polls during {imports} imports of about {rows * 6 // 7} rows and {hunt.kills} kills saw "
                 f"one edition each, in {time.monotonic() - begin:.0f} s")


def scenarios(_):
    for database in DATABASES:
        for form in SETS:
            name = f"readers/{database}/{form}"
            yield Scenario(name, lambda context, name=name, database=database, form=form: replaced(context, name, database, form),
                           needs_failpoints=False)
