"""A manifest of web pages becomes reviewed records: each page is fetched and taken apart, names are resolved, people decide about those that are not
sure, and every record is in the table once. LADE_PAGES=1240 is the size of seed G's load test; here it is smaller."""

import collections
import http.client
import importlib.util
import os
import sys
import time

from harness import ROOT, OnServer, ServerTest

PAGES = int(os.environ.get("LADE_PAGES", "150"))
PACK = ROOT / "packs" / "compositions"
LIMITS = "per_host: {per_minute: 60, at_once: 5}\n    total: {per_minute: 120}"
AT_ONCE = 8
QUICK = f"per_host: {{per_minute: 0, at_once: {AT_ONCE}}}\n    total: {{at_once: {AT_ONCE}}}\n    backoff: 0.1"


def load_site():
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("composition_site", PACK / "site.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class CompositionsFlow(ServerTest):
    def setUp(self):
        module = load_site()
        self.pages = module.make_pages(PAGES)
        self.decided = {}
        self.site = module.Site(self.pages).start()
        self.addCleanup(self.site.stop)
        self.words = (*ServerTest.words, "--harvest-allow", "127.0.0.1", "--harvest-ports", str(self.site.server_address[1]))
        super().setUp()

    def start(self, *words, port=0):
        if not words:
            self.check(self.lade("packs", "install", "compositions"))
            text = (PACK / "definitions" / "composition_pages.yaml").read_text(encoding="utf-8")
            self.assertIn(LIMITS, text)
            self.write("composition_pages.yaml", text.replace(LIMITS, QUICK))
            self.check(self.lade("definitions", "add", "composition_pages.yaml"))
        return super().start(*words, port=port)

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

    def decide_all(self, reviewer):
        """As somebody who knows: by the truth about the row; nobody's name becomes a new composer. Gives how many decisions it took."""
        by_key = {page.key: page for page in self.pages}
        decisions = 0
        while items := self.questions():
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
            answer = reviewer.post(f"/api/v1/review/{item['id']}", body | {"revision": item["revision"]})
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
                         ("succeeded", PAGES - len(self.failing()), len(self.failing())))

    def test_from_manifest_to_reviewed_records(self):
        reviewer = self.user("reviewer@example.com", "reviewer")
        self.job = self.submit(self.site.manifest(), "composition_pages", name="manifest.csv")
        job = self.wait_for(self.job, seconds=600)
        self.assertEqual(job["status"], "succeeded", job)
        asked = {item["record"]["krithi_key"] for item in self.questions()}
        self.assertEqual(job["rows"]["read"], PAGES)
        self.assertEqual(job["rows"]["failed"], len(self.failing()) + len(asked))
        self.assertEqual(asked & {page.key for page in self.failing()}, set(), "a page that failed asks nothing")
        self.assertTrue(asked)
        self.assertEqual(len(self.compositions()), PAGES - len(self.failing()) - len(asked))
        blocked = lambda: {row[0] for row in self.target("SELECT page_key FROM lade_page WHERE status = 'blocked'")}
        self.assertEqual(blocked(), asked)
        self.assertGreater(self.decide_all(reviewer), 0)
        self.wait_until(lambda: len(self.compositions()) == PAGES - len(self.failing()))
        self.check_loaded()
        self.assertEqual(blocked(), set())
        # A page that answered was not asked for again.
        answered = collections.Counter(request["path"] for request in self.site.requests if request["status"] == 200)
        self.assertEqual([path for path, times in answered.items() if times > 1], [])

    def restart(self):
        """As if the machine had lost its power."""
        port = self.server.port
        self.server.kill()
        self.server = self.start(*self.words, port=port)

    def ask_again(self, act):
        """The connection was cut with the server."""
        try:
            return act()
        except (http.client.HTTPException, OSError):
            return act()

    def test_killed_meanwhile(self):
        reviewer = self.user("reviewer@example.com", "reviewer")
        self.job = self.submit(self.site.manifest(), "composition_pages", name="manifest.csv")
        self.wait_until(lambda: len(self.site.requests) > PAGES // 3)
        self.restart()
        self.ask_again(lambda: self.client.get(f"/api/v1/imports/{self.job}"))
        self.wait_for(self.job, seconds=600)
        self.ask_again(lambda: reviewer.get("/api/v1/review"))
        self.assertGreater(self.decide_all(reviewer), 0)
        self.restart()
        self.ask_again(lambda: self.client.get(f"/api/v1/imports/{self.job}"))
        self.wait_until(lambda: len(self.compositions()) == PAGES - len(self.failing()))
        self.check_loaded()


class CompositionsFlowOnServer(OnServer, CompositionsFlow):
    pass
