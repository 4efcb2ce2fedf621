# SPDX-License-Identifier: MIT
"""Prints which lines of an LCOV file were executed, by package, and the files with most lines that were not.

Lines are those of sources and headers in the current folder, so that headers of other libraries do not count.
"""

import argparse
import collections
import os


def read_lines(path):
    """Returns, for each source, its line numbers with the number of times that each was executed."""
    sources = collections.defaultdict(dict)
    lines = {}
    with open(path, encoding="utf-8") as file:
        for record in file:
            tag, _, value = record.strip().partition(":")
            if tag == "SF":
                name = os.path.relpath(value)
                lines = sources[name] if os.path.exists(name) and not name.startswith(("..", "bazel-")) else {}
            elif tag == "DA":
                number, count = value.split(",")[:2]
                lines[int(number)] = max(lines.get(int(number), 0), int(count))
    return {name: lines for name, lines in sources.items() if lines}


def print_table(title, rows):
    print(f"{'lines':>7} {'executed':>9}  {title}")
    for name, total, executed in rows:
        print(f"{total:7d} {100 * executed / total:8.1f}%  {name}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lcov")
    parser.add_argument("--uncovered", required=True, help="file to write: every line that was not executed")
    options = parser.parse_args()

    sources = read_lines(options.lcov)
    packages = collections.Counter()
    executed = collections.Counter()
    for name, lines in sources.items():
        package = os.path.dirname(name)
        packages[package] += len(lines)
        executed[package] += sum(count > 0 for count in lines.values())
    print_table("package", [(p, packages[p], executed[p]) for p in sorted(packages)])
    print_table("all", [("", sum(packages.values()), sum(executed.values()))])

    missed = {name: [n for n, count in sorted(lines.items()) if count == 0] for name, lines in sources.items()}
    worst = sorted(missed, key=lambda name: -len(missed[name]))[:20]
    print("\nmost lines that no test executes")
    print_table("file", [(w, len(sources[w]), len(sources[w]) - len(missed[w])) for w in worst])
    with open(options.uncovered, "w", encoding="utf-8") as file:
        for name in sorted(missed):
            with open(name, encoding="utf-8") as source:
                text = source.read().splitlines()
            file.writelines(f"{name}:{n}: {text[n - 1]}\n" for n in missed[name])


if __name__ == "__main__":
    main()
