"""Imports that are prepared step by step: drafts, and what a person chooses for one file."""

import unittest

from harness import HEADER, OnServer, ServerTest

CHOSEN = """lade: 1
definition: chosen
columns:
  code: {from: code, required: true}
  name: {from: name, values: {kg: kilogram, l: litre}}
load:
  - {table: thing, key: [code]}
"""


class Drafts(ServerTest):
    def store(self, content, name="units.csv", client=None):
        answer = (client or self.client).upload("/api/v1/files", name, content.encode())
        self.assertEqual(answer.status, 201, answer.body)
        return answer.json()["file_id"]

    def draft(self, **fields):
        answer = self.client.post("/api/v1/drafts", fields)
        self.assertEqual(answer.status, 201, answer.body)
        return answer

    def save(self, draft, tag, client=None, **fields):
        headers = {"If-Match": tag} if tag else {}
        return (client or self.client).request("PUT", f"/api/v1/drafts/{draft}", fields, headers)

    def test_a_draft_goes_on_where_it_was(self):
        file = self.store(HEADER + "a,first\n", name="prices.csv")
        made = self.draft(file_id=file)
        draft = made.json()["draft_id"]
        self.assertEqual((made.json()["name"], made.json()["step"], made.json()["file"]["file_id"]), ("prices.csv", "file", file))
        saved = self.save(draft, made.headers["ETag"], file_id=file, step="match", definition="things", read={"delimiter": ";"},
                          mapping={"code": "code", "name": None}, values={"name": {"x": {"use": "y"}, "z": {"fail": True}}})
        self.assertEqual((saved.status, saved.json()["version"]), (200, 2))
        again = self.client.get(f"/api/v1/drafts/{draft}")
        self.assertEqual(again.json(), saved.json())
        self.assertEqual(again.json()["mapping"], {"code": "code", "name": None})
        late = self.save(draft, made.headers["ETag"], step="read")
        self.problem(late, 412, "revision_changed")
        self.problem(self.save(draft, None, step="read"), 428, "precondition_required")
        self.assertEqual([one["draft_id"] for one in self.client.get("/api/v1/drafts").json()["items"]], [draft])
        self.assertEqual(self.client.request("DELETE", f"/api/v1/drafts/{draft}").status, 204)
        self.assertEqual(self.client.get("/api/v1/drafts").json()["items"], [])
        self.assertEqual(self.client.get(f"/api/v1/files/{file}").status, 200)

    def test_drafts_are_their_owners(self):
        made = self.draft(name="mine")
        draft, tag = made.json()["draft_id"], made.headers["ETag"]
        self.problem(self.admin.get(f"/api/v1/drafts/{draft}"), 404, "draft_not_found")
        self.problem(self.save(draft, tag, client=self.admin), 404, "draft_not_found")
        self.problem(self.admin.request("DELETE", f"/api/v1/drafts/{draft}"), 404, "draft_not_found")
        self.problem(self.admin.post("/api/v1/imports", {"draft_id": draft}), 404, "draft_not_found")
        self.assertEqual(self.admin.get("/api/v1/drafts").json()["items"], [])

    def test_what_a_draft_says_is_checked(self):
        self.problem(self.client.post("/api/v1/drafts", {"step": "fifth"}), 400, "request_invalid")
        self.problem(self.client.post("/api/v1/drafts", {"mapping": []}), 400, "request_invalid")
        self.problem(self.client.post("/api/v1/drafts", {"file_id": "nothing"}), 404, "file_not_found")
        self.problem(self.client.post("/api/v1/drafts", {"colour": "red"}), 400, "option_unknown")
        self.problem(self.client.post("/api/v1/drafts", {"read": {"x": "y" * 300_000}}), 413, "body_too_large")
        self.problem(self.client.post("/api/v1/imports", {"draft_id": self.draft().json()["draft_id"]}), 400, "request_invalid")
        for _ in range(99):
            self.draft(name="one of many")
        self.problem(self.client.post("/api/v1/drafts", {"name": "the last straw"}), 422, "too_many_drafts")

    def test_an_import_follows_its_draft_and_ends_it(self):
        self.write("chosen.yaml", CHOSEN)
        self.check(self.lade("definitions", "add", "chosen.yaml"))
        file = self.store("Nr;Einheit;name\na;Kilo;x\nb;l;x\nc;Pfund;x\nd;?;x\n")
        made = self.draft(file_id=file, definition="chosen", step="preview", read={"delimiter": ";"}, mapping={"code": "Nr", "name": "Einheit"},
                          values={"name": {"Kilo": {"use": "kg"}, "?": {"empty": True}, "Pfund": {"fail": True}}})
        answer = self.client.post("/api/v1/imports", {"draft_id": made.json()["draft_id"]})
        self.assertEqual(answer.status, 202, answer.body)
        self.problem(self.client.get(f"/api/v1/drafts/{made.json()['draft_id']}"), 404, "draft_not_found")
        job = self.wait_for(answer.json()["job_id"], "waiting_for_review")
        self.assertEqual((job["comparison"]["insert"], job["comparison"]["fail"]), (3, 1))
        reviewer = self.user("reviewer@example.com", "reviewer")
        approved = reviewer.post(f"/api/v1/imports/{job['job_id']}/approve", {"revision": job["review_revision"]})
        self.assertEqual(approved.status, 202, approved.body)
        self.wait_for(job["job_id"], "succeeded")
        self.assertEqual([(code, name) for code, name in self.things() if code in "abcd"][:2], [("a", "kilogram"), ("b", "litre")])

    def test_an_import_is_prepared_again_with_its_corrections(self):
        self.write("chosen.yaml", CHOSEN)
        self.check(self.lade("definitions", "add", "chosen.yaml"))
        file = self.store("Nr;Einheit;name\na;Kilo;x\n;l;x\n")
        chosen = {"read": {"delimiter": ";"}, "mapping": {"code": "Nr", "name": "Einheit"}, "values": {"name": {"Kilo": {"use": "kg"}}}}
        first = self.client.post("/api/v1/imports", {"draft_id": self.draft(file_id=file, definition="chosen", **chosen).json()["draft_id"]}).json()["job_id"]
        self.assertIsNone(self.wait_for(first, "waiting_for_review")["takes_over"])
        self.assertIsNone(self.client.post("/api/v1/drafts", {"import": first}).json()["corrections"])
        self.assertEqual(self.client.request("PATCH", f"/api/v1/imports/{first}/rows/2", {"values": {"Nr": "b"}}).status, 200)
        made = self.draft(**{"import": first})
        again = made.json()
        self.assertEqual({name: again[name] for name in chosen}, chosen)
        self.assertEqual((again["name"], again["file_id"], again["definition"], again["step"]), ("units.csv", file, "chosen", "match"))
        self.assertEqual(again["corrections"], {"import": first, "rows": 1})
        # Saving keeps them, for the same file.
        saved = self.save(again["draft_id"], made.headers["ETag"], file_id=file, definition="chosen", **chosen)
        self.assertEqual(saved.json()["corrections"], {"import": first, "rows": 1})
        other = self.save(again["draft_id"], saved.headers["ETag"], file_id=self.store("Nr;Einheit;name\nz;l;x\n"), definition="chosen", **chosen)
        self.assertIsNone(other.json()["corrections"])
        draft = self.draft(**{"import": first}).json()["draft_id"]
        self.assertIn(self.client.post(f"/api/v1/imports/{first}/cancel").status, (200, 202))
        second = self.client.post("/api/v1/imports", {"draft_id": draft}).json()["job_id"]
        waits = self.wait_for(second, "waiting_for_review")
        self.assertEqual((waits["takes_over"], waits["comparison"]["fail"]), ({"import": first, "rows": 1}, 1))
        # Those that are not taken over yet come along when it is prepared once more; a clone begins without.
        self.assertEqual(self.client.post("/api/v1/drafts", {"import": second}).json()["corrections"], {"import": first, "rows": 1})
        clone = self.client.post(f"/api/v1/imports/{second}/clone", {"force": True}).json()["job_id"]
        self.assertIsNone(self.wait_for(clone, "waiting_for_review")["takes_over"])
        self.assertEqual(self.client.post(f"/api/v1/imports/{second}/rows/take-over", {"from": first}).json(), {"rows": 1, "revision": 1})
        shown = self.client.get(f"/api/v1/imports/{second}").json()
        self.assertEqual((shown["takes_over"], shown["comparison"]["fail"]), (None, 0))
        self.assertEqual(self.client.post("/api/v1/drafts", {"import": second}).json()["corrections"], {"import": second, "rows": 1})
        self.problem(self.client.post("/api/v1/drafts", {"import": "nobody"}), 404, "job_not_found")
        self.problem(self.client.post("/api/v1/drafts", {"import": second, "name": "other"}), 400, "option_unknown")
        self.problem(self.client.post("/api/v1/drafts", {"import": second, "step": "fifth"}), 400, "request_invalid")

    def test_a_clone_waits_for_review_when_asked_to(self):
        job = self.submit(HEADER + "a,first\n")
        self.wait_for(job, "succeeded")
        clone = self.client.post(f"/api/v1/imports/{job}/clone", {"review": "always"})
        self.assertEqual(clone.status, 202, clone.body)
        self.assertEqual(self.wait_for(clone.json()["job_id"], "waiting_for_review")["comparison"]["unchanged"], 1)
        self.problem(self.client.post(f"/api/v1/imports/{job}/clone", {"force": True, "review": "perhaps"}), 400, "choice_invalid")

    def test_choices_of_an_import_beat_what_was_remembered(self):
        file = self.store("code,name,other\na,first,second\n")
        matched = self.client.post("/api/v1/definitions/things/match", {"file_id": file, "set": ["name=name"], "save": True})
        self.assertEqual(matched.status, 200, matched.body)
        answer = self.client.post("/api/v1/imports", {"file_id": file, "definition": "things", "mapping": {"name": "other"}})
        self.assertEqual(answer.status, 202, answer.body)
        self.wait_for(answer.json()["job_id"], "succeeded")
        self.assertIn(("a", "second"), self.things())

    def test_choices_must_fit_the_definition(self):
        file = self.store(HEADER + "a,first\n")
        for wrong in ({"mapping": {"colour": "x"}}, {"mapping": {"code": None}}, {"mapping": {"code": 7}}, {"values": {"name": {"x": 1}}},
                      {"values": {"name": []}}, {"values": {"code": {"x": {"empty": True}}}}, {"review": "perhaps"}):
            answer = self.client.post("/api/v1/imports", {"file_id": file, "definition": "things", **wrong})
            self.problem(answer, 400, "choice_invalid")


class DraftsOnServer(OnServer, Drafts):
    pass


if __name__ == "__main__":
    unittest.main()
