"""lade as a client of its server: the same commands, the same words, the same exit codes."""

import gzip
import json
import os
import re
import signal
import subprocess
import time

from harness import HEADER, LADE, SCHEMA, OnServer, ServerTest

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
PASSING = [  # what differs between two runs
    (re.compile(r"\d+(\.\d+)? (s|min) ago *"), "… ago "),
    (re.compile(r"in \d+\.\d\d s \([\d ]+ rows/s\)"), "in …"),
    (re.compile(r"  [\d ]+ rows/s"), ""),
    (re.compile(r"  \d+ s left"), ""),
    (UUID, "…"),
    (re.compile(r'"(seconds|rows_per_second|peak_rss_bytes)":[\d.E+-]+'), r'"\1":…'),
]


def lasting(output):
    for pattern, text in PASSING:
        output = pattern.sub(text, output)
    return output


class ClientTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.someone = self.admin

    def remote(self, *words, token=None, port=None, **variables):
        return self.run_lade(*words, LADE_SERVER=f"http://127.0.0.1:{port or self.server.port}", LADE_TOKEN=token or self.someone.token,
                             **variables)

    def remote_json(self, *words):
        code, output = self.remote(*words, "--output", "json")
        return code, json.loads(output.splitlines()[-1])

    def remote_import(self, content, *words, name="things.csv", definition="things", exit_code=0):
        self.write(name, content)
        code, summary = self.remote_json("import", name, "-d", definition, *words)
        self.assertEqual(code, exit_code, summary)
        return summary

    def start_remote(self, *words, **options):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("LADE_")}
        environment |= {"LADE_SERVER": f"http://127.0.0.1:{self.server.port}", "LADE_TOKEN": self.someone.token}
        return subprocess.Popen([str(LADE), *map(str, words)], cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **options)

    def same(self, *words):
        """Asked of the database and of the server, the command says the same."""
        here, there = self.lade(*words), self.remote(*words)
        self.assertEqual(lasting(there[1]), lasting(here[1]), words)
        self.assertEqual(there[0], here[0], words)
        return there


class Client(ClientTest):
    def test_looking_at_jobs_is_the_same_here_and_there(self):
        self.remote_import(HEADER + "a,first\n,nameless\nb,=formula\n", exit_code=2)
        self.remote_import(HEADER + "x,first\n", "--async", "--batch", "monday", name="x.csv")
        self.remote("jobs", "watch", "things-2")
        self.remote_import(HEADER + "c,third\n", definition="reviewed", exit_code=7)
        task = self.remote_json("batches", "tasks", "monday")[1]["items"][0]["task_id"]
        for output in ("text", "json", "ndjson"):
            for words in (["jobs"], ["jobs", "list", "--limit", 2], ["jobs", "list", "--limit", 1, "--before", 3], ["jobs", "--batch", "monday"],
                          ["jobs", "--status", "succeeded"], ["jobs", "--definition", "reviewed"], ["jobs", "show", "things-1"],
                          ["jobs", "show", "reviewed-3"], ["jobs", "watch", "things-1"], ["jobs", "watch", "reviewed-3"],
                          ["rows", "things-1"], ["rows", "things-1", "--state", "processed", "--limit", 1],
                          ["rows", "things-1", "--state", "inserted", "--after", 1], ["results", "things-1", "--results-dir", "out"],
                          ["results", "things-1", "--results-dir", "all", "--all"], ["results", "reviewed-3"],
                          ["batches"], ["batches", "show", "monday"], ["batches", "tasks", "monday"], ["batches", "tasks", "monday", "--limit", 2],
                          ["batches", "task", "monday", task],
                          ["batches", "stages", "monday"], ["batches", "events", "monday"], ["batches", "events", "monday", "--limit", 1],
                          ["batches", "metrics", "monday"], ["batches", "errors", "monday"], ["batches", "export", "monday", "--format", "csv"],
                          ["batches", "--since", "2020-01-01T00:00:00.000Z"], ["queue", "--status", "succeeded", "--limit", 3],
                          ["queue", "--kind", "plan"], ["queue", "dead-letters"], ["definitions", "list"], ["definitions", "show", "things"]):
                self.assertIn(self.same(*words, "--output", output)[0], (0, 2, 7))
        self.same("rows", "things-1", "--output", "csv")
        self.same("definitions", "validate", "things", "things.yaml")
        code, output = self.remote("queue", "nodes")
        self.assertEqual((code, len(output.splitlines())), (0, 2), output)

    def test_what_is_refused_is_refused_alike(self):
        self.remote_import(HEADER + "a,first\n")
        self.remote_import(HEADER + "c,third\n", definition="reviewed", exit_code=7)
        for words in (["jobs", "show", "nobody"], ["jobs", "watch", "nobody"], ["rows", "nobody"], ["results", "nobody"],
                      ["jobs", "retry", "things-1"], ["jobs", "pause", "things-1"], ["jobs", "delete", "reviewed-2"], ["approve", "things-1"],
                      ["approve", "reviewed-2", "--revision", 7], ["jobs", "--status", "sleeping"], ["jobs", "--batch", "nowhere"],
                      ["batches", "show", "nowhere"], ["batches", "retry", "nowhere"], ["batches", "--status", "sleeping"],
                      ["batches", "tasks", "nowhere"], ["batches", "task", "nowhere", "1-1"], ["batches", "delete", "nowhere"], ["batches", "errors", "nowhere"],
                      ["queue", "--status", "sleeping"], ["queue", "retry", 4711], ["queue", "delete", 4711], ["definitions", "show", "nothing"],
                      ["definitions", "validate", "nothing"], ["jobs", "retry", "reviewed-2", "--max-errors", "many"],
                      ["jobs", "clone", "reviewed-2"]):
            for output in ("text", "json"):
                self.assertIn(self.same(*words, "--output", output)[0], (1, 4, 8), words)

    def test_an_import_says_and_does_the_same(self):
        self.sql(SCHEMA, "other.db")
        self.write("limited.yaml", (self.folder / "things.yaml").read_text().replace("things", "limited") + "max_errors: 0\n")
        self.write("broken.yaml", "lade: 1\ndefinition: broken\n")
        files = {"good.csv": HEADER + "a,first\nb,second\n", "bad.csv": HEADER + "c,third\n,nameless\n", "header.csv": HEADER,
                 "empty.csv": "", "strange.csv": "Strange\n1\n"}
        for name, content in files.items():
            self.write(name, content)
        for name, definition in [(name, "things.yaml") for name in files] + [("missing.csv", "things.yaml"), ("bad.csv", "limited.yaml"),
                                 ("good.csv", "reviewed.yaml"), ("good.csv", "broken.yaml"), ("good.csv", "missing.yaml"), ("good.csv", "nothing")]:
            for output in ("text", "json"):
                words = ["import", name, "-d", definition, "--results-dir", "out", "--output", output, "--force"]
                here = self.run_lade(*words, "--database", "sqlite:other.db", "--data", "other-data")
                there = self.remote(*words)
                self.assertEqual(there[0], here[0], (words, here, there))
                self.assertEqual(self.words_of(there[1], output), self.words_of(here[1], output), words)

    @staticmethod
    def words_of(output, form):
        """Without what only one of them says: the upload, and each phase that happened to be seen."""
        if form == "text":
            lines = lasting(output).splitlines()
            if not any(line.startswith("  every row is accounted for") for line in lines):
                return re.search(r"^lade: (\w+):", output, re.M)[1]  # refused: a server has its own words for it
            return [line for line in lines if not re.match(r"(uploading|preparing|analysing|settling|waiting|loading|finishing|finished) ?", line)]
        found = json.loads(output.splitlines()[-1])
        if "job_id" not in found:
            return found["error"]["code"]
        for name in ("job_id", "seconds", "rows_per_second", "peak_rss_bytes", "definition_version"):
            found.pop(name, None)
        return found

    def test_results_come_whole_into_the_folder(self):
        summary = self.remote_import(HEADER + "a,first\n,nameless\n", "--results", "all", "--results-dir", "out", exit_code=2)
        self.assertEqual(summary["files"]["failed"], "out/failed.csv")
        self.assertIn("nameless", (self.folder / "out/failed.csv").read_text())
        self.assertIn("first", (self.folder / "out/succeeded.csv").read_text())
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()), ["failed.csv", "succeeded.csv"])
        summary = self.remote_import(HEADER + "b,second\n,nameless\n", "--results-dir", "book", "--results-format", "xlsx", exit_code=2)
        self.assertEqual(summary["files"]["failed"], "book/failed.xlsx")
        self.assertEqual([path.name for path in (self.folder / "book").iterdir()], ["failed.xlsx"])
        code, output = self.remote("results", "things-1", "--results-dir", "none", token="lade_wrong")
        self.assertEqual((code, (self.folder / "none").exists()), (1, False), output)

    def test_review(self):
        self.remote_import(HEADER + "a,first\n", definition="reviewed", exit_code=7)
        self.assertEqual(self.things(), [])
        operator = self.client.token
        self.assert_refused(self.remote("approve", "reviewed-1", token=operator), 1, "not_allowed")
        code, output = self.remote("approve", "reviewed-1", "--revision", 0)
        self.assertEqual((code, output.startswith("reviewed-1: ")), (0, True), output)
        self.assertEqual(self.remote("jobs", "watch", "reviewed-1")[0], 0)
        self.assertEqual(self.things(), [("a", "first")])
        self.remote_import(HEADER + "b,second\n", definition="reviewed", exit_code=7)
        self.assert_refused(self.remote("reject", "reviewed-2", "--reason", " "), 1, "reason_invalid")
        self.check(self.remote("reject", "reviewed-2", "--reason", "not ours"))
        self.assertIn("rejected by", self.remote("jobs", "show", "reviewed-2")[1])
        self.assertIn(": not ours\n", self.remote("jobs", "show", "reviewed-2")[1])
        self.assertEqual(self.remote("jobs", "watch", "reviewed-2")[0], 5)
        self.remote_import(HEADER + "c,third\n", definition="reviewed", exit_code=7)
        self.check(self.remote("approve", "reviewed-3"))
        self.assertEqual(self.remote("jobs", "watch", "reviewed-3", "-q"), (0, ""))
        self.assertEqual(len(self.things()), 2)

    def test_steering(self):
        self.remote_import(HEADER + "a,first\n", definition="reviewed", exit_code=7)
        self.assertEqual(self.remote("jobs", "pause", "reviewed-1"), (0, "reviewed-1: waiting_for_review\n"))
        self.assertTrue(self.remote_json("jobs", "show", "reviewed-1")[1]["paused"])
        self.assertEqual(self.remote("jobs", "resume", "reviewed-1"), (0, "reviewed-1: waiting_for_review\n"))
        self.assert_refused(self.remote("import", "things.csv", "-d", "reviewed"), 8, "job_exists")
        self.assertEqual(self.remote("jobs", "cancel", "reviewed-1"), (0, "reviewed-1: cancelled\n"))
        self.check(self.remote("jobs", "retry", "reviewed-1", "--max-errors", "5%"))
        self.assertEqual(self.remote("jobs", "watch", "reviewed-1", "-q")[0], 7)
        self.check(self.remote("jobs", "clone", "reviewed-1", "--force"))
        self.check(self.remote("jobs", "cancel", "reviewed-1"))
        self.assertEqual(self.remote("jobs", "delete", "reviewed-1"), (0, "reviewed-1: deleted\n"))
        self.assert_refused(self.remote("jobs", "show", "reviewed-1"), 4, "job_not_found")

    def test_several_files_become_a_batch(self):
        for i in range(3):
            self.write(f"{i}.csv", HEADER + f"{i},x\n")
        code, output = self.remote("import", "0.csv", "missing.csv", "1.csv", "2.csv", "-d", "things", "--async", "--batch", "monday",
                                   "--output", "json")
        jobs = json.loads(output.splitlines()[-1])["jobs"]
        self.assertEqual((code, [job["file"] for job in jobs if "job_id" in job]), (4, ["0.csv", "1.csv", "2.csv"]), output)
        for job in jobs:
            if "job_id" in job:
                self.assertEqual(self.remote("jobs", "watch", job["job_id"])[0], 0)
        self.assertIn("3/3", self.remote("batches")[1])
        self.assertIn("3 left as they are (transition_refused)", self.remote("batches", "retry", "monday")[1])
        self.assert_refused(self.remote("import", "0.csv", "1.csv", "-d", "things"), 1, "option_invalid")

    def test_a_definition_that_is_a_file_is_stored_first(self):
        self.write("more.yaml", (self.folder / "things.yaml").read_text().replace("things", "more"))
        operator = self.client.token
        refused = self.remote("import", "things.csv", "-d", "more.yaml", token=operator)
        self.assert_refused(refused, 1, "not_allowed", "an admin can store it")
        self.check(self.remote("import", "things.csv", "-d", "more.yaml"))
        self.check(self.remote("import", "things.csv", "-d", "more.yaml", token=operator))
        self.assertEqual(self.remote("definitions", "add", "more.yaml"), (0, "more version 1\n"))
        self.write("more.yaml", (self.folder / "more.yaml").read_text() + "# changed\n")
        self.assertEqual(self.remote("definitions", "add", "more.yaml"), (0, "more version 2\n"))

    def test_an_upload_shows_its_progress(self):
        with open(self.folder / "large.csv", "w", encoding="utf-8") as file:
            file.write(HEADER)
            file.writelines(f"{i},{'x' * 200}\n" for i in range(200_000))
        size = (self.folder / "large.csv").stat().st_size
        code, output = self.remote("import", "large.csv", "-d", "things", "--async", "--output", "ndjson")
        events = [json.loads(line) for line in output.splitlines()]
        sent = [event["bytes"] for event in events if event.get("event") == "upload"]
        self.assertEqual((code, sent == sorted(sent), sent[-1]), (0, True, size), output)
        code, output = self.remote("import", "large.csv", "-d", "things", "--async", "--force")
        self.assertRegex(output, r"uploading +100%  [\d ]+ of [\d ]+ bytes")
        for job in ("things-1", "things-2"):
            self.remote("jobs", "cancel", job)

    def test_standard_input_and_compressed_files(self):
        self.write("things.csv.gz", gzip.compress((HEADER + "z,zipped\n").encode()))
        self.check(self.remote("import", "things.csv.gz", "-d", "things"))
        process = self.start_remote("import", "-", "-d", "things", stdin=subprocess.PIPE)
        output = process.communicate(HEADER + "p,piped\n", timeout=60)
        self.assertEqual(process.returncode, 0, output)
        self.assertEqual(self.things(), [("p", "piped"), ("z", "zipped")])


class Trouble(ClientTest):
    def test_who_may_not_and_what_is_not_there(self):
        self.assert_refused(self.remote("jobs", token="lade_wrong"), 1, "not_authenticated", "--token-file")
        self.assert_refused(self.remote("jobs", port=1), 6, "server_unreachable", "127.0.0.1:1")
        self.assert_refused(self.remote("import", "things.csv", "-d", "things", port=1), 6, "server_unreachable")
        self.assert_refused(self.run_lade("jobs", "--server", "ftp://example.com"), 1, "server_url_invalid")
        self.assert_refused(self.run_lade("jobs", "--server", "http://127.0.0.1:1", "--database", self.url), 1, "option_invalid")
        self.assert_refused(self.remote("import", "things.csv", "-d", "things", "--workers", 2), 1, "option_invalid", "--workers")
        self.assert_refused(self.remote("import", "things.csv", "-d", "things", "--issues", "x"), 1, "option_invalid", "--issues")
        for words in (["plan", "things.csv", "-d", "things"], ["worker"], ["migrate"], ["doctor"], ["queue", "pause", "default"]):
            code, output = self.run_lade(*words, "--server", "http://127.0.0.1:1")
            self.assertEqual((code, "takes no --server" in output), (1, True), output)

    def test_the_token_comes_from_a_file_or_the_environment(self):
        self.write("token", self.someone.token + "\n")
        server = ("--server", f"http://127.0.0.1:{self.server.port}/")
        self.assertEqual(self.run_lade("jobs", *server, "--token-file", "token"), (0, "no jobs\n"))
        self.assertEqual(self.run_lade("jobs", *server, "--token", self.someone.token), (0, "no jobs\n"))
        self.assertEqual(self.run_lade("jobs", *server, LADE_TOKEN=self.someone.token), (0, "no jobs\n"))
        self.assert_refused(self.run_lade("jobs", *server), 1, "not_authenticated")
        self.assert_refused(self.run_lade("jobs", *server, "--token-file", "token", "--token", "x"), 1, "option_invalid")
        self.assert_refused(self.run_lade("jobs", *server, "--token-file", "nowhere"), 4, "nowhere")
        # A database on the command line beats a server in the environment.
        self.assertEqual(self.run_lade("jobs", "--database", self.url, LADE_SERVER="http://127.0.0.1:1"), (0, "no jobs\n"))

    def test_watching_goes_on_when_the_server_comes_back(self):
        port = self.server.port
        self.assertEqual(self.server.stop(), 0)
        self.server = self.start("--workers", "0", port=port)  # the batch is still open when it is paused
        self.check(self.remote("import", "things.csv", "-d", "things", "--async", "--batch", "held"))
        self.check(self.remote("batches", "pause", "held"))
        self.write("late.csv", HEADER + "late,row\n")
        self.check(self.remote("import", "late.csv", "-d", "things", "--async", "--batch", "held"))
        watcher = self.start_remote("jobs", "watch", "things-2")
        self.assertIn("paused", watcher.stderr.readline())
        self.assertEqual(self.server.stop(), 0)
        self.assertIn("waiting for it to come back", watcher.stderr.readline())
        self.server = self.start(port=port)
        self.check(self.remote("jobs", "resume", "things-2"))
        output, errors = watcher.communicate(timeout=60)
        self.assertEqual((watcher.returncode, output.splitlines()[0]), (0, "things-2 succeeded"), errors)

    def test_ctrl_c_during_an_upload_leaves_nothing(self):
        with open(self.folder / "large.csv", "wb") as file:
            file.write(HEADER.encode())
            file.truncate(4_000_000_000)  # a hole: as long as it takes
        importer = self.start_remote("import", "large.csv", "-d", "things")
        self.assertIn("uploading", importer.stderr.readline())
        importer.send_signal(signal.SIGINT)
        importer.communicate(timeout=60)
        self.assertEqual(importer.returncode, 5)
        self.assertEqual(self.client.get("/api/v1/imports").json()["items"], [])
        end = time.monotonic() + 20
        while any(path.stat().st_size > 1_000_000 for path in (self.folder / "lade-data").rglob("*") if path.is_file()):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_ctrl_c_while_watching_cancels_the_import(self):
        self.write("slow.csv", HEADER + "".join(f"{i},name {i}\n" for i in range(300_000)))
        importer = self.start_remote("import", "slow.csv", "-d", "things")
        while "uploading" in (line := importer.stderr.readline()):
            pass
        self.assertIn("preparing", line)
        importer.send_signal(signal.SIGINT)
        output, errors = importer.communicate(timeout=60)
        self.assertEqual(importer.returncode, 5, output + errors)
        self.assertIn("cancelled", output)
        self.assertIn("cancelled", self.remote("jobs", "show", "things-1")[1])


class ClientOnPostgresql(OnServer, Client):
    pass
