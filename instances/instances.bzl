# SPDX-License-Identifier: MIT
"""The instances of a family: <target>.inc, compiled by compile_instances.h, and family.cc, which makes the family of them and names no target."""

load("@bazel_skylib//rules:write_file.bzl", "write_file")
load("@rules_cc//cc:defs.bzl", "cc_library")
load("//tools/build:defs.bzl", "gpu_kernel_table", "kernel_instance_codes")

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
_TABLE = """constexpr Instance kInstances_{target}[] = {{
#include "{folder}/{target}_instances.inc"
}};
constexpr InstanceCode kCodes_{target}[] = {{
#include "{folder}/{target}_codes.inc"
}};
constexpr InstanceNeeds kNeeds_{target}[] = {{
    {{}},  // an array is never empty
{needs}
}};"""

_TABLES = """struct InstanceTable {{
  Gfx gfx;
  std::span<const Instance> instances;
  std::span<const InstanceCode> codes;  // of each instance
  std::span<const InstanceNeeds> needs;
  CodeObjects objects;  // that the instances were compiled to
}};

std::vector<InstanceTable> InstanceTables() {{
  return {{
{tables}
  }};
}}"""

def _instance_tables(folder, targets, needs):
    """Declares instance_code.h, which family.cc includes, and instance_tables.inc, which it includes where it has defined Instance and the lists' macros."""
    write_file(
        name = "instance_code",
        out = "instance_code.h",
        content = ["#pragma once", ""] + ['#include "%s/%s_code.h"' % (folder, target) for target in targets] + [""],
    )
    tables = ["      {*ParseGfx(\"%s\"), kInstances_%s, kCodes_%s, kNeeds_%s, %sCode()}," % (target, target, target, target, _camel_case(target)) for target in targets]
    write_file(
        name = "instance_tables",
        out = "instance_tables.inc",
        content = [_TABLE.format(
                      folder = folder,
                      target = target,
                      needs = '#include "%s/%s_needs.inc"' % (folder, target) if needs else "",
                  ) for target in targets] +
                  ["", _TABLES.format(tables = "\n".join(tables)), ""],
    )

def _camel_case(name):
    return "".join([word.capitalize() for word in name.split("_")])

def family_instances(name, targets, shards, directions, device_deps, deps, needs = False, shards_of = {}, visibility = None):
    """Declares the family's library, and a kernel table for each target.

    Args:
      name: of the library; the package is instances/<name of the family>.
      targets: those that there are instances for.
      shards: compile actions of a target.
      shards_of: those of some targets, where they are others.
      directions: by direction, a regular expression that the lines of its instances match.
      needs: whether there are <target>_needs.inc, lists of InstanceNeeds (core/launch/code.h).
      device_deps: what compile_instances.h includes, but for core.
      deps: what family.cc includes, but for core.
      visibility: of the library.
    """
    folder = native.package_name()
    lists = [target + ".inc" for target in targets] + ([target + "_needs.inc" for target in targets] if needs else [])
    generated = ["%s_%s.inc" % (target, what) for target in targets for what in ["codes", "instances"]]
    _instance_tables(folder, targets, needs)
    cc_library(
        name = "compile_instances",
        hdrs = ["compile_instances.h"],
        features = ["-parse_headers"],
        visibility = ["//tools/tune:__pkg__"],  # which compiles further instances
        deps = device_deps + [Label("//core/arch:device")],
    )
    write_file(
        name = "instance_directions",
        out = "instance_directions.txt",
        content = ["%s %s" % item for item in directions.items()] + [""],
    )
    native.filegroup(
        name = "lists",
        srcs = ["instance_directions.txt"] + lists + generated,
        visibility = [
            Label("//instances:__pkg__"),
            Label("//tests/isa:__pkg__"),
            Label("//tools/tune:__pkg__"),
        ],
    )
    for target in targets:
        for what in ["codes", "instances"]:
            kernel_instance_codes(
                name = "%s_%s" % (target, what),
                out = "%s_%s.inc" % (target, what),
                instances = target + ".inc",
                shards = shards_of.get(target, shards),
                what = what,
            )
        gpu_kernel_table(
            name = target + "_code",
            directions = directions,
            family = folder.split("/")[-1],
            header = folder + "/compile_instances.h",
            namespace = "gridwise::" + folder.split("/")[-1],
            instances = target + ".inc",
            shards = shards_of.get(target, shards),
            targets = [target],
            visibility = ["//visibility:private"],
            deps = [":compile_instances"],
        )
    cc_library(
        name = name,
        srcs = ["family.cc"],
        hdrs = [
            "family.h",
            "instance_code.h",
        ],
        textual_hdrs = ["instance_tables.inc"] + lists + generated,
        visibility = visibility,
        deps = deps + [Label(dep) for dep in _CORE] + [":%s_code" % target for target in targets],
    )
