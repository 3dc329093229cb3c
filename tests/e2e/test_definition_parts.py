"""Definitions made of steps: read in their parts, changed by patches, kept while they have faults."""

import json
import unittest

from harness import OnServer, ServerTest

UNITS = """lade: 1
definition: units
mode: legal_unit
strategy: insert_or_update
valid_time_from: source_columns
steps:
  valid_time: {priority: 10, columns: {valid_from: {type: date}, valid_to: {type: date}}}
  external_idents: {priority: 15, columns: {tax_ident: {identifying: true}}}
  legal_unit: {priority: 20, kind: table, columns: {name: {required: true}, country: {value: NO}}}
"""


class DefinitionParts(ServerTest):
    def put(self, text, slug="units", query=""):
        return self.admin.request("PUT", f"/api/v1/definitions/{slug}{query}", text.encode(), {"Content-Type": "application/yaml"})

    def patch(self, changes, slug="units", query="", **headers):
        return self.admin.request("PATCH", f"/api/v1/definitions/{slug}{query}", json.dumps(changes).encode(),
                                  {"Content-Type": "application/merge-patch+json", **headers})

    def items(self, part):
        return self.client.get(f"/api/v1/definitions/units/{part}").json()["items"]

    def test_a_definition_is_read_in_its_parts(self):
        stored = self.put(UNITS).json()
        self.assertEqual((stored["mode"], stored["valid_time_from"], stored["valid"]), ("legal_unit", "source_columns", True))
        self.assertEqual([(step["code"], step["priority"], step["kind"]) for step in self.items("steps")],
                         [("valid_time", 10, "valid_time"), ("external_idents", 15, "external_idents"), ("legal_unit", 20, "table")])
        columns = {column["column_name"]: column for column in self.items("data-columns")}
        self.assertEqual([columns[name]["purpose"] for name in ("tax_ident", "derived_valid_from", "state")],
                         ["source_input", "internal", "metadata"])
        self.assertEqual((columns["tax_ident"]["is_uniquely_identifying"], columns["tax_ident"]["step_code"]), (True, "external_idents"))
        self.assertEqual([column["column_name"] for column in self.items("source-columns")], ["valid_from", "valid_to", "tax_ident", "name"])
        self.assertEqual(self.items("mappings")[-1]["mapping"]["source_value"], "NO")
        self.problem(self.client.get("/api/v1/definitions/none/steps"), 404, "definition_not_found")

    def test_a_patch_is_the_next_version(self):
        stored = self.put(UNITS)
        patched = self.patch({"steps": {"legal_unit": {"priority": 25, "name": "Core"}}, "note": "x"}, **{"If-Match": stored.headers["ETag"]})
        self.assertEqual((patched.status, patched.json()["version"], patched.json()["note"]), (201, 2, "x"))
        self.assertEqual([(step["name"], step["priority"]) for step in self.items("steps")][-1], ("Core", 25))
        self.problem(self.patch({"note": "late"}, **{"If-Match": stored.headers["ETag"]}), 412, "revision_changed")
        self.problem(self.patch([1]), 400, "patch_invalid")
        self.problem(self.patch({"definition": "other"}), 400, "request_invalid")
        self.problem(self.patch({}, slug="none"), 404, "definition_not_found")

    def test_one_with_faults_is_stored_as_a_draft_only(self):
        self.put(UNITS)
        faults = self.problem(self.patch({"mode": None}), 422, "definition_invalid")["faults"]
        self.assertIn("key 'mode' is missing", faults[0]["message"])
        draft = self.patch({"mode": None}, query="?draft=true")
        self.assertEqual((draft.status, draft.json()["version"], draft.json()["valid"]), (201, 2, False))
        self.assertIn("key 'mode' is missing", draft.json()["validation_error"])
        self.problem(self.client.post("/api/v1/imports", {"definition": "units"}), 422, "definition_invalid")
        healed = self.patch({"mode": "legal_unit"}).json()
        self.assertEqual((healed["version"], healed["valid"]), (3, True))

    def test_steps_are_shared_by_definitions(self):
        self.put(UNITS)
        other = UNITS.replace("definition: units", "definition: others")
        self.problem(self.put(other.replace("priority: 20", "priority: 30"), slug="others"), 422, "step_conflict")
        self.assertEqual(self.put(other, slug="others").status, 201)

    def test_the_command_says_the_same_here_and_there(self):
        self.put(UNITS)
        there = {"LADE_SERVER": f"http://127.0.0.1:{self.server.port}", "LADE_TOKEN": self.admin.token}
        for part in ("steps", "columns", "mappings"):
            code, output = self.run_lade("definitions", part, "units", **there)
            self.assertEqual((code, output), self.lade("definitions", part, "units"))
            self.assertIn("legal_unit" if part != "mappings" else "tax_ident", output)
        words = ("definitions", "edit", "units", "--set", "steps.legal_unit.priority=22", "--set", "note=by hand")
        self.assertEqual(self.run_lade(*words, **there), (0, "units version 2\n"))
        self.assertEqual(self.items("steps")[-1]["priority"], 22)
        self.assertEqual(self.lade("definitions", "edit", "units", "--set", "note=null"), (0, "units version 3\n"))
        self.assert_refused(self.run_lade("definitions", "edit", "units", "--set", "mode=none", **there), 4, "definition_invalid")

    def test_an_import_keeps_its_definition(self):
        job = self.submit()
        snapshot = self.client.get(f"/api/v1/imports/{job}/definition-snapshot").json()
        self.assertEqual(snapshot["import_definition"]["slug"], "things")
        self.assertEqual(snapshot["import_source_column_list"][0]["column_name"], "Code")
        code, output = self.lade("jobs", "show", job, "--snapshot")
        self.assertEqual((code, json.loads(output)), (0, snapshot))


class DefinitionPartsOnServer(OnServer, DefinitionParts):
    pass


if __name__ == "__main__":
    unittest.main()
