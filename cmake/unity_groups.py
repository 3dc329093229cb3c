#!/usr/bin/env python3
"""unity_groups.py ROOT LIST FOLDER: which sources of a target are compiled together (cmake/unity.cmake).

LIST has lines "target|source". Writes a file into FOLDER for each group, which includes its sources, and prints a line
"target|file|source|source…". A source that shares a group with no other one of its target is not mentioned.

Each source has names of its own in an anonymous namespace, and the same short names are good in many of them: kRowsAtOnce, trimmed(),
show(). So that these need not be made unique, two sources share a group only when neither mentions a name that is the other's own,
nor includes a header that does, and when no header of the one gives a name of the other another meaning. That is decided by words,
not by a parser: it may keep apart what would go together, and where it is wrong after all, the compiler says so.
"""

import pathlib
import re
import sys

# Most bytes of source in a group: larger ones gain little, and one changed file compiles its group anew.
GROUP_BYTES = 60_000

# What is no code; but not clang-format's mark of a namespace's end, nor the quotes in 1'000'000.
NOISE = re.compile(r"""R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|//(?! namespace)[^\n]*|/\*.*?\*/""", re.S)
INCLUDE = re.compile(r'^#include "([\w/.]+)"', re.M)
ANONYMOUS = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.M | re.S)
# A line at the left margin that declares something: a type, or what stands before "(", "=", "{", "[" or ";".
TYPE = re.compile(r"(?:enum class|enum|struct|class|using)\s+(\w+)")
THING = re.compile(r"(\w+)\s*[({=;\[]")
MACRO = re.compile(r"[A-Z_]+\d*\(")
ELSEWHERE = re.compile(r"(?:\.|->|::)\s*[A-Za-z_]\w*")  # members, and names with their namespace
WORD = re.compile(r"[A-Za-z_]\w*")
CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")
FUNCTION = re.compile(r"[a-z_0-9]+$")


class Text:
    """A source or header: its size, what it mentions, which names are its own, which headers it includes."""

    def __init__(self, path):
        raw = path.read_text()
        self.bytes = len(raw)
        self.includes = INCLUDE.findall(raw)
        text = NOISE.sub('""', raw)
        self.declares = {name for line in text.split("\n") for name in declared(line)}
        self.own = {name for body in ANONYMOUS.findall(text) for line in body.split("\n") for name in declared(line)}
        mentioned = ELSEWHERE.sub(".", text)
        called = set(CALLED.findall(mentioned))
        words = set(WORD.findall(mentioned))
        self.types = {word for word in words if not FUNCTION.match(word)}  # and constants
        self.words = self.types | (words & called)  # a local variable may have a function's name
        # What a source does to the preprocessor, or brings into its namespace, stays in it.
        self.alone = bool(re.search(r"^ *# *(define|undef|pragma)|^using namespace (?!std::\w+_literals)", text, re.M))


def declared(line):
    """The names that a line declares; constants may share one."""
    if not line[:1].isalpha() or line.startswith("namespace") or MACRO.match(line):
        return []
    if line.startswith("constexpr") and "(" not in line.split("=")[0]:
        return THING.findall(line)
    found = TYPE.match(line) or THING.search(line)
    return [found[1]] if found else []


class Texts:
    def __init__(self, root):
        self.folders = [root / "src", root / "tests"]
        self.texts = {}
        self.closures = {}
        self.resolved = {}

    def at(self, path):
        if path not in self.texts:
            self.texts[path] = Text(path)
        return self.texts[path]

    def headers(self, path):
        """The headers that a source includes, and that these include."""
        if path not in self.closures:
            self.closures[path] = found = set()
            for name in self.at(path).includes:
                header = next((folder / name for folder in self.folders if (folder / name).is_file()), None)
                if header:
                    found |= {header} | self.headers(header)
        return self.closures[path]

    def known(self, path):
        """The names that a source mentions, and finds in its anonymous namespace or in another module, not in its own module."""
        if path not in self.resolved:
            text = self.at(path)
            module, others = set(), set(text.own)
            for header in self.headers(path):
                (module if header.parent == path.parent else others).update(self.at(header).declares)
            self.resolved[path] = text.words & (others - module)
        return self.resolved[path]

    def disturbs(self, one, other):
        """Whether `one` gives a meaning to a name that has another one in `other`, or in a header that comes with it."""
        own, words = self.at(one).own, self.at(other).words
        if not own.isdisjoint(words):
            return True
        for header in self.headers(other) - self.headers(one):
            text = self.at(header)
            # Types and constants reach into every header behind them, functions meet those of their module only.
            if not own.isdisjoint(text.declares if header.parent == one.parent else ()) or not own.isdisjoint(text.types):
                return True
        # A header of the same module, unknown to `other`, may hide a name of another module, or overload its own one.
        return any(header.parent == other.parent and not self.at(header).declares.isdisjoint(self.known(other))
                   for header in self.headers(one) - self.headers(other))

    def agree(self, one, other):
        return not self.disturbs(one, other) and not self.disturbs(other, one)


def groups_of(texts, sources):
    """The first group that has room and agrees takes a source."""
    groups = []
    for source in sorted(sources):
        size = texts.at(source).bytes
        fitting = None
        if not texts.at(source).alone:
            fitting = next((group for group in groups if sum(texts.at(other).bytes for other in group) + size <= GROUP_BYTES and
                            all(texts.agree(source, other) for other in group)), None)
            if fitting is None:
                groups.append(fitting := [])
            fitting.append(source)
    return [group for group in groups if len(group) > 1]


def write_group(path, sources, folders):
    """By paths that are the same in every checkout."""
    names = [source.relative_to(folder) for source in sources for folder in folders if source.is_relative_to(folder)]
    text = "".join(f'#include "{name}"\n' for name in names)
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)


def main():
    root, lines, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text().split(), pathlib.Path(sys.argv[3])
    targets = {}
    for line in lines:
        target, source = line.split("|")
        targets.setdefault(target, []).append(pathlib.Path(source))
    texts = Texts(root)
    folder.mkdir(parents=True, exist_ok=True)
    for target, sources in targets.items():
        for number, group in enumerate(groups_of(texts, sources)):
            path = folder / f"{target}_{number}.cc"
            write_group(path, group, texts.folders)
            print("|".join(map(str, [target, path, *group])))


if __name__ == "__main__":
    main()
