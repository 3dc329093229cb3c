"""(l) Whoever fetches pages is killed: the site's own log says that none was asked for twice in an attempt and that no limit was exceeded."""

import collections
import http.server
import pathlib
import sys
import textwrap
import threading
import time

from harness import checks
from harness.scenario import DATABASES, Scenario
from harness.world import QUICK, Failure

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "testing"))
from quiet_server import QuietServer  # noqa: E402  pylint: disable=wrong-import-position

PER_MINUTE, BURST, AT_ONCE = 6000, 4, 3
ON_THEIR_WAY = 2 * AT_ONCE  # requests that come late, of two processes at most when one has just died
PLACES = {"fetch_marked": 2, "fetch_ended": 3, "fetch_recorded": 2, "gathered": 1}


class Site:
    """Every page says its number; each seventh is there at the second time only, and number 9 never."""

    def __init__(self):
        self.lock = threading.Lock()
        self.log = []  # (path, time)
        self.now = self.most = 0
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                status, body = site.answer(self.path)
                self.send_response(status)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = QuietServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def answer(self, path):
        with self.lock:
            self.log.append((path, time.monotonic()))
            self.now += 1
            self.most = max(self.most, self.now)
            times = sum(1 for asked, _ in self.log if asked == path)
        time.sleep(0.005)  # so that requests could overlap
        with self.lock:
            self.now -= 1
        number = int(path[1:]) if path[1:].isdigit() else 0
        if number in (0, 9):
            return 404, b""
        if number % 7 == 0 and times == 1:
            return 503, b""
        return 200, f"<h1>Page {number}</h1>".encode()


class Manifest:
    """Takes the place of the harness' stock."""

    def __init__(self, site, rows, per_minute=PER_MINUTE):
        self.rows = rows
        self.per_minute = per_minute
        self.site = site
        self.definition = textwrap.dedent(f"""\
            lade: 1
            definition: pages
            steps:
              fetch: {{priority: 10, url: url, key: code, retries: 12, backoff: 0.05, total: {{at_once: {AT_ONCE}}},
                per_host: {{per_minute: {per_minute}, at_once: {AT_ONCE}, burst: {BURST}}}}}
              extract: {{priority: 20, fields: {{title: {{css: h1, required: true}}}}}}
            columns: {{code: {{type: integer}}, title: {{required: true}}}}
            load: [{{table: page, key: code, strategy: append}}]
            """)

    def text(self):
        return "code,url\n" + "".join(f"{number},http://127.0.0.1:{self.site.port}/{number}\n" for number in range(1, self.rows + 1))

    def schema(self, _):
        return "CREATE TABLE page (code integer, title text);\n"


def allowed(site):
    return "--harvest-allow", "127.0.0.1", "--harvest-ports", site.port


def require(world, site, manifest):
    told = []
    job = world.job()
    pages = world.rows("SELECT row_id, status, attempt, tries FROM lade_page ORDER BY row_id")
    asked = collections.Counter(path for path, _ in site.log)
    for page in pages:
        if asked[f"/{page['row_id']}"] > page["tries"]:
            told.append(f"page {page['row_id']} was asked for {asked[f'''/{page['row_id']}''']} times in {page['tries']} attempts")
    wanted = [(number, f"Page {number}") for number in range(1, manifest.rows + 1) if number != 9]
    there = sorted((row["code"], row["title"]) for row in world.rows("SELECT code, title FROM page"))
    if there != wanted:
        told.append(f"loaded: {len(there)} of {len(wanted)}; too many: {sorted(set(there) - set(wanted))[:5]}, "
                    f"missing: {sorted(set(wanted) - set(there))[:5]}")
    if job["outcome"] != "succeeded" or checks.counts_of(job)["failed"] != 1:
        told.append(f"the job has ended as {job['outcome']} {job['error']}: {checks.counts_of(job)}")
    if site.most > AT_ONCE:
        told.append(f"{site.most} requests at once")
    times = [moment for _, moment in site.log]
    for first, begin in enumerate(times):
        for last in range(first, len(times)):
            most = BURST + ON_THEIR_WAY + 1 + (times[last] - begin) * manifest.per_minute / 60
            if last - first + 1 > most:
                told.append(f"{last - first + 1} requests within {times[last] - begin:.3f} s")
                break
        if len(told) > 10:
            break
    if told:
        raise Failure("\n".join(told[:10]))


def one_shot(context, database, place, passage):
    with Site() as site:
        manifest = Manifest(site, 60)
        with context.world(database, manifest) as world:
            world.start_import(*allowed(site), failpoints=f"{place}=kill@{passage}").must_be_killed()
            context.survived()
            world.wait_until_sessions_end()
            again = world.start_import(*allowed(site))
            if again.wait() != 2:
                raise Failure(f"the same command: {again.output[-2000:]}")
            if not again.summary["resumed"]:
                raise Failure("it has begun anew")
            require(world, site, manifest)


def workers(context):
    """Two of them at a time; whoever lives is killed at random moments, and replaced. They could be faster than they may."""
    name = "pages/workers"
    rows, wanted = (1_500, 20) if context.long else (240, 4)
    chance = context.random(name)
    with Site() as site:
        manifest = Manifest(site, rows, per_minute=1_200)
        with context.world("postgresql", manifest) as world:
            job = world.submit(*allowed(site))
            living = [world.start_worker(*allowed(site), settings=QUICK) for _ in range(2)]
            kills = 0
            while not world.is_finished(job):
                time.sleep(chance.uniform(0.3, 1.0))
                if kills < wanted and any(path != "/robots.txt" for path, _ in site.log):
                    victim = chance.randrange(2)
                    living[victim].kill()
                    kills += 1
                    context.survived()
                    living[victim] = world.start_worker(*allowed(site), settings=QUICK)
            require(world, site, manifest)
            context.note(f"{name}: {kills} workers killed during {rows} pages, {len(site.log)} requests, at most {site.most} at once, "
                         f"{(len(site.log) - 1) / (site.log[-1][1] - site.log[0][1]):.1f} of {manifest.per_minute / 60:.0f} a second")


def scenarios(_):
    for database in DATABASES:
        for place, passage in PLACES.items():
            yield Scenario(f"pages/{database}/{place}@{passage}", lambda context, values=(database, place, passage): one_shot(
                context, *values))
    yield Scenario("pages/workers", workers, needs_failpoints=False)
