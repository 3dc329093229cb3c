#!/usr/bin/env python3
"""Runs all that CI runs, step by step, and ends with one line: N passed, M failed. `make test` calls it.

  scripts/test.py [--only STEP]…    steps: format errors docs-links alerts web unit cases cli e2e browser chaos docs demo threads, and thread-cases,
                                    which make test-slow runs
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
ASAN = ROOT / "build" / "asan"
TSAN = ROOT / "build" / "tsan"
TSAN_TARGETS = ["--target", "queue_test"]
COUNTS = re.compile(r"(\d+) passed, (\d+) failed")
# How the runners name what failed; told again at the end, where it is looked for.
FAILURE = re.compile(r"FAIL(ED)?\b|ERROR:|\[  FAILED  \] \S+\.|.*\*\*\*(Failed|Timeout|Exception)|\S+:\d+: Failure"
                     r"|.*ERROR: \w+Sanitizer|.*runtime error:|not ok\b")

# What runs workers beside each other, for the thread sanitizer: many chunks, many buckets, both databases.
THREAD_CASES = ["duplicates/last_across_chunks", "strategies/many_rows_half_existing", "refused/three_of_many",
                "commit/all_or_nothing_over_many_buckets", "lookups/in_the_key"]


failures = []


def note_failures(lines):
    failures.extend(line.rstrip()[:300] for line in lines if FAILURE.match(line))


class BuildFailed(Exception):
    """Nothing after it can be tested."""


def say(text):
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n== {text}", flush=True)


def run(command, **environment):
    """Shows what the command prints while it runs; gives its exit code and its last lines."""
    words = [str(word) for word in command]
    print("$ " + " ".join(words), flush=True)
    process = subprocess.Popen(words, cwd=ROOT, env={**os.environ, **environment}, text=True, errors="replace",
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    tail = []
    for line in process.stdout:
        print(line, end="", flush=True)
        note_failures([line])
        tail = (tail + [line])[-20:]
    return process.wait(), "".join(tail)


def build_commands(preset, *targets):
    return [["cmake", "--preset", preset], ["cmake", "--build", "--preset", preset, *targets]]


def build(preset, *targets):
    for command in build_commands(preset, *targets):
        if run(command)[0] != 0:
            raise BuildFailed(f"the {preset} build failed")


class BuildAhead:
    """Builds for the last steps while the others run, in the time that those leave idle. Its output goes to a file: a step builds again
    what it needs, which takes no time when all went well and shows what is wrong when not."""

    LOG = ROOT / "build" / "ahead.log"

    def __init__(self):
        self.process = None

    def start(self):
        commands = [["make", "--no-print-directory", "build"], *build_commands("tsan", *TSAN_TARGETS)]
        with self.LOG.open("w") as log:
            self.process = subprocess.Popen(["nice", "sh", "-c", " && ".join(map(shlex.join, commands))], cwd=ROOT, stdout=log,
                                            stderr=subprocess.STDOUT)
        print(f"building ahead for the last steps: {self.LOG.relative_to(ROOT)}", flush=True)

    def wait(self):
        if self.process:
            self.process.wait()


ahead = BuildAhead()


def one_check(command):
    code, _ = run(command)
    return (1, 0) if code == 0 else (0, 1)


def counted(command, **environment):
    """For programs that end with "N passed, M failed"."""
    code, tail = run(command, **environment)
    found = COUNTS.findall(tail)
    passed, failed = map(int, found[-1]) if found else (0, 0)
    return passed, failed if code == 0 else max(failed, 1)


def check_format():
    return one_check(["scripts/format.sh", "--check"])


def check_errors():
    return one_check(["scripts/check_errors.py"])


def check_alerts():
    """The rules for Prometheus: well-formed, and they speak up when they should."""
    passed, failed = one_check(["promtool", "check", "rules", "docs/alerts/lade.rules.yml"])
    tried = one_check(["promtool", "test", "rules", "tests/alerts/lade_rules_test.yml"])
    return passed + tried[0], failed + tried[1]


def check_links():
    return counted(["scripts/test_docs.py", "--links"])


def run_web():
    """What of the dashboard needs no server: types, pure functions, colours, the size of the first page."""
    commands = [["npm", "run", "--silent", name] for name in ("typecheck", "test", "contrast", "build")]
    codes = [run(["npm", "--prefix", "web", *command[1:]])[0] for command in commands]
    return sum(code == 0 for code in codes), sum(code != 0 for code in codes)


def run_browser():
    return counted([sys.executable, "tests/browser/run.py", "--lade", ASAN / "lade"])


def run_unit_tests():
    build("asan")
    results = ASAN / "test_results"
    shutil.rmtree(results, ignore_errors=True)
    junit = ASAN / "ctest.xml"
    code, _ = run(["ctest", "--test-dir", ASAN, "-j", 2 * (os.cpu_count() or 1), "--output-on-failure", "--output-junit", junit],
                  ASAN_OPTIONS="detect_stack_use_after_return=1", GTEST_BRIEF="1")
    passed = failed = 0
    programs = xml.etree.ElementTree.parse(junit).getroot()
    for program in programs.iter("testcase"):
        # A program of GoogleTest counts with each of its tests; one that crashed has left no list of them.
        report = results / (program.get("name") + ".xml")
        if report.exists():
            suite = xml.etree.ElementTree.parse(report).getroot()
            bad = int(suite.get("failures")) + int(suite.get("errors"))
            skipped = list(suite.iter("skipped"))
            for test in suite.iter("testcase"):
                if (reason := test.find("skipped")) is not None:
                    words = (reason.get("message") or "").strip().splitlines()
                    print(f"skipped: {test.get('classname')}.{test.get('name')}: {words[-1] if words else ''}")
            passed += int(suite.get("tests")) - bad - len(skipped)
            failed += bad
        elif program.find("failure") is None:
            passed += 1
        if program.find("failure") is not None and not (report.exists() and failed):
            failed += 1
    return passed, failed if code == 0 else max(failed, 1)


def unittest_command(folder, top):
    return [sys.executable, "-m", "unittest", "discover", "-s", folder, "-t", top]


def run_unittest(folder, top, **environment):
    """For Python's own test runner."""
    return count_unittest(*run(unittest_command(folder, top), **environment))


def count_unittest(code, tail):
    total = sum(map(int, re.findall(r"^Ran (\d+) test", tail, re.M)))
    failed = sum(map(int, re.findall(r"(?:failures|errors|unexpected successes)=(\d+)", tail)))
    failed = failed if code == 0 else max(failed, 1)
    return max(total - failed, 0), failed


def run_module(path):
    environment = {**os.environ, "LADE": str(ASAN / "lade"), "PYTHONPATH": str(path.parent)}
    done = subprocess.run([sys.executable, "-m", "unittest", path.stem], cwd=ROOT, env=environment, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    print(f"{path.relative_to(ROOT)}\n{done.stdout}", flush=True)
    note_failures(done.stdout.splitlines())
    return count_unittest(done.returncode, done.stdout)


def run_command_line():
    """Two modules at a time, the largest first: most of their time is spent waiting."""
    modules = sorted((ROOT / "tests" / "cli").glob("test_*.py"), key=lambda path: -path.stat().st_size)
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        counts = list(pool.map(run_module, modules))
    return sum(passed for passed, _ in counts), sum(failed for _, failed in counts)


def run_server():
    """Both databases at once, for the same reason."""
    command = unittest_command("tests/e2e", "tests/e2e")
    log = ROOT / "build" / "e2e_postgresql.log"
    with log.open("w") as output:
        beside = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT,
                                  env={**os.environ, "LADE": str(ASAN / "lade"), "LADE_E2E": "postgresql"})
        passed, failed = count_unittest(*run(command, LADE=str(ASAN / "lade"), LADE_E2E="sqlite"))
        code = beside.wait()
    text = log.read_text(errors="replace")
    print(text, flush=True)
    note_failures(text.splitlines())
    more, worse = count_unittest(code, text)
    return passed + more, failed + worse


def run_cases():
    passed, failed = run_unittest("tests/cases/runner", "tests/cases")
    more, worse = counted([sys.executable, "tests/cases/run.py", "--lade", ASAN / "lade"])
    return passed + more, failed + worse


def run_chaos():
    passed, failed = run_unittest("tests/chaos/harness", "tests/chaos")
    more, worse = counted([sys.executable, "tests/chaos/run.py", "--lade", ASAN / "lade"])
    return passed + more, failed + worse


def run_docs():
    return counted(["scripts/test_docs.py", "--lade", ASAN / "lade"])


def run_threads():
    ahead.wait()
    build("tsan", *TSAN_TARGETS)
    return one_check([TSAN / "queue_test", "--gtest_filter=*QueueNode*:Storm.*"])


def run_thread_cases():
    build("tsan", "--target", "lade")
    passed, failed = 0, 0
    for case in THREAD_CASES:
        more, worse = counted([sys.executable, "tests/cases/run.py", "--lade", TSAN / "lade", "--filter", case],
                              TSAN_OPTIONS="halt_on_error=1")
        passed, failed = passed + more, failed + worse
    return passed, failed


def run_demo():
    ahead.wait()
    return one_check(["make", "--no-print-directory", "demo"])


STEPS = {
    "format": ("The C++ sources are formatted", check_format),
    "errors": ("Every error code is documented, and provoked by a test", check_errors),
    "docs-links": ("Documentation names files and tests that exist", check_links),
    "alerts": ("Alert rules for Prometheus, tried out", check_alerts),
    "web": ("The dashboard: types, functions, contrasts, size of the first page", run_web),
    "unit": ("Unit tests, fuzz corpora and the corpora of other projects, with ASan and UBSan", run_unit_tests),
    "cases": ("Text cases on SQLite and PostgreSQL, with ASan and UBSan", run_cases),
    "cli": ("The command line with bad input, lost databases and signals, with ASan and UBSan", run_command_line),
    "e2e": ("The server over real sockets on SQLite and PostgreSQL, every answer against its description, with ASan and UBSan", run_server),
    "browser": ("The dashboard of the real program in a real browser, with SQLite, ASan and UBSan", run_browser),
    "chaos": ("Processes killed, stopped and cut off at every step: each row is loaded once", run_chaos),
    "docs": ("Commands in the documentation do what it shows", run_docs),
    "demo": ("The release build, and the tour of make demo", run_demo),
    "threads": ("Workers beside each other, with TSan", run_threads),
    "thread-cases": ("Imports with many workers, with TSan", run_thread_cases),
}
SLOW = {"thread-cases"}  # a third build of everything: only when asked for


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=STEPS, help="only this step, may be given several times")
    only = parser.parse_args().only
    totals = []
    for name, (title, step) in STEPS.items():
        if name not in only if only else name in SLOW:
            continue
        say(title)
        start, stop = time.monotonic(), False
        try:
            passed, failed = step()
        except (BuildFailed, OSError, xml.etree.ElementTree.ParseError) as error:
            print(error, flush=True)
            passed, failed = 0, 1
            stop = isinstance(error, BuildFailed)
        totals.append((title, passed, failed, time.monotonic() - start))
        if stop:
            break
        if name == "unit" and not only:
            ahead.start()
    ahead.wait()
    say("Summary")
    for title, passed, failed, seconds in totals:
        print(f"  {'FAILED' if failed else 'ok':<7} {passed:>5} passed {failed:>3} failed {seconds:>6.0f} s  {title}")
    failed = sum(total[2] for total in totals)
    if failed and failures:
        say("What failed")
        print("\n".join(failures[:100]))
    print(f"{sum(total[1] for total in totals)} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
