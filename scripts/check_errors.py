#!/usr/bin/env python3
"""Compares the codes of errors and issues in src/ with docs/errors.md, and looks for the test that provokes each.

Fails when a code is not documented or a documented one is not in the sources. Codes that no test mentions are listed.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = r'"([a-z]+(?:_[a-z0-9]+)*)"'

# How the sources name a code.
PATTERNS = [re.compile(text, re.S) for text in (
    r"\bfail\(\s*" + CODE,                             # fail("code", …
    r"\bError\s*\w*\s*\{\s*" + CODE,                   # Error{"code", … and Error error{"code", …
    r"\breturn\s*\{\s*" + CODE + r"\s*[,}]",           # return {"code", … of functions that give an Error or a CastFault
    r"\breport\(\s*\{\s*" + CODE,                      # report({"code", …
    r"\bCastFault\s+\w+\s*\{\s*" + CODE,
    r"\b(?:code|fault) = " + CODE,
    r"\b(?:code|fault) = [^;\n]*?\? " + CODE,          # code = condition ? "one" : "other"
    r"\b(?:code|fault) = [^;\n]*?: " + CODE,
    r"\bset_fault\(\s*" + CODE,
    r"\b(?:record_issue|fault)\(\s*" + CODE,
    r"\b(?:cell_issue|refuse)\(\s*[\w.\[\]>()-]+,\s*" + CODE,
    r"\b(?:faults_?\.)?(?:error|warning)\(\s*[^;\"]*?,\s*" + CODE,  # faults.error(place, "code", …
    r"\bRefusal\s*\{[^;\"]*?,\s*" + CODE,
    r"\bMeaning\s*\w*\s*\{\s*\"[^\"]*\",\s*" + CODE,   # the table of SQLSTATEs
    r'sqlstate == "\w+"\)?(?:[^;]*?)return ' + CODE,
    r"\bstd::string_view refusal_code\(.*?\n\}",       # its last line
    r'"(definition_[a-z_]+)"',
)]
NOT_CODES = {"definition_version"}  # a key of the summary


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def codes_in_sources():
    """code → first file that names it."""
    found = {}
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix not in (".cc", ".h") or path.stem.endswith("_test"):
            continue
        text = without_comments(path.read_text())
        for pattern in PATTERNS:
            for match in pattern.finditer(text):
                names = match.groups() or re.findall(r"return " + CODE, match.group(0))
                for name in names:
                    if name not in NOT_CODES:
                        found.setdefault(name, path.relative_to(ROOT))
    return found


def documented_codes():
    text = (ROOT / "docs" / "errors.md").read_text()
    return set(re.findall(r"^\| `([a-z0-9_]+)` \|", text, re.M))


def codes_in_tests():
    """Words in the texts that unit tests quote, and all words that text cases expect or the slow tests look for."""
    found = set()
    for path in [*(ROOT / "src").rglob("*_test.*"), *(ROOT / "tests").rglob("*.cc")]:
        for text in re.findall(r'"([^"\n]*)"', path.read_text()):
            found.update(re.findall(r"[a-z0-9_]+", text))
    for path in (ROOT / "tests").rglob("*"):
        if path.is_file() and (path.parent.name.startswith("expected") or path.suffix == ".py"):
            found.update(re.findall(r"[a-z0-9_]+", path.read_text(errors="replace")))
    return found


def main():
    sources = codes_in_sources()
    documented = documented_codes()
    undocumented = sorted(set(sources) - documented)
    unknown = sorted(documented - set(sources))
    unprovoked = sorted(set(sources) - codes_in_tests())
    for code in undocumented:
        print(f"{sources[code]}: '{code}' has no line in docs/errors.md")
    for code in unknown:
        print(f"docs/errors.md: '{code}' is in no source file")
    if unprovoked:
        print("no test provokes: " + ", ".join(unprovoked))
    print(f"{len(sources)} codes in the sources, {len(undocumented)} undocumented, {len(unknown)} documented but unknown, "
          f"{len(unprovoked)} without a test")
    sys.exit(1 if undocumented or unknown or unprovoked else 0)


if __name__ == "__main__":
    main()
