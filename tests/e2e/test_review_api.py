"""Names that nobody could say for sure whom they mean: asked for, decided, remembered, and their rows loaded."""

import threading
import time

from harness import OnServer, ServerTest

TABLES = ("CREATE TABLE composer (id integer PRIMARY KEY, name text NOT NULL, born integer)",
          "INSERT INTO composer VALUES (1, 'Tyāgarāja', 1767), (2, 'Muttusvāmi Dīkṣitar', 1775), (3, 'Anna Lee', NULL), (4, 'Anna-Lee', NULL)",
          "CREATE TABLE work (title text PRIMARY KEY, composer_id integer)")
WORKS = """\
lade: 1
definition: works
columns: {title: {from: Title}, composer: {from: Composer}}
steps:
  who:
    {kind: resolve, priority: 20, input: composer, table: composer, results: {composer_id: id},
     columns: {composer_id: {purpose: internal, type: integer}}}
load: [{table: work, key: title, columns: [title, composer_id]}]
"""
FILE = ("Title,Composer\nendaro,Tyagaraja\nvatapi,Muttuswami Dikshithar Iyer\nbatapi,MUTTUSWAMI dikshithar iyer\nsong,Anna Lee\n"
        "air,Johann Bach\n")


class Review(ServerTest):
    def setUp(self):
        super().setUp()
        for text in TABLES:
            self.target(text)
        self.write("works.yaml", WORKS)
        self.check(self.lade("definitions", "add", "works.yaml"))
        self.reviewer = self.user("reviewer@example.com", "reviewer")
        self.job = self.submit(FILE, "works")
        self.assertEqual(self.wait_for(self.job)["rows"]["failed"], 4)

    def questions(self, query=""):
        answer = self.client.get("/api/v1/review" + query)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()["items"]

    def question(self, name):
        return next(one for one in self.questions("?status=all") if one["name"] == name)

    def decide(self, item, client=None, **body):
        return (client or self.reviewer).post(f"/api/v1/review/{item['id']}", body)

    def works(self):
        return sorted(self.target("SELECT title, composer_id FROM work"))

    def wait_until(self, condition, seconds=180):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_a_decision_loads_the_rows_that_waited(self):
        first = self.questions()[0]
        self.assertEqual((first["name"], first["row"], first["record"]["title"], first["import"]["job_id"]),
                         ("Muttuswami Dikshithar Iyer", 2, "vatapi", self.job))
        self.assertEqual(first["candidates"][0]["id"], "2")
        answer = self.decide(first, decision="pick", entity="2", revision=first["revision"])
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual((answer.json()["decided_items"], answer.json()["imports_waiting"]), (2, 1))
        self.assertEqual(answer.json()["decision"]["decided_by"], "reviewer@example.com")
        self.wait_until(lambda: len(self.works()) == 3)
        self.wait_for(self.job)
        self.assertEqual(self.works(), [("batapi", "2"), ("endaro", "1"), ("vatapi", "2")])
        self.wait_until(lambda: self.question(first["name"])["sent"])
        self.problem(self.reviewer.post(f"/api/v1/review/{first['id']}/undo"), 409, "decision_sent")
        entry = next(one for one in self.admin.get("/api/v1/audit").json()["items"] if one["action"] == "review.decide")
        self.assertEqual((entry["data"]["name"], entry["data"]["entity"], entry["data"]["items"]), (first["name"], "2", 2))
        # It is remembered: the next file needs nobody.
        later = self.submit("Title,Composer\nlater,muttuswami dikshithar iyer\n", "works", name="later.csv")
        self.assertEqual(self.wait_for(later)["rows"]["inserted"], 1)

    def test_a_decision_is_taken_back(self):
        item = self.question("Johann Bach")
        self.problem(self.reviewer.post(f"/api/v1/review/{item['id']}/undo"), 409, "not_decided")
        self.assertEqual(self.decide(item, decision="reject").json()["status"], "decided")
        undone = self.reviewer.post(f"/api/v1/review/{item['id']}/undo").json()
        self.assertEqual((undone["status"], undone["decision"], undone["revision"]), ("open", None, item["revision"] + 2))

    def test_an_entity_is_created(self):
        item = self.question("Johann Bach")
        self.problem(self.decide(item, decision="create", values={"id": 9, "died": 1750}), 422, "entity_column_unknown")
        self.problem(self.decide(item, decision="create", values={"id": 1}), 422, "entity_refused")
        answer = self.decide(item, decision="create", values={"id": 9, "born": 1685})
        self.assertEqual((answer.status, answer.json()["decision"]["entity_name"]), (200, "Johann Bach"), answer.body)
        self.wait_until(lambda: ("air", "9") in self.works())
        self.assertEqual(self.target("SELECT name, born FROM composer WHERE id = 9"), [("Johann Bach", "1685")])

    def test_two_reviewers_at_once(self):
        """One wins; the others are told who has decided what."""
        item = self.question("Anna Lee")
        self.assertTrue(item["ambiguous"])
        people = [self.user(f"reviewer{i}@example.com", "reviewer") for i in range(4)]
        answers = []
        start = threading.Barrier(len(people))

        def one(client, entity):
            start.wait()
            answers.append((client, self.decide(item, client, decision="pick", entity=entity, revision=item["revision"])))

        threads = [threading.Thread(target=one, args=(client, "34"[i % 2])) for i, client in enumerate(people)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        won = [answer for _, answer in answers if answer.status == 200]
        self.assertEqual(len(won), 1, [answer.body for _, answer in answers])
        winner = won[0].json()["decision"]
        for _, answer in answers:
            if answer.status != 200:
                told = self.problem(answer, 409, "already_decided")
                self.assertIn(winner["decided_by"], told["detail"])
                self.assertEqual(told["item"]["decision"]["entity"], winner["entity"])
        self.wait_until(lambda: ("song", winner["entity"]) in self.works())

    def test_lists_are_filtered_and_paged(self):
        self.assertEqual([one["name"] for one in self.questions("?confidence=high")], ["Anna Lee"])
        self.assertEqual([one["name"] for one in self.questions("?confidence=low&table=composer")], ["Johann Bach"])
        self.assertEqual(self.questions("?table=raga"), [])
        self.assertEqual(len(self.questions(f"?job={self.job}&min=70")), 3)
        page = self.client.get("/api/v1/review?limit=3").json()
        rest = self.client.get(f"/api/v1/review?limit=3&cursor={page['next']}").json()
        self.assertEqual((len(page["items"]), len(rest["items"]), rest["next"]), (3, 1, None))
        self.problem(self.client.get("/api/v1/review?confidence=odd"), 400, "request_invalid")
        self.problem(self.client.get("/api/v1/review?job=none"), 404, "job_not_found")

    def test_the_best_candidates_are_accepted_in_bulk(self):
        count = self.reviewer.post("/api/v1/review/bulk", {"min_confidence": 70, "dry_run": True, "filter": {"table": "composer"}}).json()
        self.assertEqual((count["items"], count["names"], count["ambiguous"], count["decided"]), (3, 2, 1, 0))
        done = self.reviewer.post("/api/v1/review/bulk", {"min_confidence": 70, "filter": {"table": "composer"}}).json()
        self.assertEqual((done["decided"], done["imports_waiting"]), (2, 1))
        self.wait_until(lambda: len(self.works()) == 3)
        self.problem(self.reviewer.post("/api/v1/review/bulk", {}), 400, "request_invalid")
        self.problem(self.reviewer.post("/api/v1/review/bulk", {"min_confidence": 70, "filter": {"odd": 1}}), 400, "option_unknown")

    def test_who_may_see_and_decide(self):
        item = self.question("Johann Bach")
        self.problem(self.decide(item, self.client, decision="reject"), 403, "not_allowed")
        viewer = self.user("viewer@example.com", "viewer")
        self.assertEqual(viewer.get(f"/api/v1/review/{item['id']}").json()["name"], "Johann Bach")
        self.check(self.lade("companies", "create", "second"))
        stranger = self.user("boss@second.example", "admin", company="second")
        self.problem(stranger.get(f"/api/v1/review/{item['id']}"), 404, "review_item_not_found")
        self.problem(self.decide(item, stranger, decision="reject"), 404, "review_item_not_found")
        self.assertEqual(stranger.get("/api/v1/review?status=all").json()["items"], [])
        self.problem(self.client.get("/api/v1/review/9999999"), 404, "review_item_not_found")

    def test_what_is_no_decision(self):
        item = self.question("Johann Bach")
        self.problem(self.decide(item, decision="maybe"), 400, "request_invalid")
        self.problem(self.decide(item, decision="pick"), 400, "request_invalid")
        self.problem(self.decide(item, decision="reject", entity="1"), 400, "request_invalid")
        self.problem(self.decide(item, decision="pick", entity="77"), 404, "entity_not_found")
        self.problem(self.decide(item, decision="create", values={"name": ["a"]}), 400, "request_invalid")
        self.assertEqual(self.question("Johann Bach")["revision"], item["revision"])


    def test_nobody_is_known_yet(self):
        """The table of entities is empty: every name is asked for, none fails for good, and the first one that is created serves the others."""
        self.target("CREATE TABLE author (id integer PRIMARY KEY, name text NOT NULL)")
        text = WORKS.replace("definition: works", "definition: books").replace("table: composer,", "table: author,")
        self.write("books.yaml", text)
        self.check(self.lade("definitions", "add", "books.yaml"))
        job = self.submit("Title,Composer\none,Anna Lee\ntwo,anna lee\nthree,Johann Bach\n", "books", name="books.csv")
        found = self.wait_for(job)
        self.assertEqual((found["status"], found["rows"]["failed"]), ("succeeded", 3))
        items = self.questions(f"?job={job}")
        self.assertEqual([(one["name"], one["tier"], one["candidates"]) for one in items],
                         [("Anna Lee", "blocked", []), ("anna lee", "blocked", []), ("Johann Bach", "blocked", [])])
        self.problem(self.decide(items[0], decision="pick", entity="1"), 404, "entity_not_found")
        done = self.decide(items[0], decision="create", values={"id": 1})
        self.assertEqual((done.status, done.json()["decided_items"]), (200, 2), done.body)
        self.wait_until(lambda: self.works() == [("endaro", "1"), ("one", "1"), ("two", "1")])
        self.assertEqual([one["name"] for one in self.questions(f"?job={job}")], ["Johann Bach"])


class ReviewOnServer(OnServer, Review):
    pass
