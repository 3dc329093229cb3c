"""What the dashboard asks for: pages of the program itself, how a file is read, rows with their cells, charts, live lists, operations."""

import re
import threading
import time
import unittest

from harness import HEADER, OnServer, ServerTest, Stream

UNITS = """lade: 1
definition: units
review: always
columns:
  code: {from: Code, required: true}
  name: {from: Name, values: {kg: kilogram, l: litre}}
load:
  - {table: thing, key: [code]}
"""


class Screens(ServerTest):
    def stored(self, content, name="list.csv"):
        answer = self.client.upload("/api/v1/files", name, content)
        self.assertEqual(answer.status, 201, answer.body)
        return answer.json()["file_id"]

    def waiting(self, content, definition="reviewed"):
        job = self.submit(content, definition=definition)
        self.wait_for(job, "waiting_for_review")
        return job

    def grid(self, job, query=""):
        answer = self.client.get(f"/api/v1/imports/{job}/grid{query}")
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()


class Dashboard(Screens):
    def test_the_program_serves_a_page_for_every_address_that_is_not_the_apis(self):
        first, second = (self.connect().get(path, Accept="text/html") for path in ("/", "/imports/some/rows?state=failed"))
        for page in (first, second):
            self.assertEqual((page.status, page.headers.get_content_type()), (200, "text/html"))
            policy = page.headers["Content-Security-Policy"]
            self.assertIn("frame-ancestors 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertNotIn(b"__CSP_NONCE__", page.body)
        self.assertNotEqual(first.headers["Content-Security-Policy"], second.headers["Content-Security-Policy"])
        self.problem(self.connect().get("/api/v1/nothing", Accept="text/html"), 404, "route_not_found")
        self.problem(self.connect().get("/assets/nothing.js"), 404, "route_not_found")
        self.problem(self.connect().request("POST", "/imports", b""), 404, "route_not_found")
        for script in re.findall(rb'src="(/assets/[^"]+\.js)"', first.body):  # when it was built with a dashboard
            plain = self.connect().get(script.decode())
            packed = self.connect().get(script.decode(), **{"Accept-Encoding": "gzip"})
            self.assertEqual((plain.status, packed.headers["Content-Encoding"]), (200, "gzip"))
            self.assertIn("immutable", packed.headers["Cache-Control"])
            known = self.connect().get(script.decode(), **{"If-None-Match": packed.headers["ETag"]})
            self.assertEqual((known.status, known.body), (304, b""))

    def test_who_asks_is_told_what_they_may(self):
        me = self.client.get("/api/v1/me").json()
        self.assertEqual((me["user"], me["role"], me["roles"]), ("operator@example.com", "operator", ["viewer", "operator"]))
        self.assertEqual(me["company"]["slug"], "default")
        self.assertIn("imports.create", me["may"])
        self.assertNotIn("imports.approve", me["may"])
        self.assertNotIn("queues.change", self.admin.get("/api/v1/me").json()["may"])
        self.problem(self.connect().get("/api/v1/me"), 401, "not_authenticated")

    def test_how_a_file_is_read_can_be_tried_out(self):
        text = "Liste der Dinge\n\nCode;Name\n" + "".join(f"{n};Stück {n}\n" for n in range(200)) + "7;a;b\n"
        file = self.stored(text.encode("cp1252"))
        found = self.client.get(f"/api/v1/files/{file}/sniff?rows=0").json()
        settings = {one["name"]: one for one in found["settings"]}
        self.assertEqual((settings["encoding"]["value"], settings["delimiter"]["value"]), ("windows-1252", ";"))
        self.assertTrue(settings["encoding"]["evidence"])
        self.assertFalse(settings["encoding"]["given"])
        self.assertEqual([line["kind"] for line in found["lines"][:3]], ["above", "header", "data"])
        self.assertEqual((len(found["lines"]), found["total"]["rows"], found["total"]["odd"], found["column_evidence"]), (20, 201, 1, []))
        odd = self.client.get(f"/api/v1/files/{file}/sniff?rows=0&at=odd").json()["lines"]
        self.assertEqual([(line["line"], line["cells"]) for line in odd], [(204, ["7", "a", "b"])])
        end = self.client.get(f"/api/v1/files/{file}/sniff?rows=0&at=end").json()["lines"]
        self.assertEqual(end[-2]["cells"], ["199", "Stück 199"])
        other = self.client.get(f"/api/v1/files/{file}/sniff?rows=0&delimiter=,&header_row=3&encoding=iso-8859-1").json()
        settings = {one["name"]: one for one in other["settings"]}
        self.assertTrue(settings["delimiter"]["given"] and settings["header_row"]["given"])
        self.assertEqual(other["lines"][1]["cells"], ["Code;Name"])
        self.problem(self.client.get(f"/api/v1/files/{file}/sniff?at=above"), 400, "request_invalid")

    def test_a_known_file_names_its_imports(self):
        job = self.wait_for(self.submit())
        file = self.client.get(f"/api/v1/files/{job['file_id']}").json()
        again = self.client.get(f"/api/v1/files?sha256={file['sha256']}&imports=true").json()["items"]
        self.assertEqual([[one["job_id"] for one in found["imports"]] for found in again], [[job["job_id"]]])
        self.assertNotIn("imports", self.client.get(f"/api/v1/files?sha256={file['sha256']}").json()["items"][0])

    def test_columns_are_matched_with_what_the_file_has_in_them(self):
        self.write("units.yaml", UNITS)
        self.check(self.lade("definitions", "add", "units.yaml"))
        file = self.stored(b"Code;Nmae;Extra\na;kg;1\nb;kgg;2\nc;kgg;3\nd;;4\n")
        wish = {"file_id": file, "detail": True, "source": {"delimiter": ";"}}
        found = self.client.post("/api/v1/definitions/units/match", wish).json()
        code, name = found["targets"]
        self.assertEqual((code["match"]["kind"], code["required"], code["samples"][:2], code["cells"]), ("exact", True, ["a", "b"], 4))
        self.assertEqual(name["candidates"][0]["source_column"], "Nmae")
        chosen = self.client.post("/api/v1/definitions/units/match", {**wish, "set": ["Nmae=name"]}).json()["targets"][1]
        self.assertEqual((chosen["match"]["kind"], chosen["blank"]), ("given", 1))
        values = chosen["values"]
        self.assertEqual((values["kind"], values["total"], values["rows_open"], values["accepted"]), ("enum", 2, 2, ["kg", "l"]))
        self.assertEqual(values["items"], [{"text": "kgg", "rows": 2, "target": None, "similar": "kg"},
                                           {"text": "kg", "rows": 1, "target": "kilogram", "similar": None}])
        self.assertEqual([one["used_for"] for one in found["sources"]][2], [])
        self.assertNotIn("targets", self.client.post("/api/v1/definitions/units/match", {"file_id": file}).json())

    def test_values_of_a_lookup_are_those_of_its_table(self):
        self.run_sql("CREATE TABLE unit (id integer PRIMARY KEY, short text)")
        self.run_sql("INSERT INTO unit VALUES (1, 'kg'), (2, 'litre')")
        self.write("priced.yaml", """lade: 1
definition: priced
columns:
  code: {from: Code, required: true}
  unit: {from: Unit}
  name: {lookup: {table: unit, match: {unit: short}, take: short}}
load:
  - {table: thing, key: [code], columns: {code: code, name: name}}
""")
        self.check(self.lade("definitions", "add", "priced.yaml"))
        file = self.stored(b"Code,Unit\na,kg\nb,liter\n")
        found = self.client.post("/api/v1/definitions/priced/match", {"file_id": file, "detail": True}).json()
        values = {one["data_column"]: one["values"] for one in found["targets"]}["unit"]
        self.assertEqual((values["kind"], values["accepted"]), ("lookup", ["kg", "litre"]))
        self.assertEqual(values["items"][0], {"text": "liter", "rows": 1, "target": None, "similar": "litre"})
        # Of a large table those are told that the file has.
        series = "WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 6000) SELECT i, 'unit ' || i FROM n"
        self.run_sql(f"INSERT INTO unit {series}")
        file = self.stored("Code,Unit\na,kg\nb,unit 5999\nc,unit 6001\nd,\"x\0y\"\n".encode())
        found = self.client.post("/api/v1/definitions/priced/match", {"file_id": file, "detail": True}).json()
        values = {one["data_column"]: one["values"] for one in found["targets"]}["unit"]
        self.assertEqual(values["accepted"], ["kg", "unit 5999"])
        self.assertEqual({one["text"]: one["target"] for one in values["items"]}["unit 6001"], None)

    def run_sql(self, text):
        if hasattr(self, "query"):
            self.query(text)
        else:
            self.sql(text)


class DashboardOnServer(OnServer, Dashboard):
    pass


class Rows(Screens):
    def setUp(self):
        super().setUp()
        self.wait_for(self.submit(HEADER + "c1,old\nc2,name 2\n"))
        lines = "".join(f"c{n},name {n}\n" if n % 7 else f",name {n}\n" for n in range(1, 501))
        self.job = self.waiting(HEADER + lines)
        self.path = f"/api/v1/imports/{self.job}"

    def test_any_place_of_the_rows_can_be_asked_for(self):
        page = self.grid(self.job, "?from=480&limit=50")
        self.assertEqual((page["rows_total"], page["matching"], len(page["items"])), (500, 500, 20))
        self.assertEqual((page["items"][0]["row"], page["items"][0]["line"], page["items"][0]["index"]), (481, 482, 480))
        self.assertEqual(page["items"][1]["values"], ["c482", "name 482"])
        self.assertEqual([(one["source"], one["data"], one["key"]) for one in page["columns"]], [("Code", ["code"], True), ("Name", ["name"], False)])
        self.assertEqual(self.grid(self.job, "?row=300&limit=1")["items"][0]["row"], 300)
        self.assertEqual(self.grid(self.job, "?from=500")["items"], [])

    def test_rows_are_told_by_what_will_become_of_them(self):
        self.assertEqual({state: self.grid(self.job, f"?state={state}")["matching"] for state in ("failed", "inserted", "updated", "unchanged", "edited")},
                         {"failed": 71, "inserted": 427, "updated": 1, "unchanged": 1, "edited": 0})
        changed = self.grid(self.job, "?state=updated")["items"][0]
        self.assertEqual((changed["row"], changed["change"]), (1, {"kind": "update", "cells": {"name": ["old", "name 1"]}}))
        failed = self.grid(self.job, "?state=failed&from=70")["items"][0]
        self.assertEqual((failed["row"], failed["index"], failed["issues"][0]["code"], failed["issues"][0]["source"]), (497, 70, "required", 0))
        self.assertEqual(self.grid(self.job, "?state=failed&row=8")["items"][0]["row"], 14)
        self.assertEqual(self.grid(self.job, "?issue=required&column=code")["matching"], 71)
        self.assertEqual(self.grid(self.job, "?issue=nothing")["items"], [])
        self.problem(self.client.get(f"{self.path}/grid?state=lost"), 400, "request_invalid")

    def searched(self, query):
        """The page once the whole file was looked at."""
        for _ in range(1000):
            page = self.grid(self.job, query)
            if page["search"]["complete"]:
                self.assertEqual(page["search"]["looked_at"], page["rows_total"])
                return page
        self.fail("the search does not end")

    def test_rows_are_found_by_a_text_in_any_cell(self):
        self.assertIsNone(self.grid(self.job)["search"])
        page = self.searched("?q=NAME%2049")
        self.assertEqual((page["matching"], [one["row"] for one in page["items"]][:3], page["items"][1]["index"]), (11, [49, 490, 491], 1))
        self.assertEqual([one["row"] for one in self.searched("?q=c12&from=3&limit=2")["items"]], [122, 123])
        self.assertEqual(self.searched("?q=name%2049&row=400&limit=1")["items"][0]["row"], 490)
        self.assertEqual(self.searched("?q=name%2049&state=failed")["matching"], 3)
        self.assertEqual(self.searched("?q=name%2049&state=inserted")["matching"], 8)
        self.assertEqual([one["row"] for one in self.searched("?q=me%207&issue=required")["items"]], [7, 70, 77])
        self.assertEqual(self.searched("?q=c1&state=updated")["matching"], 1)
        self.assertEqual(self.searched("?q=nowhere")["items"], [])
        self.problem(self.client.get(f"{self.path}/grid?q={'x' * 201}"), 400, "request_invalid")
        # Corrected rows are found by what they say now.
        answer = self.client.request("PATCH", f"{self.path}/rows/7", {"values": {"Name": "Straße; \"wide\" ÉTÉ"}})
        self.assertEqual(answer.status, 200)
        for text in ("strasse", "%22WIDE%22", "%C3%A9t%C3%A9", "%22%20%C3%89"):
            self.assertEqual([one["row"] for one in self.searched(f"?q={text}")["items"]], [7], text)
        self.assertEqual([one["row"] for one in self.searched("?q=me%207&issue=required")["items"]], [70, 77])
        counted = self.client.post(f"{self.path}/rows/replace", {"column": "Name", "from": "name", "to": "N", "part": True, "dry_run": True,
                                                                 "filter": {"q": "c12"}}).json()
        self.assertEqual(counted["rows"], len([n for n in range(1, 501) if n % 7 and "c12" in f"c{n}"]))

    def test_quoted_cells_are_searched_as_they_read_and_sensitive_ones_are_not(self):
        job = self.waiting(HEADER + "a,\"say \"\"hello\"\", you\"\n" + "b,Grüße\n" + "c,plain\n")
        self.path, self.job = f"/api/v1/imports/{job}", job
        for text, rows in (("%22HELLO%22,", [1]), ("gr%C3%9Csse", [2]), ("%22%22", []), ("P", [3])):
            self.assertEqual([one["row"] for one in self.searched(f"?q={text}")["items"]], rows, text)
        self.write("hidden.yaml", UNITS.replace("definition: units", "definition: hidden").replace("values: {kg: kilogram, l: litre}", "sensitive: true"))
        self.check(self.lade("definitions", "add", "hidden.yaml"))
        self.job = self.waiting(HEADER + "".join(f"s{n},secret\n" for n in range(30)), definition="hidden")
        self.assertEqual([self.searched(f"?q={text}")["matching"] for text in ("secret", "***", "s29")], [0, 0, 1])

    def test_where_in_the_file_they_stand(self):
        found = self.client.get(f"{self.path}/rows/map?slots=100").json()
        self.assertEqual((found["slots"], found["rows_per_slot"], sum(found["failed"]), sum(found["inserted"]), sum(found["updated"])), (100, 5, 71, 427, 1))
        self.assertEqual(found["failed"][:3], [0, 1, 1])
        issue = self.client.get(f"{self.path}/issues").json()["items"][0]
        self.assertEqual((issue["code"], issue["severity"], sum(issue["spread"]), len(issue["spread"])), ("required", "error", 71, 40))
        self.assertEqual((issue["example"]["row"], issue["example"]["line"]), (7, 8))

    def test_many_cells_are_replaced_at_once_as_one_revision(self):
        wish = {"column": "Code", "from": "", "to": "unnamed", "filter": {"state": "failed"}}
        counted = self.client.post(f"{self.path}/rows/replace", {**wish, "dry_run": True}).json()
        self.assertEqual((counted["rows"], counted["revision"], counted["examples"][0]), (71, 0, {"row": 7, "old": "", "new": "unnamed"}))
        self.assertEqual(self.grid(self.job, "?state=edited")["matching"], 0)
        done = self.client.post(f"{self.path}/rows/replace", {**wish, "revision": 0})
        self.assertEqual((done.status, done.json()["rows"], done.json()["revision"]), (200, 71, 1))
        self.problem(self.client.post(f"{self.path}/rows/replace", {"column": "Name", "from": "name 1", "to": "x", "revision": 0}), 412, "revision_changed")
        edited = self.grid(self.job, "?state=edited")
        self.assertEqual((edited["matching"], edited["items"][0]["values"][0], edited["items"][0]["edited"], edited["revision"]), (71, "unnamed", [0], 1))
        self.assertEqual(self.grid(self.job, "?state=failed")["matching"], 0)
        part = self.client.post(f"{self.path}/rows/replace", {"column": "Name", "from": "name", "to": "N", "part": True, "dry_run": True}).json()
        self.assertEqual((part["rows"], part["examples"][0]["new"]), (500, "N 1"))
        self.problem(self.client.post(f"{self.path}/rows/replace", {**wish, "column": "Colour"}), 422, "source_column_unknown")
        self.problem(self.client.post(f"{self.path}/rows/replace", {"column": "Code", "to": "x"}), 400, "request_invalid")
        ended = self.submit()
        self.wait_for(ended)
        refused = self.client.post(f"/api/v1/imports/{ended}/rows/replace", {"column": "Name", "from": "first", "to": "x"})
        self.problem(refused, 409, "transition_refused")

    def test_corrections_are_taken_over_by_another_import_of_the_same_file(self):
        file = self.stored((HEADER + "a,first\n,second\n,third\n").encode())
        made = {"file_id": file, "definition": "reviewed", "force": True}
        first, second, shifted = (self.client.post("/api/v1/imports", {**made, **more}).json()["job_id"] for more in ({}, {}, {"source": {"header_row": 2}}))
        for job in (first, second):
            self.wait_for(job, "waiting_for_review")
        for row, code in ((2, "b"), (3, "c")):
            self.assertEqual(self.client.request("PATCH", f"/api/v1/imports/{first}/rows/{row}", {"values": {"Code": code}}).status, 200)
        self.assertIn(self.client.post(f"/api/v1/imports/{first}/cancel").status, (200, 202))
        taken = self.client.post(f"/api/v1/imports/{second}/rows/take-over", {"from": first})
        self.assertEqual((taken.status, taken.json()), (200, {"rows": 2, "revision": 1}))
        self.assertEqual([row["values"][0] for row in self.grid(second)["items"]], ["a", "b", "c"])
        self.assertEqual(self.grid(second, "?state=failed")["matching"], 0)
        self.assertEqual(self.client.post(f"/api/v1/imports/{second}/rows/take-over", {"from": shifted}).json(), {"rows": 0, "revision": 1})
        self.problem(self.client.post(f"/api/v1/imports/{second}/rows/take-over", {"from": "nobody"}), 404, "job_not_found")
        self.problem(self.client.post(f"/api/v1/imports/{self.job}/rows/take-over", {"from": first}), 422, "corrections_misfit")
        self.problem(self.client.post(f"/api/v1/imports/{first}/rows/take-over", {"from": second}), 409, "transition_refused")

    def test_the_order_of_dates_is_part_of_the_mapping(self):
        self.write("days.yaml", UNITS.replace("definition: units", "definition: days").replace("values: {kg: kilogram, l: litre}", "type: date"))
        self.check(self.lade("definitions", "add", "days.yaml"))
        file = self.stored(HEADER.encode() + b"a,03/04/2026\nb,05/06/2026\n")
        target = self.client.post("/api/v1/definitions/days/match", {"file_id": file, "detail": True}).json()["targets"][1]
        self.assertEqual((target["ambiguous"], sorted(target["orders"])), (True, ["DD/MM/YYYY", "MM/DD/YYYY"]))
        made = {"file_id": file, "definition": "days", "force": True}
        seen = []
        for order in target["orders"]:
            job = self.client.post("/api/v1/imports", {**made, "mapping": {"name": {"from": "Name", "format": order}}}).json()["job_id"]
            self.wait_for(job, "waiting_for_review")
            seen.append((order, self.grid(job)["items"][0]["change"]["cells"]["name"][1]))
        self.assertEqual(sorted(seen), [("DD/MM/YYYY", "2026-04-03"), ("MM/DD/YYYY", "2026-03-04")])
        for wrong in ({"from": "Name", "format": "soon"}, {"from": "Name"}, {"format": "DD/MM/YYYY"}):
            self.problem(self.client.post("/api/v1/imports", {**made, "mapping": {"name": wrong}}), 400, "choice_invalid")
        self.problem(self.client.post("/api/v1/imports", {**made, "mapping": {"code": {"from": "Code", "format": "DD/MM/YYYY"}}}), 400, "choice_invalid")

    def test_the_order_of_dates_is_remembered_with_the_columns(self):
        self.write("days.yaml", UNITS.replace("definition: units", "definition: days").replace("values: {kg: kilogram, l: litre}", "type: date"))
        self.check(self.lade("definitions", "add", "days.yaml"))

        def match(file, **fields):
            answer = self.client.post("/api/v1/definitions/days/match", {"file_id": file, "detail": True, **fields})
            self.assertEqual(answer.status, 200, answer.body)
            return answer.json()["targets"][1]

        first, same = (self.stored(HEADER.encode() + rows) for rows in (b"a,03/04/2026\n", b"b,05/06/2026\n"))
        self.assertIsNone(match(first)["remembered_order"])
        match(first, save=True, formats={"name": "MM/DD/YYYY"})
        self.assertEqual(match(same)["remembered_order"], "MM/DD/YYYY")
        # A file whose days bear it out no more, another header and another column are asked anew.
        self.assertIsNone(match(self.stored(HEADER.encode() + b"c,25/06/2026\n"))["remembered_order"])
        self.assertIsNone(match(self.stored(b"Code,Name,More\nd,05/06/2026,05/06/2026\n"))["remembered_order"])
        self.assertIsNone(match(same, set=["Code=name"])["remembered_order"])
        match(first, save=True)
        self.assertIsNone(match(same)["remembered_order"])
        for wrong in ({"name": "soon"}, {"name": 7}, ["MM/DD/YYYY"]):
            self.problem(self.client.post("/api/v1/definitions/days/match", {"file_id": first, "formats": wrong}), 400, "request_invalid")

    def test_replacing_has_its_limits(self):
        self.write("secret.yaml", UNITS.replace("definition: units", "definition: secret").replace("values: {kg: kilogram, l: litre}", "sensitive: true"))
        self.check(self.lade("definitions", "add", "secret.yaml"))
        job = self.waiting(HEADER + "".join(f"s{n},x\n" for n in range(10_001)), definition="secret")
        path = f"/api/v1/imports/{job}/rows/replace"
        self.problem(self.client.post(path, {"column": "Name", "from": "x", "to": "y", "dry_run": True}), 422, "sensitive_column")
        self.problem(self.client.post(path, {"column": "Code", "from": "s", "to": "t", "part": True, "dry_run": True}), 422, "replace_too_large")
        self.assertEqual(self.grid(job, "?from=9999&limit=1")["items"][0]["values"], ["s9999", "***"])

    def test_what_will_change_is_summed_up_by_columns(self):
        found = self.client.get(f"{self.path}/diff/summary").json()
        self.assertEqual((found["counts"], found["complete"]), ({"insert": 427, "update": 1, "remove": 0}, True))
        self.assertEqual([(one["column"], one["changes"], one["rises"]) for one in found["columns"]], [("name", 1, None)])

    def test_parts_and_pace_of_an_import(self):
        job = self.submit(HEADER + "".join(f"p{n},x\n" for n in range(1000)))
        self.wait_for(job)
        parts = self.client.get(f"/api/v1/imports/{job}/tasks/map").json()
        self.assertEqual((sum(part["rows"] for part in parts["chunks"]), sum(part["rows"] for part in parts["buckets"])), (1000, 1000))
        self.assertEqual({part["status"] for part in parts["chunks"] + parts["buckets"]}, {"succeeded"})
        series = self.client.get(f"/api/v1/imports/{job}/metrics").json()
        self.assertEqual(series["points"][-1][1:], [1000, 1000, 0])
        self.assertEqual([phase["phase"] for phase in series["phases"]], ["plan", "analyse", "process"])
        self.assertTrue(all(phase["finished_at"] for phase in series["phases"]))
        rows = self.grid(job, "?state=inserted&from=990")
        self.assertEqual((rows["matching"], len(rows["items"])), (1000, 10))

    def test_a_workbook_has_a_grid_too(self):
        template = self.client.get("/api/v1/definitions/reviewed/template?format=xlsx")
        answer = self.client.upload("/api/v1/imports", "list.xlsx", template.body, {"definition": "reviewed"})
        job = answer.json()["job_id"]
        self.wait_for(job, "waiting_for_review", "failed")
        self.assertEqual([one["source"] for one in self.grid(job)["columns"]][:2], ["Code", "Name"])


class RowsOnServer(OnServer, Rows):
    pass


class Operations(Screens):
    def test_lists_hear_of_what_changes(self):
        old = self.submit()
        self.wait_for(old)
        stream = Stream(self.client, "/api/v1/events?topic=imports,review,overview")
        self.assertEqual(stream.status, 200)
        events, seen = [], threading.Event()

        def listen():
            for event in stream:
                events.append(event)
                if event["event"] == "import" and '"status":"succeeded"' in event["data"]:
                    seen.set()
                    return

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        end = time.monotonic() + 30
        while not any(event["event"] == "overview" for event in events) and time.monotonic() < end:
            time.sleep(0.02)
        new = self.submit(HEADER + "z,last\n")
        self.wait_for(new)
        self.assertTrue(seen.wait(30), events)
        self.assertEqual(events[0]["event"], "hello")
        heard = [event for event in events if event["event"] == "import"]
        self.assertTrue(all(new in event["data"] for event in heard))
        again = Stream(self.client, "/api/v1/events?topic=imports", **{"Last-Event-ID": events[1]["id"]})
        replayed = []
        for event in again:
            replayed.append(event)
            if event.get("id") == heard[-1]["id"]:
                break
        self.assertEqual([event["id"] for event in replayed[1:]], [event["id"] for event in heard if event["id"] != events[1]["id"]])
        lost = iter(Stream(self.client, "/api/v1/events?topic=imports", **{"Last-Event-ID": "elsewhere.1"}))
        self.assertEqual([next(lost)["event"], next(lost)["event"]], ["hello", "reset"])
        self.problem(self.client.get("/api/v1/events?topic=weather", Accept="text/event-stream"), 400, "request_invalid")
        viewer = self.user("viewer@example.com", "viewer")
        self.problem(viewer.get("/api/v1/events?topic=overview", Accept="text/event-stream"), 403, "not_allowed")

    def test_imports_are_counted_and_found_by_what_is_known_of_them(self):
        done, waits = self.submit(name="Prices May.csv"), self.waiting(HEADER + "x,y\n")
        self.wait_for(done)
        counts = self.client.get("/api/v1/imports/counts").json()
        self.assertEqual((counts["total"], counts["succeeded"], counts["waiting_for_review"], counts["failed"]), (2, 1, 1, 0))
        self.assertEqual(self.client.get("/api/v1/imports/counts?definition=things").json()["total"], 1)

        def found(query):
            answer = self.client.get("/api/v1/imports?" + query)
            self.assertEqual(answer.status, 200, answer.body)
            return [one["job_id"] for one in answer.json()["items"]]

        self.assertEqual(found("status=succeeded,waiting_for_review"), [waits, done])
        self.assertEqual(found("q=prices+may"), [done])
        self.assertEqual(found("owner=admin@example.com"), [])
        self.assertEqual(found("owner=operator@example.com&from=2000-01-01"), [waits, done])
        self.assertEqual(found("to=2000-01-01"), [])
        self.problem(self.client.get("/api/v1/imports?from=yesterday"), 400, "request_invalid")
        self.problem(self.client.get("/api/v1/imports?status=succeeded,lost"), 400, "status_unknown")
        shown = self.client.get(f"/api/v1/imports/{waits}").json()
        self.assertEqual(shown["revision"], shown["review_revision"])
        self.assertTrue(shown["server_time"])

    def test_the_overview_says_what_needs_somebody(self):
        self.waiting(HEADER + "x,y\n")
        found = self.client.get("/api/v1/overview").json()
        self.assertEqual([one["code"] for one in found["attention"]], ["review_waits"])
        self.assertEqual((found["figures"]["slots"], found["figures"]["dead_letters"], len(found["nodes"])), (2, 0, 1))
        self.assertIn(found["database"]["backend"], ("sqlite", "postgresql"))
        series = self.client.get("/api/v1/overview/series?window=600&step=10").json()
        self.assertEqual((len(series["times"]), len(series["ready"])), (60, 60))
        self.assertTrue(any(value is not None for value in series["running"]))
        outcomes = {"inserted", "updated", "unchanged", "failed", "skipped", "deleted"}
        self.assertEqual((found["figures"]["failed_attempts"], set(found["figures"]["outcomes_per_second"])), (0, outcomes))
        self.assertEqual({name: len(values) for name, values in series["outcomes_per_second"].items()}, dict.fromkeys(outcomes, 60))
        self.assertEqual(len(series["failed_attempts"]), 60)
        self.problem(self.client.get("/api/v1/overview/series?window=86400&step=1"), 400, "request_invalid")
        self.problem(self.user("viewer@example.com", "viewer").get("/api/v1/overview"), 403, "not_allowed")

    def why(self, what):
        answer = self.client.get(f"/api/v1/queue/{what}/why")
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def test_everything_that_waits_says_why(self):
        self.check(self.lade("users", "set", "admin@example.com", "--instance-admin"))
        paused = self.admin.request("PATCH", "/api/v1/queues/default", {"paused": True, "concurrency": 3})
        self.assertEqual((paused.json()["paused"], paused.json()["concurrency"]), (True, 3))
        job = self.submit()
        task = self.client.get(f"/api/v1/imports/{job}/tasks").json()["items"][0]["task_id"]
        for what in (job, task):
            found = self.why(what)
            self.assertEqual((found["waiting"], found["reasons"][0]["code"], found["reasons"][0]["parameters"]), (True, "queue_paused", {"queue": "default"}))
        queues = {one["queue"]: one for one in self.client.get("/api/v1/queues/figures").json()["items"]}
        self.assertEqual((queues["default"]["held"], queues["default"]["ready"], queues["default"]["concurrency"]), (1, 0, 3))
        self.assertEqual(self.client.get("/api/v1/overview").json()["attention"][0]["code"], "queue_paused")
        self.admin.request("PATCH", "/api/v1/queues/default", {"paused": False, "concurrency": None})
        self.wait_for(job)
        self.assertEqual((self.why(job)["waiting"], self.why(job)["reasons"][0]["code"]), (False, "ended"))
        self.assertEqual(self.why(self.waiting(HEADER + "x,y\n"))["reasons"][0]["code"], "waiting_for_review")
        self.problem(self.client.get("/api/v1/queue/nothing/why"), 404, "job_not_found")

    def test_a_node_that_drains_takes_no_further_task(self):
        self.check(self.lade("users", "set", "admin@example.com", "--instance-admin"))
        node = self.client.get("/api/v1/nodes").json()["items"][0]
        self.assertEqual((node["slots"], node["draining"], node["tasks"]), (2, False, []))
        drained = self.admin.post(f"/api/v1/nodes/{node['boot']}/drain", {"drain": True})
        self.assertEqual((drained.status, drained.json()["draining"]), (200, True))
        job = self.submit()
        self.assertEqual(self.why(job)["reasons"][0]["code"], "no_node")
        self.admin.post(f"/api/v1/nodes/{node['boot']}/drain", {"drain": False})
        self.wait_for(job)
        self.problem(self.admin.post("/api/v1/nodes/nobody/drain"), 404, "node_not_found")
        self.problem(self.client.post(f"/api/v1/nodes/{node['boot']}/drain"), 403, "not_allowed")

    def test_dead_letters_are_grouped_and_tried_again(self):
        self.assertEqual(self.client.get("/api/v1/queue/dead-letter/groups").json()["items"], [])
        self.problem(self.client.post("/api/v1/queue/dead-letter/retry", {"group": "nothing"}), 404, "dead_letter_not_found")
        self.problem(self.client.post("/api/v1/queue/dead-letter/retry", {"ids": [1]}), 404, "dead_letter_not_found")
        self.problem(self.client.post("/api/v1/queue/dead-letter/retry", {}), 400, "request_invalid")


class OperationsOnServer(OnServer, Operations):
    pass


if __name__ == "__main__":
    unittest.main()
