"""Wrong files, flags and folders: a clear message with its code, the right exit code, nothing half-written."""

import gzip
import os
import shutil
import subprocess
import unittest

from program import DEFINITION, HEADER, ProgramTest

MEGABYTE = 1 << 20


class Usage(ProgramTest):
    def test_commands_and_flags(self):
        for words in ([], ["frobnicate"], ["import"], ["import", "things.csv"], ["definitions"], ["sniff"],
                      ["import", "things.csv", "-d", "things.yaml", "--frob"],
                      ["import", "things.csv", "-d", "things.yaml", "--results", "some"],
                      ["import", "things.csv", "-d", "things.yaml", "--workers", "-1"]):
            code, output = self.run_lade(*words)
            self.assertEqual(code, 1, words)
            self.assertIn("--help", output)

    def test_the_nearest_is_named(self):
        for words, texts in ((["improt"], ["unknown command 'improt'", "did you mean 'import'?", "lade --help"]),
                             (["frobnicate"], ["unknown command 'frobnicate'", "there are import, plan"]),
                             (["definitions", "lst"], ["unknown command 'lst'", "'list'", "lade definitions --help"]),
                             ([], ["a command is missing", "import", "doctor"]),
                             (["definitions"], ["a command is missing", "validate", "lade definitions --help"]),
                             (["import", "things.csv", "--definiton", "x"], ["unknown flag '--definiton'", "'--definition'"]),
                             (["import", "things.csv", "more.csv", "-d", "things.yaml"], ["option_invalid", "--async"]),
                             (["import", "things.csv"], ["--definition is required", "lade import --help"]),
                             (["import", "things.csv", "-d", "things.yaml", "--results", "al"],
                              ["--results: 'al' is not accepted; expected failed, all, none; did you mean 'all'?"]),
                             (["sniff", "things.csv", "--output", "ndjson"], ["--output: 'ndjson'", "expected text, json"])):
            code, output = self.run_lade(*words)
            self.assertEqual(code, 1, words)
            for text in texts:
                self.assertIn(text, output)

    def test_help_shows_nothing_internal(self):
        for words in ([], ["import"], ["plan"], ["sniff"], ["definitions"], ["definitions", "add"], ["migrate"], ["doctor"]):
            code, output = self.run_lade(*words, "--help")
            self.assertEqual(code, 0)
            self.assertIn(" ".join(["Usage: lade", *words]), output)
            self.assertNotIn("->", output)
        self.assertEqual(self.run_lade("sniff", "things.csv", "--output", "JSON")[0], 0)

    def test_values_of_flags(self):
        self.assert_refused(self.import_file("things.csv", "--workers", "300"), 1, "option_invalid", "300", "256")
        self.assert_refused(self.import_file("things.csv", "--batch-rows", "0"), 1, "option_invalid", "--batch-rows")
        self.assert_refused(self.run_lade("import", "things.csv", "-d", "things.yaml", "--database", "mysql://x"), 1,
                            "database_url_invalid", "mysql")
        self.assert_nothing_written()

    def test_errors_as_json(self):
        code, summary = self.summary("missing.csv")
        self.assertEqual((code, summary["error"]["code"]), (4, "file_not_found"))


class Files(ProgramTest):
    def test_missing_and_folder(self):
        self.assert_refused(self.import_file("missing.csv"), 4, "file_not_found", "missing.csv")
        self.assert_refused(self.import_file("."), 4, "file_is_folder")
        self.assert_nothing_written()

    @unittest.skipIf(os.geteuid() == 0 and not os.path.exists("/usr/sbin/runuser"), "root may read everything")
    def test_not_readable(self):
        self.write("secret.csv", HEADER).chmod(0)
        self.folder.chmod(0o777)
        words = self.command("sniff", self.folder / "secret.csv")
        if os.geteuid() == 0:
            # The tree may lie where nobody may go, such as root's own folder: the program goes where the file is.
            words[0] = shutil.copy(words[0], self.folder / "lade")
            words = ["/usr/sbin/runuser", "-u", "nobody", "--", *words]
        done = subprocess.run(words, cwd="/", capture_output=True, text=True, check=False)
        self.assert_refused((done.returncode, done.stderr), 4, "file_not_readable", "secret.csv")

    def test_other_errors_of_the_system(self):
        (self.folder / "loop.csv").symlink_to("loop.csv")
        self.assert_refused(self.import_file("loop.csv"), 3, "file_error", "loop.csv", "symbolic links")
        for name in ("loop.csv", "x" * 300):
            self.assert_refused(self.run_lade("import", "things.csv", "-d", name, "--database", "sqlite:company.db"), 3, "file_error")
        self.assert_nothing_written()

    def test_no_folder_for_temporary_files(self):
        self.write("things.csv.gz", gzip.compress((self.folder / "things.csv").read_bytes()))
        code, output = self.run_lade("sniff", "things.csv.gz", TMPDIR="/nowhere")
        self.assertEqual(code, 0, output)

    def test_empty(self):
        for content in ("", "\n\n\r\n"):
            self.write("empty.csv", content)
            self.assert_refused(self.import_file("empty.csv"), 4, "file_empty", "empty.csv")

    def test_header_only(self):
        self.write("header.csv", HEADER)
        code, summary = self.summary("header.csv")
        self.assertEqual((code, summary["rows"]["read"]), (0, 0))

    def test_no_csv(self):
        self.write("book.xlsx", b"PK\x03\x04" + b"\0" * 100)
        self.assert_refused(self.import_file("book.xlsx"), 4, "zip_damaged", "book.xlsx", "get the file again")
        self.write("random.csv", bytes(range(256)) * 50)
        self.assert_refused(self.import_file("random.csv"), 4, "not_a_csv")
        self.write("book.xls", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" + b"\0" * 600)
        self.assert_refused(self.import_file("book.xls"), 4, "workbook_old", "book.xls", "xlsx")

    def test_gzip(self):
        whole = gzip.compress((HEADER + "".join(f"{i},n{i}\n" for i in range(1000))).encode())
        self.write("cut.csv.gz", whole[:-20])
        self.assert_refused(self.import_file("cut.csv.gz"), 4, "gzip_damaged", "cut.csv.gz")
        self.write("wrong.csv.gz", whole[:30] + b"\xff" * 30 + whole[60:])
        self.assert_refused(self.import_file("wrong.csv.gz"), 4, "gzip_damaged")
        self.write("whole.csv.gz", whole)
        self.assert_refused(self.import_file("whole.csv.gz", "--max-bytes", "100"), 4, "file_too_large", "100")
        self.assert_nothing_written()

    def test_header_row_behind_the_end(self):
        self.write("things.yaml", DEFINITION + "source: {header_row: 9}\n")
        self.assert_refused(self.import_file("things.csv"), 4, "header_not_found", "header_row")

    def test_sniff_shows_another_encoding(self):
        self.write("latin.csv", "Stra\u00dfe;Ort\nA;B\n".encode("latin-1"))
        code, output = self.run_lade("sniff", "latin.csv")
        self.assertEqual(code, 0, output)
        self.assertIn("CSV, windows-1252", output)
        self.assertIn("it is no UTF-8 (byte 0xdf at offset 4)", output)

    def test_ten_thousand_columns(self):
        self.write("wide.csv", ",".join(f"c{i}" for i in range(10_000)) + "\n" + "," * 9_999 + "\n")
        self.assert_refused(self.import_file("wide.csv"), 4, "too_many_columns", "10000", "4096")
        self.assert_refused(self.run_lade("sniff", "wide.csv"), 4, "too_many_columns", "wide.csv", "10000", "4096")

    def test_a_huge_line(self):
        with (self.folder / "huge.csv").open("wb") as file:
            file.write(b"Code,Name\na,first\nb,")
            for _ in range(64):
                file.write(b"x" * MEGABYTE)
            file.write(b"\nc,third\n")
        code, summary = self.summary("huge.csv")
        self.assertIn(code, (3, 4))
        self.assertEqual(summary["error"]["code"], "record_too_long")
        self.assertIn("line 3", summary["error"]["message"])
        self.assertLess(summary.get("peak_rss_bytes", 0), 400 * MEGABYTE)
        self.assert_nothing_written()

    def test_nul_and_invalid_bytes_cost_their_rows(self):
        self.write("bytes.csv", b"Code,Name\na,\0\nb,\xff\nc,third\n")
        code, summary = self.summary("bytes.csv", "--encoding", "utf-8")
        self.assertEqual((code, summary["rows"]["inserted"], summary["rows"]["failed"]), (2, 1, 2))
        self.assertEqual({issue["code"] for issue in summary["issues"]}, {"nul_byte", "invalid_utf8"})


class DefinitionsAndFolders(ProgramTest):
    def test_definitions(self):
        for name in ("missing.yaml", "nowhere/things.yaml", "unknown"):
            self.assert_refused(self.run_lade("import", "things.csv", "-d", name, "--database", "sqlite:company.db"), 4,
                                "definition_not_found", name)
        self.assert_refused(self.run_lade("import", "things.csv", "-d", "things.csv", "--database", "sqlite:company.db"), 4,
                            "definition_invalid", "things.csv:1:1")
        self.write("huge.yaml", "#" * (2 * MEGABYTE))
        self.assert_refused(self.run_lade("import", "things.csv", "-d", "huge.yaml", "--database", "sqlite:company.db"), 4,
                            "definition_too_large")
        self.assert_nothing_written()

    def test_data_folder(self):
        self.assert_refused(self.import_file("things.csv", "--data", "things.csv"), 4, "data_folder", "--data")
        self.assert_nothing_written()

    def test_target(self):
        self.sql("DROP TABLE thing")
        self.assert_refused(self.import_file("things.csv"), 4, "table_not_found", "thing")
        self.assertEqual(self.tables(), [])


if __name__ == "__main__":
    unittest.main()
