"""What an import that waits for review will change, and that only that is loaded."""

from harness import HEADER, OnServer, ServerTest


class Diff(ServerTest):
    def setUp(self):
        super().setUp()
        self.wait_for(self.submit(HEADER + "a,first\nb,second\nc,third\n"))
        rows = "".join(f"n{number:03},new {number}\n" for number in range(120))
        self.job = self.submit(HEADER + "a,changed\nb,second\nc,changed\n,nameless\n" + rows, definition="reviewed")
        self.wait_for(self.job, "waiting_for_review")
        self.reviewer = self.user("reviewer@example.com", "reviewer")
        self.path = f"/api/v1/imports/{self.job}/diff"

    def page(self, query=""):
        answer = self.client.get(self.path + query)
        self.assertEqual(answer.status, 200, answer.body)
        return answer

    def test_the_import_tells_what_will_be_done(self):
        shown = self.client.get(f"/api/v1/imports/{self.job}").json()["comparison"]
        self.assertEqual(shown, {"insert": 120, "update": 2, "delete": 0, "unchanged": 1, "skip": 0, "fail": 1, "remove": 0})
        other = self.submit(HEADER + "z,last\n")
        self.wait_for(other)
        self.assertIsNone(self.client.get(f"/api/v1/imports/{other}").json()["comparison"])
        self.problem(self.client.get(f"/api/v1/imports/{other}/diff"), 422, "no_diff")

    def test_pages_and_filters(self):
        first = self.page("?limit=100")
        self.assertEqual(first.headers["ETag"], '"0"')
        page = first.json()
        self.assertEqual((page["revision"], page["matching"], page["counts"]), (0, 122, {"insert": 120, "update": 2, "remove": 0}))
        self.assertEqual(page["columns"]["name"], {"insert": 120, "update": 2, "remove": 0})
        rest = self.page(f"?limit=100&after={page['next']}").json()
        self.assertIsNone(rest["next"])
        keys = [record["key"]["code"] for record in page["items"] + rest["items"]]
        self.assertEqual(sorted(keys), sorted(["a", "c"] + [f"n{number:03}" for number in range(120)]))
        self.assertEqual(len(set(keys)), 122)
        updates = self.page("?kind=update").json()
        self.assertEqual(updates["matching"], 2)
        self.assertEqual(updates["items"][0], {"kind": "update", "table": "thing", "row": 1, "line": 2, "key": {"code": "a"},
                                               "cells": {"name": ["first", "changed"]}})
        self.assertEqual(self.page("?kind=update&column=code").json()["items"], [])
        self.assertEqual(self.page("?column=code&limit=1").json()["matching"], 120)
        for query, told in (("?kind=delete", "kind"), ("?limit=0", "limit"), ("?after=x", "after")):
            self.assertIn(told, self.problem(self.client.get(self.path + query), 400, "request_invalid")["detail"])

    def test_a_correction_changes_the_diff_and_its_revision(self):
        before = self.page().headers["ETag"]
        rows = f"/api/v1/imports/{self.job}/rows"
        self.assertEqual(self.client.request("PATCH", f"{rows}/4", {"values": {"Code": "b"}}).status, 200)
        after = self.page("?kind=update")
        self.assertNotEqual(after.headers["ETag"], before)
        self.assertEqual([record["key"]["code"] for record in after.json()["items"]], ["a", "b", "c"])
        stale = self.reviewer.post(f"/api/v1/imports/{self.job}/approve", **{"If-Match": before})
        self.problem(stale, 412, "revision_changed")

    def test_what_has_changed_since_is_not_loaded(self):
        self.wait_for(self.submit(HEADER + "a,meanwhile\n"))
        approved = self.reviewer.post(f"/api/v1/imports/{self.job}/approve", **{"If-Match": self.page().headers["ETag"]})
        self.assertEqual(approved.status, 202, approved.body)
        done = self.wait_for(self.job)
        self.assertEqual((done["status"], done["rows"]["failed"], done["rows"]["updated"]), ("succeeded", 2, 1))
        failed = self.client.get(f"/api/v1/imports/{self.job}/rows?issue=changed_since_review").json()["items"]
        self.assertEqual([row["row"] for row in failed], [1])
        self.assertIn("thing has for code = a has changed", failed[0]["message"])
        self.assertIn(("a", "meanwhile"), [tuple(row[:2]) for row in self.things()])

    def test_another_company_sees_nothing_of_it(self):
        self.check(self.lade("companies", "create", "other"))
        stranger = self.user("stranger@example.com", "admin", company="other")
        self.problem(stranger.get(self.path), 404, "job_not_found")


class DiffOnServer(OnServer, Diff):
    pass
