#!/usr/bin/env python3
"""Tests the documentation. Ends with one line: N passed, M failed.

  scripts/test_docs.py --lade build/lade   runs the marked blocks, compares their output, looks for flags without a line
  scripts/test_docs.py --links             looks for links, paths and proving tests that do not exist

A block is run when <!-- run --> stands on the line before it. In a ```console block a line that begins with "$ " is a command,
(a line that ends with \\ goes on), what follows is its output, where … stands for anything; a line of only … for any lines. The
blocks of one page run in order in one fresh folder, which holds copies of examples/ and packs/ and has lade in its PATH.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^<!-- run -->\n```console\n(.*?)^```$", re.S | re.M)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
PATH = re.compile(r"`((?:src|tests|fuzz|bench|docs|examples|scripts|tools|cmake)/[^`\s*<>{}…]+)`")
MACHINE = re.compile(r"(?<![\w.])/(?:work|home|root|tmp/\w+)/")
PROGRESS = re.compile(r"^(?:preparing|\w+ +\d+%  .*)\n", re.M)  # on a terminal they are one line that goes away
PROMISE = re.compile(r"^- (?:\[[ x]\] )?\*?\*?([NSDGQ]\d+)\b.*$", re.M)
PROMISES = {"N": 38, "S": 54, "D": 27, "G": 38, "Q": 20}


def pages():
    folders = [ROOT.glob("*.md"), (ROOT / "docs").rglob("*.md"), (ROOT / "src").glob("*/README.md"), ROOT.glob("*/README.md"),
               (ROOT / "tests").glob("*/README.md"), (ROOT / "packs").glob("*/README.md")]
    return sorted({path for folder in folders for path in folder})


def commands_of(block):
    """(command, expected output) one after another."""
    lines = block.splitlines()
    while lines:
        command = lines.pop(0).removeprefix("$ ")
        while command.endswith("\\") and lines:
            command = command[:-1] + lines.pop(0).strip()
        expected = []
        while lines and not lines[0].startswith("$ "):
            expected.append(lines.pop(0))
        yield command, expected


def pattern_of(expected):
    parts = []
    for line in expected:
        parts.append(r"(?:.*\n)*?" if line.strip() == "…" else ".*".join(map(re.escape, line.rstrip().split("…"))) + r"[ ]*\n")
    return re.compile("".join(parts))


def run_page(path, lade):
    """Gives the number of commands and the faults found."""
    blocks = BLOCK.findall(path.read_text())
    faults, count = [], 0
    if not blocks:
        return 0, faults
    with tempfile.TemporaryDirectory(prefix="lade_docs_") as folder:
        work = pathlib.Path(folder)
        for name in ("examples", "packs"):
            shutil.copytree(ROOT / name, work / name)
        (work / ".bin").mkdir()
        (work / ".bin" / "lade").symlink_to(lade)
        environment = {**os.environ, "PATH": f"{work / '.bin'}:{os.environ['PATH']}", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
        for name in ("LADE_DATABASE", "LADE_DATA"):
            environment.pop(name, None)
        for command, expected in (pair for block in blocks for pair in commands_of(block)):
            done = subprocess.run(["bash", "-c", command], cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=120, check=False)
            count += 1
            output = PROGRESS.sub("", done.stdout)
            if not pattern_of(expected).fullmatch(output):
                shown = "\n    ".join(output.splitlines())
                faults.append(f"{path.relative_to(ROOT)}: $ {command}\n  printed (exit code {done.returncode}):\n    {shown}")
    return count, faults


def check_flags(lade):
    """Every command and flag of the program has its place in docs/cli.md."""
    manual = (ROOT / "docs" / "cli.md").read_text()

    def words(*command):
        text = subprocess.run([lade, *command, "--help"], capture_output=True, text=True, check=True).stdout
        commands = re.search(r"^Subcommands:\n((?:  .*\n)*)", text, re.M)
        names = re.findall(r"^  ([\w-]+)", commands.group(1), re.M) if commands else []
        return names, set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", text, re.M))

    faults, count = [], 0

    def visit(*command):
        nonlocal count
        names, flags = words(*command)
        for flag in flags:
            count += 1
            if f"`{flag}" not in manual and f" {flag}" not in manual:
                faults.append(f"docs/cli.md: lade {' '.join(command)} takes {flag}, which is not described")
        for name in names:
            count += 1
            if f"lade {' '.join((*command, name))}" not in manual:
                faults.append(f"docs/cli.md: lade {' '.join((*command, name))} is not described")
            visit(*command, name)

    visit()
    return count, faults


def check_links():
    count, faults = 0, []
    made_later = {line.strip("/") for line in (ROOT / ".gitignore").read_text().split()}
    for page in pages():
        text = page.read_text()
        name = page.relative_to(ROOT)
        for target in LINK.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            if not (page.parent / target).exists():
                faults.append(f"{name}: the link {target} leads nowhere")
        for target in PATH.findall(text):
            count += 1
            if not (ROOT / target).exists() and target.strip("/") not in made_later:
                faults.append(f"{name}: {target} does not exist")
        for place in MACHINE.findall(text):
            faults.append(f"{name}: names a path of one machine ({place})")
    return count, faults


def check_promises():
    text = (ROOT / "docs" / "promises.md").read_text()
    found = PROMISE.findall(text)
    faults = [f"docs/promises.md: {name} is missing" for letter, last in PROMISES.items()
              for name in (f"{letter}{number}" for number in range(1, last + 1)) if name not in found]
    for match in PROMISE.finditer(text):
        line = match.group(0)
        if not PATH.search(line) and "later: issue " not in line and "does not apply" not in line:
            faults.append(f"docs/promises.md: {match.group(1)} has neither a test nor the issue that will bring it")
    return len(found), faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lade", type=pathlib.Path)
    parser.add_argument("--links", action="store_true")
    options = parser.parse_args()
    results = []
    if options.links:
        results += [check_links(), check_promises()]
    if options.lade:
        lade = options.lade.resolve()
        results += [run_page(page, lade) for page in pages()] + [check_flags(lade)]
    faults = [fault for _, found in results for fault in found]
    for fault in faults:
        print(fault)
    print(f"{sum(count for count, _ in results) - len(faults)} passed, {len(faults)} failed")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
