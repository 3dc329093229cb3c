"""Columns of uploaded files, matched with a definition, saved and followed."""

import unittest

from harness import OnServer, ServerTest

CONTENT = b"Kode,Titles\na,first\n"


class Matching(ServerTest):
    def upload(self, content=CONTENT, name="titles.csv"):
        return self.client.upload("/api/v1/files", name, content).json()["file_id"]

    def match(self, file, **fields):
        answer = self.client.post("/api/v1/definitions/things/match", {"file_id": file, **fields})
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def kinds(self, found):
        return {one["data_column"]: (one["source_column"], one["kind"]) for one in found["matches"]}

    def test_what_is_saved_is_followed(self):
        file = self.upload()
        self.problem(self.client.post("/api/v1/imports", {"file_id": file}), 422, "definition_not_matched")
        found = self.match(file)
        self.assertEqual((found["complete"], found["saved"], found["version"]), (False, False, 1))
        self.assertEqual(self.kinds(found), {"name": ("Titles", "similar")})
        self.assertEqual([(one["data_column"], one["required"], one["similar"][0]["source_column"]) for one in found["missing"]],
                         [("code", True, "Kode")])
        saved = self.match(file, set=["Kode=code"], save=True)
        self.assertEqual((saved["complete"], saved["saved"]), (True, True))
        self.assertEqual(self.kinds(saved), {"code": ("Kode", "given"), "name": ("Titles", "similar")})
        self.assertEqual(self.kinds(self.match(file)), {"code": ("Kode", "remembered"), "name": ("Titles", "remembered")})
        # Without a definition the header's signature finds it, though another definition has the same columns.
        job = self.client.post("/api/v1/imports", {"file_id": file}).json()
        self.assertEqual(job["definition"], "things")
        self.assertEqual(self.wait_for(job["job_id"])["status"], "succeeded")
        self.assertEqual(self.things(), [("a", "first")])

    def test_a_definition_that_was_matched_is_not_ambiguous(self):
        file = self.upload(b"Code,Name\na,b\n")
        self.problem(self.client.post("/api/v1/imports", {"file_id": file}), 422, "definition_ambiguous")
        self.match(file, save=True)
        self.assertEqual(self.client.post("/api/v1/imports", {"file_id": file}).json()["definition"], "things")

    def test_the_command_says_the_same_here_and_there(self):
        self.write("titles.csv", CONTENT)
        there = {"LADE_SERVER": f"http://127.0.0.1:{self.server.port}", "LADE_TOKEN": self.admin.token}
        words = ("match", "titles.csv", "-d", "things", "--set", "Kode=code")
        self.assertEqual(self.run_lade(*words, **there), self.lade(*words))
        code, output = self.run_lade(*words, "--save", **there)
        self.assertEqual(code, 0, output)
        self.assertIn("saved: imports by things", output)
        self.assertIn("remembered", self.lade("match", "titles.csv", "-d", "things.yaml")[1])
        self.assertEqual(self.client.get("/api/v1/files").json()["items"], [])
        self.assert_refused(self.run_lade("match", "titles.csv", "-d", "things", "--set", "x=code", **there), 4, "match_invalid")
        self.assert_refused(self.run_lade("match", "titles.csv", "-d", "nothing", **there), 4, "definition_not_found")

    def test_faults(self):
        file = self.upload()
        address = "/api/v1/definitions/things/match"
        self.problem(self.client.post(address, {"file_id": "nothing"}), 404, "file_not_found")
        self.problem(self.client.post(address, {}), 400, "request_invalid")
        self.problem(self.client.post(address, {"file_id": file, "set": ["x=code"]}), 422, "match_invalid")
        self.problem(self.client.post("/api/v1/definitions/nothing/match", {"file_id": file}), 404, "definition_not_found")
        self.problem(self.user("viewer@example.com", "viewer").post(address, {"file_id": file}), 403, "not_allowed")

    def test_matches_belong_to_the_company(self):
        file = self.upload()
        self.match(file, set=["Kode=code"], save=True)
        self.check(self.lade("companies", "create", "other"))
        stranger = self.user("boss@other.example", "admin", company="other")
        text = (self.folder / "things.yaml").read_bytes()
        stranger.request("PUT", "/api/v1/definitions/things", text, {"Content-Type": "application/yaml"})
        theirs = stranger.upload("/api/v1/files", "titles.csv", CONTENT).json()["file_id"]
        found = stranger.post("/api/v1/definitions/things/match", {"file_id": theirs}).json()
        self.assertFalse(found["complete"])


class MatchingOnServer(OnServer, Matching):
    pass


if __name__ == "__main__":
    unittest.main()
