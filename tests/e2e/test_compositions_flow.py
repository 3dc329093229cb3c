"""A manifest of web pages becomes reviewed records: each page is fetched and taken apart, names are resolved, people decide about those that are not
sure, and every record is in the table once, also when whoever works is killed. What was asked for is looked up in the site's own log.

1,240 pages are seed G's load test. Where processes are killed it is fewer, unless LADE_PAGES says otherwise; LADE_KILLS is how many die, LADE_SEED when."""

import collections
import importlib.util
import os
import random
import sys
import time

from harness import ROOT, OnServer, Process, Server, ServerTest

LOAD = 1240
PAGES = int(os.environ.get("LADE_PAGES", "150"))
KILLS = int(os.environ.get("LADE_KILLS", "3"))
SEED = int(os.environ.get("LADE_SEED", time.time()))
PACK = ROOT / "packs" / "compositions"
LIMITS = "per_host: {per_minute: 60, at_once: 5}\n    total: {per_minute: 120}\n    retries: 3"
AT_ONCE, PER_SECOND = 8, 100
QUICK = (f"per_host: {{per_minute: {60 * PER_SECOND}, at_once: {AT_ONCE}, burst: {AT_ONCE}}}\n    total: {{at_once: {AT_ONCE}}}\n"
         "    backoff: 0.1\n    retries: 20")
SETTINGS = {"QUEUE_HEARTBEAT_MS": "200", "QUEUE_VISIBILITY_MS": "3000", "QUEUE_MAX_CRASHES": "1000"}


def load_site():
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("composition_site", PACK / "site.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Flow(ServerTest):
    count = LOAD

    def setUp(self):
        module = load_site()
        self.pages = module.make_pages(self.count)
        self.decided = {}
        self.site = module.Site(self.pages).start()
        self.addCleanup(self.site.stop)
        self.allowed = ("--harvest-allow", "127.0.0.1", "--harvest-ports", str(self.site.server_address[1]))
        self.words = (*ServerTest.words, *self.allowed)
        super().setUp()
        self.reviewer = self.user("reviewer@example.com", "reviewer")

    def start(self, *words, port=0):
        if not words:
            self.check(self.lade("packs", "install", "compositions"))
            text = (PACK / "definitions" / "composition_pages.yaml").read_text(encoding="utf-8")
            self.assertIn(LIMITS, text)
            self.write("composition_pages.yaml", text.replace(LIMITS, QUICK))
            self.check(self.lade("definitions", "add", "composition_pages.yaml"))
        server = Server(self.folder, self.url, *(words or self.words), port=port, **SETTINGS)
        self.addCleanup(self.end, server)
        return server

    def first_question(self):
        return self.client.get(f"/api/v1/review?job={self.job}&limit=1").json()["items"]

    def questions(self):
        items, cursor = [], ""
        while cursor is not None:
            page = self.client.get(f"/api/v1/review?job={self.job}&limit=1000{cursor}").json()
            items += page["items"]
            cursor = f"&cursor={page['next']}" if page["next"] else None
        return items

    def compositions(self):
        rows = self.target("SELECT krithi_key, composer_id, raga_id, coalesce(temple_id, 0), source_url FROM composition")
        return {row[0]: row[1:] for row in rows}

    def decide_all(self):
        """As somebody who knows: by the truth about the row; nobody's name becomes a new composer. Gives how many decisions it took."""
        by_key = {page.key: page for page in self.pages}
        decisions = 0
        while items := self.first_question():
            item = items[0]
            page = by_key[item["record"]["krithi_key"]]
            entity = {"composer": page.composer, "raga": page.raga, "temple": page.temple}[item["table"]]
            self.assertTrue(item["source_url"].startswith(self.site.url), item)
            self.assertTrue(item["evidence_path"] and item["checksum"], item)
            if item["table"] == "composer" and page.stranger:
                body = {"decision": "create", "values": {"name": item["name"]}}
            else:
                body = {"decision": "pick", "entity": entity["id"]}
                # It holds for all rows with the name, also where "S. Sastri" is somebody else.
                self.decided[item["table"], item["name"].lower()] = entity["id"]
            answer = self.reviewer.post(f"/api/v1/review/{item['id']}", body | {"revision": item["revision"]})
            self.assertEqual(answer.status, 200, answer.body)
            decisions += 1
        return decisions

    def wait_until(self, condition, seconds=300):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, self.compositions())
            time.sleep(0.1)

    def failing(self):
        return [page for page in self.pages if not page.ends_well]

    def meant(self, table, name, entity):
        return self.decided.get((table, name.lower()), entity["id"])

    def check_loaded(self):
        """Each record once, and all of them true."""
        there = self.compositions()
        for page in self.pages:
            if page.ends_well:
                composer, raga, temple, url = there.pop(page.key)
                self.assertEqual(raga, self.meant("raga", page.written[1], page.raga), page.written)
                self.assertEqual(temple, self.meant("temple", page.written[2], page.temple) if page.temple else "0", page.written)
                if not page.stranger:
                    self.assertEqual(composer, self.meant("composer", page.written[0], page.composer), page.written)
                self.assertEqual(url, self.site.url + page.path)
        self.assertEqual(there, {})
        job = self.wait_for(self.job)
        self.assertEqual((job["status"], job["rows"]["inserted"], job["rows"]["failed"]),
                         ("succeeded", self.count - len(self.failing()), len(self.failing())))

    def check_requests(self):
        """By the site's own log: no page was asked for twice in an attempt, and no limit was exceeded."""
        tries = dict(self.target("SELECT page_key, tries FROM lade_page"))
        requests = list(self.site.requests)
        asked = collections.Counter(request["path"] for request in requests if request["path"] != "/robots.txt")
        for page in self.pages:
            for path in (path for path in (page.path, f"/krithi/{page.key}") if path in asked):
                self.assertLessEqual(asked[path], int(tries[page.key]), path)
        self.assertLessEqual(self.site.most_at_once, AT_ONCE)
        times = sorted(request["clock"] for request in requests)
        # Requests on their way come late: those of two processes at most, when one has just died.
        room = AT_ONCE + 2 * AT_ONCE
        for first, begin in enumerate(times):
            for last in range(first + room, len(times)):
                self.assertLessEqual(last - first + 1, room + (times[last] - begin) * PER_SECOND + 1, f"within {times[last] - begin:.3f} s")


class LoadTest(Flow):
    def test_from_manifest_to_reviewed_records(self):
        self.job = self.submit(self.site.manifest(), "composition_pages", name="manifest.csv")
        job = self.wait_for(self.job, seconds=600)
        self.assertEqual(job["status"], "succeeded", job)
        asked = {item["record"]["krithi_key"] for item in self.questions()}
        self.assertEqual(job["rows"]["read"], self.count)
        self.assertEqual(job["rows"]["failed"], len(self.failing()) + len(asked))
        self.assertEqual(asked & {page.key for page in self.failing()}, set(), "a page that failed asks nothing")
        codes = dict(self.target("SELECT p.page_key, min(i.code) FROM lade_page p JOIN lade_issue i ON i.job_id = p.job_id AND "
                                 "i.row_id = p.row_id WHERE i.severity = 'error' GROUP BY p.page_key"))
        self.assertEqual({page.key: codes.get(page.key) for page in self.failing()}, {page.key: page.truth()["error"] for page in self.failing()})
        self.assertTrue(asked)
        self.assertEqual(len(self.compositions()), self.count - len(self.failing()) - len(asked))
        blocked = lambda: {row[0] for row in self.target("SELECT page_key FROM lade_page WHERE status = 'blocked'")}
        self.assertEqual(blocked(), asked)
        self.assertEqual(self.target("SELECT DISTINCT error_code FROM lade_page WHERE status = 'blocked'"), [("resolution_failed",)])
        self.assertGreater(self.decide_all(), 0)
        self.wait_until(lambda: len(self.compositions()) == self.count - len(self.failing()))
        self.check_loaded()
        self.assertEqual(blocked(), set())
        self.check_requests()
        # A page that answered was not asked for again.
        answered = collections.Counter(request["path"] for request in self.site.requests if request["status"] == 200)
        self.assertEqual([path for path, times in answered.items() if times > 1], [])


class KilledTest(Flow):
    count = PAGES

    def prepare_to_kill(self):
        pass

    def kill_one(self, _):
        """The one process that there is, as if the machine had lost its power; it is started again."""
        self.server.kill()
        self.server = self.start(*self.words, port=self.server.port)
        for client in (self.client, self.reviewer):
            client.close()  # it connects again

    def test_killed_at_random(self):
        chance = random.Random(SEED)
        moments = sorted(chance.sample(range(AT_ONCE, self.count), KILLS))  # so many requests have come
        self.prepare_to_kill()
        self.job = self.submit(self.site.manifest(), "composition_pages", name="manifest.csv")
        for moment in moments:
            self.wait_until(lambda moment=moment: len(self.site.requests) >= moment)
            self.kill_one(chance)
        self.assertEqual(self.wait_for(self.job, seconds=900)["status"], "succeeded", f"seed {SEED}")
        self.assertGreater(self.decide_all(), 0)
        self.kill_one(chance)
        self.wait_until(lambda: len(self.compositions()) == self.count - len(self.failing()))
        self.check_loaded()
        self.check_requests()


class LoadTestOnServer(OnServer, LoadTest):
    pass


class KilledTestOnServer(OnServer, KilledTest):
    """Two workers beside a server that has none; whoever is hit is replaced."""

    def worker(self):
        process = Process(["worker", "--database", self.url, "--workers", "2", *self.allowed], self.folder, **SETTINGS)
        self.addCleanup(self.end, process)
        process.wait_for("working on")
        return process

    def prepare_to_kill(self):
        self.server.stop()
        self.server = self.start("--workers", "0", *self.allowed, port=self.server.port)
        for client in (self.client, self.reviewer):
            client.close()
        self.workers = [self.worker() for _ in range(2)]

    def kill_one(self, chance):
        victim = chance.randrange(2)
        self.workers[victim].kill()
        self.workers[victim] = self.worker()
