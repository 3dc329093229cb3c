"""The pack for compositions: its sample, names that people decide about, and the site of which the truth is known."""

import csv
import importlib.util
import json
import sys
import unittest

from program import ROOT, OnServer, ProgramTest

PACK = ROOT / "packs" / "compositions"


def load_site():
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("composition_site", PACK / "site.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Compositions(ProgramTest):
    def setUp(self):
        super().setUp()
        self.json("packs", "install", "compositions")

    def ask(self, text):
        return self.query(text) if hasattr(self, "query") else [tuple(map(str, row)) for row in self.sql(text)]

    def load(self, path, code):
        found, output = self.lade("import", path, "-d", "compositions", "--output", "json")
        self.assertEqual(found, code, output)
        return json.loads(output.splitlines()[-1])["rows"]

    def test_the_sample_and_its_doubtful_names(self):
        rows = self.load(PACK / "samples" / "compositions.csv", 2)
        self.assertEqual((rows["read"], rows["inserted"], rows["failed"]), (60, 54, 6))
        items = {item["name"]: item for item in self.json("review", "list")["items"]}
        self.assertEqual(sorted(items), ["A. Krsna", "Abhery", "S. Sastri", "Saint Hamsadhvani", "Saint Nilakantha Sivan"])
        self.json("review", "decide", items["S. Sastri"]["id"], "--pick", "3")
        for name in ("Saint Hamsadhvani", "Abhery"):
            self.json("review", "decide", items[name]["id"], "--pick", items[name]["candidates"][0]["id"])
        self.json("review", "decide", items["A. Krsna"]["id"], "--create", "--set", "name=Ambujam Kṛṣṇa")
        done = self.json("review", "decide", items["Saint Nilakantha Sivan"]["id"], "--create", "--set", "name=Nīlakaṇṭha Śivan")
        self.assertEqual(done["imports"][0]["status"], "succeeded")
        self.assertEqual(self.ask("SELECT count(*) FROM composition"), [("60",)])
        self.assertEqual(self.json("review", "list")["items"], [])

    def test_names_as_people_write_them(self):
        """What is taken without asking is right, and most is."""
        pages = load_site().make_pages(300, seed=11)
        with open(self.folder / "pages.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["krithi_key", "title", "composer", "raga", "temple"])
            writer.writerows([page.key, page.title, *page.written] for page in pages)
        rows = self.load("pages.csv", 2)
        found = {row[0]: row[1:] for row in self.ask("SELECT krithi_key, composer_id, raga_id, coalesce(temple_id, 0) FROM composition")}
        right = 0
        for page in pages:
            if page.key in found:
                meant = (page.composer["id"], page.raga["id"], page.temple["id"] if page.temple else "0")
                self.assertIsNone(page.stranger, page.written)
                self.assertEqual(found[page.key], meant, page.written)
                right += 1
        known = sum(page.stranger is None for page in pages)
        self.assertGreater(right, 0.9 * known)
        self.assertEqual(rows["failed"], len(pages) - right)


class CompositionsOnServer(OnServer, Compositions):
    pass


if __name__ == "__main__":
    unittest.main()
