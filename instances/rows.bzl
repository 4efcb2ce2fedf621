"""The rows of a family: <target>.inc, compiled by compile_rows.h, and family.cc, which makes the family of them and names no target."""

load("@bazel_skylib//rules:write_file.bzl", "write_file")
load("@rules_cc//cc:defs.bzl", "cc_library")
load("//tools/build:defs.bzl", "gpu_kernel_table", "kernel_row_codes")

_CORE = [
    "//core/arch:target",
    "//core/text:fields_text",
    "//core/base:types",
    "//core/conv:problem",
    "//core/launch",
    "//core/planning:family",
    "//core/launch:part_kernel",
]

# What the library has for each target: the part of family.cc that depends on which targets there are.
_TABLE = """constexpr Row kRows_{target}[] = {{
#include "{folder}/{target}.inc"
}};
constexpr RowCode kCodes_{target}[] = {{
#include "{folder}/{target}_codes.inc"
}};
constexpr RowNeeds kNeeds_{target}[] = {{
    {{}},  // an array is never empty
{needs}
}};"""

_TABLES = """struct RowTable {{
  Gfx gfx;
  std::span<const Row> rows;
  std::span<const RowCode> codes;  // of each row
  std::span<const RowNeeds> needs;
  CodeObjects objects;  // that the rows were compiled to
}};

std::vector<RowTable> RowTables() {{
  return {{
{tables}
  }};
}}"""

def _row_tables(folder, targets, needs):
    """Declares row_code.h, which family.cc includes, and row_tables.inc, which it includes where it has defined Row and the lists' macros."""
    write_file(
        name = "row_code",
        out = "row_code.h",
        content = ["#pragma once", ""] + ['#include "%s/%s_code.h"' % (folder, target) for target in targets] + [""],
    )
    tables = ["      {*ParseGfx(\"%s\"), kRows_%s, kCodes_%s, kNeeds_%s, %sCode()}," % (target, target, target, target, _camel_case(target)) for target in targets]
    write_file(
        name = "row_tables",
        out = "row_tables.inc",
        content = [_TABLE.format(
                      folder = folder,
                      target = target,
                      needs = '#include "%s/%s_needs.inc"' % (folder, target) if needs else "",
                  ) for target in targets] +
                  ["", _TABLES.format(tables = "\n".join(tables)), ""],
    )

def _camel_case(name):
    return "".join([word.capitalize() for word in name.split("_")])

def family_rows(name, targets, shards, directions, device_deps, deps, needs = False, shards_of = {}, visibility = None):
    """Declares the family's library, and a kernel table for each target.

    Args:
      name: of the library; the package is instances/<name of the family>.
      targets: those that there are rows for.
      shards: compile actions of a target.
      shards_of: those of some targets, where they are others.
      directions: by direction, a regular expression that the lines of its rows match.
      needs: whether there are <target>_needs.inc, lists of RowNeeds (core/launch/code.h).
      device_deps: what compile_rows.h includes, but for core.
      deps: what family.cc includes, but for core.
      visibility: of the library.
    """
    folder = native.package_name()
    lists = [target + ".inc" for target in targets] + ([target + "_needs.inc" for target in targets] if needs else [])
    _row_tables(folder, targets, needs)
    cc_library(
        name = "compile_rows",
        hdrs = ["compile_rows.h"],
        features = ["-parse_headers"],
        visibility = ["//tools/tune:__pkg__"],  # which compiles further rows
        deps = device_deps + [Label("//core/arch:device")],
    )
    write_file(
        name = "row_directions",
        out = "row_directions.txt",
        content = ["%s %s" % item for item in directions.items()] + [""],
    )
    native.filegroup(
        name = "lists",
        srcs = ["row_directions.txt"] + lists,
        visibility = [
            Label("//instances:__pkg__"),
            Label("//tests/isa:__pkg__"),
        ],
    )
    for target in targets:
        kernel_row_codes(
            name = target + "_codes",
            out = target + "_codes.inc",
            rows = target + ".inc",
            shards = shards_of.get(target, shards),
        )
        gpu_kernel_table(
            name = target + "_code",
            directions = directions,
            family = folder.split("/")[-1],
            header = folder + "/compile_rows.h",
            namespace = "gridwise::" + folder.split("/")[-1],
            rows = target + ".inc",
            shards = shards_of.get(target, shards),
            targets = [target],
            visibility = ["//visibility:private"],
            deps = [":compile_rows"],
        )
    cc_library(
        name = name,
        srcs = ["family.cc"],
        hdrs = [
            "family.h",
            "row_code.h",
        ],
        textual_hdrs = ["row_tables.inc"] + lists + [target + "_codes.inc" for target in targets],
        visibility = visibility,
        deps = deps + [Label(dep) for dep in _CORE] + [":%s_code" % target for target in targets],
    )
