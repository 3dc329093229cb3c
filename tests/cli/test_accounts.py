"""Companies, users, tokens and the audit log on the command line. On both databases."""

import json
import os
import pty
import re
import subprocess
import unittest

from program import OnServer, ProgramTest

PASSWORD = "correct horse battery"


class AccountsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        code, output = self.lade("migrate")
        self.assertEqual(code, 0, output)

    def lade_reads(self, text, *words):
        done = subprocess.run(self.command(*words, "--database", self.url), cwd=self.folder, input=text, capture_output=True, text=True,
                              timeout=120, check=False)
        return done.returncode, done.stdout + done.stderr

    def create(self, email, *words):
        return self.json("users", "create", email, *words)


class AccountCommands:
    def test_users_are_created_listed_and_changed(self):
        self.assertEqual(self.lade("users", "list"), (0, "none\n"))
        made = self.create("Ada@Example.com", "--role", "operator", "--name", "Ada")
        self.assertEqual((made["email"], made["role"], made["sight"], made["active"], made["has_password"]),
                         ("ada@example.com", "operator", "company", True, False))
        code, output = self.lade("users", "create", "bob@example.com")
        self.assertEqual((code, output), (0, "bob@example.com: created, viewer\n"))
        self.assertEqual([user["email"] for user in self.json("users", "list")["users"]], ["ada@example.com", "bob@example.com"])
        self.assertRegex(self.lade("users", "list")[1], r"\nada@example.com +operator +company +never +Ada\n")
        code, output = self.lade("users", "set", "ada@example.com", "--role", "reviewer", "--no-active")
        self.assertEqual((code, output), (0, "ada@example.com: changed, reviewer, not active\n"))
        changed = self.json("users", "set", "ada@example.com", "--sight", "own")
        self.assertEqual((changed["role"], changed["name"], changed["sight"], changed["active"]), ("reviewer", "Ada", "own", False))
        self.assertTrue(self.json("users", "set", "ada@example.com", "--active", "--instance-admin")["instance_admin"])

    def test_companies_keep_their_users_apart(self):
        self.assertEqual(self.lade("companies", "create", "acme", "--name", "Acme Ltd"), (0, "acme: created\n"))
        self.create("eve@example.com", "--company", "acme")
        self.assertEqual(self.json("users", "list")["users"], [])
        self.assertEqual(len(self.json("users", "list", "--company", "acme")["users"]), 1)
        self.assertEqual([company["slug"] for company in self.json("companies", "list")["companies"]], ["acme", "default"])
        self.assertRegex(self.lade("companies", "list")[1], r"acme +Acme Ltd\n")
        self.assert_refused(self.lade("companies", "create", "acme"), 8, "company_exists")
        self.assert_refused(self.lade("companies", "create", "Acme"), 1, "slug_invalid")
        self.assert_refused(self.lade("users", "list", "--company", "nobody"), 4, "company_not_found")

    def test_wrong_users_are_refused(self):
        self.create("ada@example.com")
        self.assert_refused(self.lade("users", "create", "ADA@example.com"), 8, "user_exists")
        self.assert_refused(self.lade("users", "create", "ada"), 1, "email_invalid")
        self.assert_refused(self.lade("users", "create", "b@example.com", "--project", "north"), 4, "project_not_found")
        self.assert_refused(self.lade("users", "create", "b@example.com", "--role", "operater"), 1, "did you mean 'operator'?")
        self.assert_refused(self.lade("users", "set", "nobody@example.com", "--active"), 4, "user_not_found")
        self.assert_refused(self.lade("users", "link", "nobody@example.com"), 4, "user_not_found")

    def test_a_password_comes_from_standard_input(self):
        self.create("ada@example.com")
        code, output = self.lade_reads(PASSWORD + "\n", "users", "password", "ada@example.com")
        self.assertEqual((code, output), (0, "ada@example.com: password set, viewer\n"))
        self.assertTrue(self.json("users", "list")["users"][0]["has_password"])
        self.assert_refused(self.lade_reads("short\n", "users", "password", "ada@example.com"), 1, "password_weak", "12 characters")
        self.assert_refused(self.lade_reads("", "users", "password", "ada@example.com"), 1, "password_missing")
        self.assert_refused(self.lade_reads(PASSWORD, "users", "password", "bob@example.com"), 4, "user_not_found")
        self.assertNotIn("horse", self.lade("audit", "list", "--output", "json")[1])

    def on_terminal(self, first, second):
        """Gives the exit code, and what the terminal has shown."""
        terminal, side = pty.openpty()
        self.addCleanup(os.close, terminal)
        words = self.command("users", "password", "ada@example.com", "--database", self.url)
        with subprocess.Popen(words, cwd=self.folder, stdin=side, stdout=side, stderr=side) as process:
            os.close(side)
            shown = b""
            for question, answer in ((b"New password: ", first), (b"Once more: ", second)):
                while question not in shown:
                    shown += os.read(terminal, 1000)
                os.write(terminal, answer.encode() + b"\n")
            while True:
                try:
                    piece = os.read(terminal, 1000)
                except OSError:  # the program has ended
                    break
                if not piece:
                    break
                shown += piece
            return process.wait(), shown.decode()

    def test_a_terminal_is_asked_twice_and_shows_nothing(self):
        self.create("ada@example.com")
        code, shown = self.on_terminal(PASSWORD, PASSWORD)
        self.assertEqual(code, 0, shown)
        self.assertNotIn("horse", shown)
        self.assertTrue(self.json("users", "list")["users"][0]["has_password"])
        code, shown = self.on_terminal(PASSWORD, PASSWORD + "!")
        self.assertEqual(code, 1, shown)
        self.assertIn("passwords_differ", shown)

    def test_a_link_is_a_path(self):
        self.create("ada@example.com")
        code, output = self.lade("users", "link", "ada@example.com")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"^/welcome/[A-Za-z0-9_-]{43}\n$")
        self.assertNotEqual(self.json("users", "link", "ada@example.com")["link"], output.strip())
        self.lade("users", "set", "ada@example.com", "--no-active")
        self.assert_refused(self.lade("users", "link", "ada@example.com"), 4, "user_inactive")

    def test_tokens_are_shown_once(self):
        self.create("ada@example.com")
        code, output = self.lade("tokens", "create", "nightly", "--user", "ada@example.com", "--scope", "imports:read", "--scope", "queue:read",
                                 "--quiet")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"^lade_[A-Za-z0-9_-]{43}\n$")
        made = self.json("tokens", "create", "weekly", "--user", "ada@example.com", "--scope", "*", "--expires", "7")
        self.assertRegex(made["token"], r"^lade_[A-Za-z0-9_-]{43}$")
        listed = self.json("tokens", "list")["tokens"]
        self.assertEqual([(token["name"], token["scopes"]) for token in listed],
                         [("weekly", ["*"]), ("nightly", ["imports:read", "queue:read"])])
        for text in (self.lade("tokens", "list")[1], self.lade("audit", "list", "--output", "json")[1], json.dumps(listed)):
            self.assertNotIn(made["token"], text)
            self.assertNotIn(output.strip(), text)
        self.assertRegex(self.lade("tokens", "list")[1], r"\n +1  nightly +ada@example.com +never +\d{4}-\d\d-\d\d +imports:read queue:read\n")
        self.assertEqual(self.lade("tokens", "revoke", str(made["id"])), (0, "weekly: revoked\n"))
        self.assertIsNotNone(self.json("tokens", "list", "--user", "ada@example.com")["tokens"][0]["revoked_at"])

    def test_wrong_tokens_are_refused(self):
        self.create("ada@example.com")
        create = ("tokens", "create", "n", "--user", "ada@example.com", "--scope")
        self.assert_refused(self.lade(*create, "imports"), 1, "token_scope_unknown", "imports:read")
        self.assert_refused(self.lade(*create, "*", "--expires", "367"), 1, "token_life_invalid", "1 to 366")
        self.assert_refused(self.lade(*create, "*", "--expires", "never"), 1, "token_life_invalid", "instance admins")
        self.assert_refused(self.lade(*create, "*", "--expires", "soon"), 1, "expected 1 to 366, or never")
        self.assert_refused(self.lade("tokens", "create", "", "--user", "ada@example.com", "--scope", "*"), 1, "token_name_missing")
        self.assert_refused(self.lade("tokens", "revoke", "4711"), 4, "token_not_found")
        self.lade("users", "set", "ada@example.com", "--instance-admin")
        self.assertIsNone(self.json(*create, "*", "--expires", "never")["expires_at"])

    def test_the_audit_log_tells_what_was_done(self):
        self.create("ada@example.com")
        token = self.json("tokens", "create", "nightly", "--user", "ada@example.com", "--scope", "*")
        self.lade("tokens", "revoke", token["token_id"])
        self.lade("users", "create", "ada@example.com")  # refused: it did nothing
        page = self.json("audit", "list")
        self.assertEqual([(entry["number"], entry["action"], entry["object_kind"], entry["object_id"]) for entry in page["entries"]],
                         [(3, "token.revoke", "token", token["token_id"]), (2, "token.create", "token", token["token_id"]),
                          (1, "user.create", "user", "ada@example.com")])
        self.assertEqual(page["entries"][1]["data"]["scopes"], ["*"])
        self.assertEqual(page["next"], 0)
        code, output = self.lade("audit", "list", "--action", "token.*", "--limit", "1")
        self.assertRegex(output, r"\n +3  \S+Z +\S+ +token.revoke +token \S+\nthere are more; the next ones: --before 3\n$")
        self.assertEqual(self.json("audit", "list", "--kind", "user", "--object", "ada@example.com")["entries"][0]["number"], 1)
        self.assertEqual(self.json("audit", "list", "--actor", "nobody")["entries"], [])

    def test_a_changed_audit_log_is_noticed(self):
        self.assertEqual(self.lade("audit", "verify"), (0, "default: 0 entries, whole\n"))
        for name in "abc":
            self.create(f"{name}@example.com")
        head = self.json("audit", "verify")["companies"][0]
        self.assertEqual((head["company"], head["entries"]), ("default", 3))
        self.assertRegex(self.lade("audit", "verify", "--company", "default")[1], rf"^default: 3 entries, whole; the last has {head['hash']}\n$")
        self.tamper("UPDATE lade_audit SET object_id = 'x@example.com' WHERE number = 2")
        self.assert_refused(self.lade("audit", "verify"), 3, "audit_broken", "at entry 2:")
        self.tamper("DELETE FROM lade_audit WHERE number > 1")
        self.assert_refused(self.lade("audit", "verify"), 3, "audit_broken", "at entry 2:", "cut off")

    def test_every_list_can_be_read_by_programs(self):
        self.create("ada@example.com")
        self.json("tokens", "create", "nightly", "--user", "ada@example.com", "--scope", "*")
        for words in (("companies", "list"), ("users", "list"), ("tokens", "list"), ("audit", "list"), ("audit", "verify")):
            code, output = self.lade(*words, "--output", "ndjson")
            self.assertEqual(code, 0, output)
            for line in output.splitlines():
                self.assertIsInstance(json.loads(line), dict)
            self.assertTrue(re.match(r"\{", output), words)


class OnSqlite(AccountCommands, AccountsTest):
    def tamper(self, text):
        self.sql("DROP TRIGGER IF EXISTS lade_audit_unchanged")
        self.sql("DROP TRIGGER IF EXISTS lade_audit_kept")
        self.sql(text)

    def test_lists_change_no_byte(self):
        self.create("ada@example.com")
        before = (self.folder / "company.db").read_bytes()
        for words in (("companies", "list"), ("users", "list"), ("tokens", "list"), ("audit", "list"), ("audit", "verify")):
            self.assertEqual(self.lade(*words)[0], 0)
        self.assertEqual((self.folder / "company.db").read_bytes(), before)

    def test_without_tables_they_say_what_to_do(self):
        self.url = "sqlite:plain.db"
        self.sql("CREATE TABLE t (a)", "plain.db")
        for words in (("users", "list"), ("companies", "create", "a"), ("audit", "verify"), ("tokens", "list")):
            self.assert_refused(self.lade(*words), 4, "schema_outdated", "run lade migrate")


class OnPostgresql(OnServer, AccountCommands, AccountsTest):
    def tamper(self, text):
        self.query("DROP TRIGGER IF EXISTS lade_audit_append_only ON lade_audit")
        self.query(text)


if __name__ == "__main__":
    unittest.main()
