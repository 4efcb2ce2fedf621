# SPDX-License-Identifier: MIT
"""Checks what the compiler does not: layers, packages that include each other, types that are defined twice, words that are no
longer used, files that documents name, versions, licences.

    git ls-files | .ci/lint.py            checks these files, prints a line per fault, and exits with 0 when there is none
    git ls-files | .ci/lint.py --draw     writes the picture of docs/design.md

Packages are folders with a BUILD file. Which packages of `core`, `hopper` and `tools/sim` lie above which are lists in their
README.md, which this reads; so is the list of retired words in docs/glossary.md.
"""

import os
import re
import sys

CODE = (".h", ".cc", ".hip", ".inc")
# Folders whose README lists their packages, lowest first. A package of such a list includes itself and those before it.
ORDERED = ("core", "hopper", "tools/sim")
# Each layer includes itself and those before it; the families of one layer do not include each other.
LAYERS = [["core"], ["tile", "direct", "ck", "hopper"], ["instances"], ["gridwise"]]
# What lies below all: what the build writes, the HIP API, and what the simulator adds to it.
BELOW = ("tools/config", "tools/build", "tools/third_party/hip", "tools/sim/hip/sim_extension.h")
# Not of a layer: programs and tests, which include anything.
PROGRAMS = re.compile(r"_test\.|_test_|_on_host|_benchmark\.|/examples/|/testing/|/tests/")
# Headers of an older API, each of which includes the one that took its place.
DEPRECATED = re.compile(r"instances/\w+\.h$")
# What has words of its own: scripts about other projects, lists of problems and times, and what tells of earlier versions.
NOT_OURS = re.compile(r"findings/|CHANGELOG\.md$|tools/third_party/npm/.*\.(js|css|LICENSE)$|.*\.(csv|xz|npy|png|svg)$")
RETIRED = re.compile(r"^\| ([^|]+) \| [^|]+ \|([^|]*)\|$", re.MULTILINE)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
# Files that begin with their licence, after a line that names an interpreter.
LICENSED = re.compile(r".*(\.(h|cc|hip|c|py|bzl|sh|awk)|(^|/)(BUILD|BUILD\.bazel|MODULE\.bazel|WORKSPACE)|^bazelw|^\.(ci|githooks)/[\w-]+)$")
# A definition of a type at the scope of a namespace.
TYPE = re.compile(r"(?:struct|class|enum class) (?:alignas\(\w+\) )?(\w+)(?: final)?(?: :[^{;]*)? ?\{")
# A file that a document links to, and one that it names in code, from the root, its own folder, or as the end of a path.
LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)")
NAMED = re.compile(r"`((?:\w[\w-]*/)+[\w-]+\.(?:bzl|c|cc|csv|h|hip|inc|py|sh|txt))`")
# Documents about how things were.
HISTORY = re.compile(r"docs/log/|CHANGELOG\.md$")
LICENCE = re.compile(r"(#!.*\n)?(//|#) SPDX-License-Identifier: MIT\n")


def layer_of(path):
    """Returns (layer, name) of a file, or None of a file of no layer."""
    top = path.split("/", 1)[0]
    for index, names in enumerate(LAYERS):
        if top in names:
            return index, top
    return None


def order_of(folder):
    """Returns the packages of a folder, lowest first, as its README lists them."""
    match = re.search(r"^```\nlowest  (.*?)\n```$", read(f"{folder}/README.md"), re.MULTILINE | re.DOTALL)
    if not match:
        raise ValueError(f"{folder}/README.md has no block that begins with 'lowest'")
    return match.group(1).split()


def entry_of(path, folder, order):
    """Returns the entry of `order` that a file of `folder` belongs to, the longest one, or None. '.' has the files of `folder` itself."""
    if os.path.dirname(path) == folder:
        return "." if "." in order else None
    return max((entry for entry in order if path.startswith(f"{folder}/{entry}/")), key=len, default=None)


def order_faults(includes, folder, order):
    """Yields a sentence for each file that belongs to no package of the list, and for each include that goes up."""
    unlisted = set()
    for source, target in includes:
        if not source.startswith(folder + "/") or not target.startswith(folder + "/") or PROGRAMS.search(source):
            continue
        here, there = (entry_of(path, folder, order) for path in (source, target))
        if here is None or there is None:
            unlisted.add(source if here is None else target)
        elif order.index(there) > order.index(here):
            yield f"{source} includes {target}: {folder}/{there} lies above {folder}/{here}"
    yield from (f"{path} is in no package that {folder}/README.md lists" for path in sorted(unlisted))


def package_of(path, packages):
    folder = os.path.dirname(path)
    while folder and folder not in packages:
        folder = os.path.dirname(folder)
    return folder


def layer_faults(includes):
    """Yields a sentence for each include that goes up, or to another family; `includes` are (from, to)."""
    for source, target in includes:
        here, there = layer_of(source), layer_of(target)
        if here is None or PROGRAMS.search(source) or DEPRECATED.match(source):
            continue
        if there is None:
            if not target.startswith(BELOW):
                yield f"{source} includes {target}, which is of no layer that {here[1]} may include"
        elif there[0] > here[0]:
            yield f"{source} includes {target}: {there[1]} lies above {here[1]}"
        elif there[0] == here[0] and there[1] != here[1]:
            yield f"{source} includes {target}: families do not know each other"


def cycle_faults(includes, packages):
    """Yields a sentence for each set of packages that include each other, programs aside."""
    edges = {}
    for source, target in includes:
        if PROGRAMS.search(source) or source.startswith("tests/"):
            continue
        a, b = package_of(source, packages), package_of(target, packages)
        if a != b:
            edges.setdefault(a, {}).setdefault(b, (source, target))
    reached = {}
    for start in edges:
        seen, todo = set(), [start]
        while todo:
            for following in edges.get(todo.pop(), ()):
                if following not in seen:
                    seen.add(following)
                    todo.append(following)
        reached[start] = seen
    for a in sorted(edges):
        for b in sorted(edges[a]):
            if a in reached.get(b, ()) and a < b:
                source, target = edges[a][b]
                yield f"{a} and {b} include each other: {source} includes {target}"


def room_of(path):
    """Returns the room of the picture that a file is in, or None."""
    parts = path.split("/")
    if parts[0] == "core" or (parts[0] == "tools" and parts[1] != "third_party"):
        return "/".join(parts[:2])
    if parts[0] == "gridwise" and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0] if layer_of(path) else None


def picture(includes):
    """Returns a Mermaid graph of the rooms, without the edges that follow from others."""
    edges = {}
    for source, target in includes:
        a, b = room_of(source), room_of(target)
        if a and b and a != b and not PROGRAMS.search(source) and not DEPRECATED.match(source):
            edges.setdefault(a, set()).add(b)

    def reaches(start, end):
        """Whether `end` is reached from `start` by two steps or more."""
        seen, todo = set(), [room for room in edges.get(start, ()) if room != end]
        while todo:
            room = todo.pop()
            if room not in seen:
                seen.add(room)
                todo.extend(edges.get(room, ()))
        return end in seen

    lines = ["graph TD"]
    for a in sorted(edges):
        lines.extend(f"  {a} --> {b}" for b in sorted(edges[a]) if not reaches(a, b))
    return "\n".join(lines)


def with_picture(design, includes):
    """Returns the text of docs/design.md with the picture of the includes as they are."""
    return re.sub(r"(?<=```mermaid\n).*?(?=```\n)", picture(includes) + "\n", design, count=1, flags=re.DOTALL)


def retired_words(glossary):
    """Returns pairs of a pattern and the folders in which it is allowed, of the table under 'Retired words'."""
    table = glossary.partition("## Retired words")[2].partition("|---|---|---|")[2]
    rows = RETIRED.findall(table)
    if not rows:
        raise ValueError("docs/glossary.md has no table of retired words")
    pairs = []
    for words, folders in rows:
        alternatives = "|".join(re.escape(word.strip()) for word in words.split(","))
        # A constant's name continues after its prefix.
        end = "" if alternatives.startswith("k") and alternatives[1:2].isupper() else r"\b"
        pairs.append((re.compile(rf"\b(?:{alternatives}){end}", 0 if end == "" else re.IGNORECASE), tuple(folders.split())))
    return pairs


def word_faults(files, glossary):
    """Yields a sentence for each line with a retired word."""
    pairs = retired_words(glossary)
    for path in files:
        if NOT_OURS.match(path) or path == "docs/glossary.md":
            continue
        with open(path, encoding="utf-8", errors="ignore") as file:
            for number, line in enumerate(file, 1):
                for pattern, folders in pairs:
                    if not path.startswith(folders or ("\0",)) and (found := pattern.search(line)):
                        yield f"{path}:{number}: {found.group()} is a retired word; docs/glossary.md says which one to use"


# Where the version of gridwise/version.bzl stands again, since nothing can load it there.
VERSIONS = {
    "MODULE.bazel": r'^module\(\n    name = "gridwise",\n    version = "([^"]+)"',
    "tests/consumer/MODULE.bazel": r'bazel_dep\(name = "gridwise", version = "([^"]+)"',
    "README.md": r'bazel_dep\(name = "gridwise", version = "([^"]+)"',
    "CHANGELOG.md": r"^## (\S+)$",
    "tools/sim/archive/README.md": r"^    version: (\S+)",
}


def version_faults(read):
    """Yields a sentence for each file with another version; `read` returns a file's text."""
    version = re.search(r'^VERSION = "([^"]+)"$', read("gridwise/version.bzl"), re.MULTILINE).group(1)
    for path, pattern in VERSIONS.items():
        found = re.search(pattern, read(path), re.MULTILINE)
        if not found or found.group(1) != version:
            yield f"{path} has version {found.group(1) if found else 'none'}; gridwise/version.bzl has {version}"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def licence_faults(files):
    """Yields a sentence for each source file that does not begin with its licence."""
    for path in files:
        if LICENSED.match(path) and not LICENCE.match(read(path)):
            yield f"{path} does not begin with 'SPDX-License-Identifier: MIT'"


def document_faults(files):
    """Yields a sentence for each file that a document names or links to, and that does not exist."""
    ends = {"/".join(parts[i:]) for parts in (path.split("/") for path in files) for i in range(len(parts))}
    for path in files:
        if not path.endswith(".md") or HISTORY.match(path):
            continue
        text = read(path)
        for name in LINK.findall(text):
            if not os.path.exists(os.path.join(os.path.dirname(path), name)):
                yield f"{path} links to {name}, which does not exist"
        for name in NAMED.findall(text):
            if name not in ends:
                yield f"{path} names {name}, which does not exist"


def types_of(text):
    """Yields the types that a C++ file defines in namespaces with names, as in 'gridwise::sim::Memory'."""
    namespaces = []
    for line in text.splitlines():
        if opened := re.match(r"namespace (.*?) ?\{", line):
            namespaces.append(opened.group(1))
        elif namespaces and line.startswith("}  // namespace"):
            namespaces.pop()
        elif namespaces and "" not in namespaces and (found := TYPE.match(line)):
            yield "::".join([*namespaces, found.group(1)])


# Ends of names of headers of which a compilation includes one.
ALTERNATIVE = re.compile(r"_(on_host|amd|nvptx)(?=\.h$)")


def twice_faults(texts):
    """Yields a sentence for each type that two files define. The linker keeps functions of one of them for both."""
    first = {}
    for path, text in texts.items():
        for name in types_of(text):
            other = first.setdefault(name, path)
            if other != path and ALTERNATIVE.sub("", path) != ALTERNATIVE.sub("", other):
                yield f"{path} defines {name}, and so does {other}"


def main():
    files = sys.stdin.read().splitlines()
    known = set(files)
    packages = {os.path.dirname(path) for path in files if os.path.basename(path) == "BUILD"}
    texts = {}
    for path in files:
        if path.endswith(CODE):
            texts[path] = read(path)
    includes = [(path, name) for path, text in texts.items() for name in INCLUDE.findall(text) if name in known]
    glossary, design = read("docs/glossary.md"), read("docs/design.md")
    if sys.argv[1:] == ["--draw"]:
        with open("docs/design.md", "w", encoding="utf-8") as file:
            file.write(with_picture(design, includes))
        return 0
    regular = [path for path in files if os.path.isfile(path) and not os.path.islink(path)]
    faults = [*layer_faults(includes), *cycle_faults(includes, packages), *word_faults(regular, glossary), *version_faults(read), *licence_faults(regular), *document_faults(regular)]
    faults.extend(twice_faults(texts))
    for folder in ORDERED:
        faults.extend(order_faults(includes, folder, order_of(folder)))
    if with_picture(design, includes) != design:
        faults.append("docs/design.md has an old picture; git ls-files | .ci/lint.py --draw draws a new one")
    for fault in faults:
        print(fault)
    print(f"{len(includes)} includes of {len(texts)} files in {len(packages)} packages, words of {len(files)}: {len(faults)} faults")
    return 1 if faults or not includes else 0


if __name__ == "__main__":
    sys.exit(main())
