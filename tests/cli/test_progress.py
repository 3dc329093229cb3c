"""What a running import says where no terminal is."""

import json
import subprocess
import unittest

from program import ProgramTest


class Progress(ProgramTest):
    def streams(self, *words):
        done = subprocess.run(self.command(*words, "-d", "things.yaml", "--database", "sqlite:company.db"), cwd=self.folder,
                              capture_output=True, text=True, timeout=120, check=False)
        return done.stdout.splitlines(), done.stderr.splitlines()

    def test_plain_lines_mark_beginning_and_end(self):
        output, errors = self.streams("import", "things.csv")
        self.assertIn("succeeded", output[0])
        self.assertEqual(errors[0], "preparing")
        self.assertRegex(errors[-1], r"^finished +100%  2 of 2 rows")
        self.assertNotIn("\r", "".join(errors))

    def test_failed_rows_are_counted(self):
        self.write("things.csv", "Code,Name\na,first\n,nameless\n")
        self.assertRegex(self.streams("import", "things.csv")[1][-1], r"^finished +100%  2 of 2 rows.*  1 failed")

    def test_a_refused_import_does_not_end_as_finished(self):
        errors = self.streams("import", "missing.csv")[1]
        self.assertEqual(errors[0], "preparing")
        self.assertIn("file_not_found", errors[1])

    def test_events(self):
        output, errors = self.streams("import", "things.csv", "--output", "ndjson")
        events = [json.loads(line) for line in output]
        self.assertEqual(errors, [])
        self.assertEqual((events[0]["event"], events[0]["phase"], events[0]["progress"]), ("progress", "preparing", 0))
        self.assertEqual((events[-2]["phase"], events[-2]["rows"], events[-2]["progress"]), ("finished", 2, 100))
        self.assertEqual(events[-1]["outcome"], "succeeded")

    def test_silence_where_it_is_asked_for(self):
        self.assertEqual(self.streams("import", "things.csv", "--quiet"), ([], []))
        output, errors = self.streams("import", "things.csv", "--output", "json")
        self.assertEqual((len(output), errors), (1, []))


if __name__ == "__main__":
    unittest.main()
