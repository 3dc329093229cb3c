"""Times whole commands: wall clock, CPU of the client processes, peak memory. Peers and lade run interleaved."""

import dataclasses
import statistics
import subprocess
import tempfile
import time

TIME = "/usr/bin/time"  # Debian package time


@dataclasses.dataclass
class Sample:
    wall: float
    cpu: float
    rss: int  # bytes, of the largest process


class CommandFailed(Exception):
    pass


def run(commands, accepted=(0,)):
    """Runs the commands side by side and waits for all of them."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        processes = [start(words, f"{folder}/{number}") for number, words in enumerate(commands)]
        for words, process in processes:
            _, message = process.communicate()
            if process.returncode not in accepted:
                text = message.decode(errors="replace")[-2000:]
                raise CommandFailed(f"{' '.join(map(str, words))}\nexit {process.returncode}: {text}")
        wall = time.monotonic() - begin
        usages = [usage(f"{folder}/{number}") for number in range(len(processes))]
    return Sample(wall, sum(cpu for cpu, _ in usages), max(rss for _, rss in usages))


def start(words, report):
    # GNU time forks the command from a small process: what a child of this one would report includes Python's own memory.
    command = [TIME, "-q", "-o", report, "-f", "%U %S %M", *words]
    return words, subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def usage(report):
    with open(report, encoding="ascii") as text:
        user, system, kilobytes = text.read().split()[-3:]
    return float(user) + float(system), int(kilobytes) * 1024


@dataclasses.dataclass
class Contender:
    """`prepare` runs before each round and is not timed; `check` after the last one, and raises when the result is wrong."""

    name: str
    commands: object  # a function that gives the commands
    prepare: object
    accepted: tuple = (0,)
    check: object = None


def compete(title, contenders, rounds, reference, note=print):
    """Gives a table and {name: best sample}. The ratios are against the contender `reference`, round by round: what runs one after the
    other shares the machine's mood, so their median says more than the quotient of two lucky rounds."""
    samples = {contender.name: [] for contender in contenders}
    for number in range(rounds):
        for contender in contenders:
            contender.prepare()
            samples[contender.name].append(run(contender.commands(), contender.accepted))
            note(f"  {title}: round {number + 1}: {contender.name}: {samples[contender.name][-1].wall:.2f} s")
            if contender.check and number + 1 == rounds:
                contender.check()
    best = {name: min(found, key=lambda sample: sample.wall) for name, found in samples.items()}
    ratios = {name: statistics.median(own.wall / other.wall for own, other in zip(found, samples[reference]))
              for name, found in samples.items()}
    return table(title, best, ratios, reference), best


def table(title, best, ratios, reference):
    lines = [f"### {title}", "", f"| | best wall s | client CPU s | peak RSS MB | median of × {reference} |", "|---|---|---|---|---|"]
    for name, sample in best.items():
        lines.append(f"| {name} | {sample.wall:.2f} | {sample.cpu:.2f} | {sample.rss / 1e6:.0f} | {ratios[name]:.2f} |")
    return "\n".join(lines) + "\n"
