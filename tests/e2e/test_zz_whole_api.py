"""The description of the API is whole. Named so that it runs after the others: what they used is compared with it."""

import unittest

from harness import SEEN, ServerTest


class OpenApi(ServerTest):
    def test_definitions_are_stored_checked_and_listed(self):
        text = (self.folder / "things.yaml").read_bytes()
        same = self.admin.request("PUT", "/api/v1/definitions/things", text, {"Content-Type": "application/yaml"})
        self.assertEqual((same.status, same.json()["version"]), (200, 1))
        changed = self.admin.request("PUT", "/api/v1/definitions/things", text + b"# more\n", {"If-Match": same.headers["ETag"]})
        self.assertEqual((changed.status, changed.json()["version"]), (201, 2))
        late = self.admin.request("PUT", "/api/v1/definitions/things", text + b"# late\n", {"If-Match": same.headers["ETag"]})
        self.problem(late, 412, "revision_changed")
        self.assertEqual([one["version"] for one in self.client.get("/api/v1/definitions/things/versions").json()["items"]], [2, 1])
        self.assertEqual(self.client.get("/api/v1/definitions/things?version=1").json()["text"].encode(), text)
        self.assertEqual([one["slug"] for one in self.client.get("/api/v1/definitions").json()["items"]], ["reviewed", "things"])
        faults = self.problem(self.admin.request("PUT", "/api/v1/definitions/things", b"lade: 1\n"), 422, "definition_invalid")["faults"]
        self.assertTrue(faults)
        checked = self.client.post("/api/v1/definitions/validate", b"lade: 1\nnonsense: 2\n").json()
        self.assertEqual(checked["valid"], False)
        self.assertIn("properties", self.client.get("/api/v1/definitions-schema").json())
        self.problem(self.client.request("PUT", "/api/v1/definitions/things", text), 403, "not_allowed")
        self.problem(self.admin.request("PUT", "/api/v1/definitions/other", text), 400, "request_invalid")

    def test_the_instance_is_administered_from_above(self):
        self.check(self.lade("users", "set", "admin@example.com", "--instance-admin"))
        company = self.admin.post("/api/v1/companies", {"slug": "third", "admin": "boss@third.example"})
        self.assertEqual(company.status, 201, company.body)
        self.assertIn("third", [one["slug"] for one in self.admin.get("/api/v1/companies").json()["items"]])
        self.assertEqual(self.client.get("/api/v1/company").json()["slug"], "default")
        for action, paused in (("pause", True), ("resume", False)):
            self.assertEqual(self.admin.post(f"/api/v1/queues/default/{action}").json(), {"queue": "default", "paused": paused})
        limited = self.admin.post("/api/v1/queues/prices/limit", {"concurrency": 2})
        self.assertEqual(limited.json(), {"queue": "prices", "concurrency": 2})
        self.assertEqual(self.admin.get("/api/v1/queues").json()["items"],
                         [{"scope": "queue", "name": "prices", "paused": False, "concurrency": 2}])
        self.assertEqual(self.admin.post("/api/v1/queues/prices/limit", {"concurrency": 0}).json()["concurrency"], 0)
        self.assertEqual(self.admin.get("/api/v1/queues").json()["items"], [])
        self.problem(self.admin.post("/api/v1/queues/prices/limit", {"concurrency": -1}), 400, "request_invalid")

    def test_zz_every_operation_was_used(self):
        """Runs last; only meaningful when all tests of the folder ran in one process."""
        if len(SEEN) < 20:
            raise unittest.SkipTest("the other tests did not run in this process")
        described = {operation["operationId"] for operations in self.description.document["paths"].values() for operation in operations.values()}
        self.assertEqual(described - SEEN, set())
