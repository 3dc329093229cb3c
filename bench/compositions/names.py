#!/usr/bin/env python3
"""How often `resolve` is right, on names of the pack `compositions` as people write them (packs/compositions/site.py), whose meaning is known.

    python3 bench/compositions/names.py [--rows 1240] [--seed 7] [--lade build/release/lade]

Taken: names that lade resolved without asking. Precision: how many of these are right; recall: how many of all names that mean somebody were taken, and
right. Asked: the others; first: how often the best candidate is the right one. Strangers: names that mean nobody in the table."""

import argparse
import collections
import csv
import importlib.util
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PACK = ROOT / "packs" / "compositions"
sys.dont_write_bytecode = True


def load_site():
    spec = importlib.util.spec_from_file_location("composition_site", PACK / "site.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_rows(pages, path):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["krithi_key", "title", "composer", "raga", "temple"])
        writer.writerows([page.key, page.title, *page.written] for page in pages)


def definition(kind):
    """The pack's definition with one resolved name, so that one that is asked for hides no other."""
    text = (PACK / "definitions" / "compositions.yaml").read_text(encoding="utf-8")
    head, _, steps = text.partition("steps:\n")
    steps, _, _ = steps.partition("load:")
    composers, _, rest = steps.partition("  ragas:\n")
    ragas, _, temples = rest.partition("  temples:\n")
    wanted = {"composer": composers, "raga": "  ragas:\n" + ragas, "temple": "  temples:\n" + temples}[kind]
    head = head.replace("definition: compositions", f"definition: {kind}_names").replace("required: true, max_length: 120", "max_length: 120")
    return head + "steps:\n" + wanted + f"load:\n  - {{table: found_{kind}, key: krithi_key, columns: [krithi_key, {kind}_id]}}\n"


def measure(lade, folder, kind, pages):
    with sqlite3.connect(folder / "names.db") as base:
        base.execute(f"CREATE TABLE found_{kind} (krithi_key text PRIMARY KEY, {kind}_id integer)")
    base.close()
    (folder / f"{kind}.yaml").write_text(definition(kind), encoding="utf-8")
    done = subprocess.run([lade, "import", "rows.csv", "-d", f"{kind}.yaml", "--output", "json", "--database", "sqlite:names.db"], cwd=folder,
                          capture_output=True, text=True, check=False)
    assert done.returncode in (0, 2), done.stdout + done.stderr
    seconds = json.loads(done.stdout.splitlines()[-1])["seconds"]
    base = sqlite3.connect(folder / "names.db")
    found = dict(base.execute(f"SELECT krithi_key, {kind}_id FROM found_{kind} WHERE {kind}_id IS NOT NULL"))
    asked = {row[0]: json.loads(row[1]) for row in base.execute(
        "SELECT row_id, candidates FROM lade_review_item WHERE table_name = ?", (kind,))}
    base.close()
    tally = collections.Counter()
    wrong = []
    for row, page in enumerate(pages, 1):
        name = page.written[("composer", "raga", "temple").index(kind)]
        entity = {"composer": page.composer, "raga": page.raga, "temple": page.temple}[kind]
        if not name:
            continue
        stranger = kind == "composer" and page.stranger
        meant = None if stranger else int(entity["id"])
        tally["strangers" if stranger else "names"] += 1
        if page.key in found:
            right = found[page.key] == meant
            tally["right" if right else "wrong"] += 1
            if not right:
                wrong.append((name, entity["name"], found[page.key]))
        elif not stranger:
            tally["asked"] += 1
            candidates = asked[row]
            tally["first"] += bool(candidates) and int(candidates[0]["id"]) == meant
    taken = tally["right"] + tally["wrong"]
    print(f"{kind:9} {tally['names']:7} names, taken {taken:7}: precision {tally['right'] / max(1, taken):.4f}, recall {tally['right'] / tally['names']:.4f}; "
          f"asked {tally['asked']:5}, first right {tally['first'] / max(1, tally['asked']):.2f}; strangers {tally['strangers']}; {seconds:.2f} s")
    for name, meant, got in wrong[:5]:
        print(f"    wrong: {name!r} means {meant!r}, taken for {got}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1240)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--lade", default=str(ROOT / "build" / "release" / "lade"))
    options = parser.parse_args()
    site = load_site()
    pages = site.make_pages(options.rows, options.seed)
    with tempfile.TemporaryDirectory(prefix="lade_names_") as name:
        folder = pathlib.Path(name)
        lade = str(pathlib.Path(options.lade).resolve())
        subprocess.run([lade, "packs", "install", "compositions", "--database", "sqlite:names.db"], cwd=folder, check=True, capture_output=True)
        write_rows(pages, folder / "rows.csv")
        for kind in ("composer", "raga", "temple"):
            measure(lade, folder, kind, pages)


if __name__ == "__main__":
    main()
