"""The rows of a family: <target>.inc, compiled by compile_rows.h, and family.cc, which makes the family of them."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load("//tools/build:defs.bzl", "gpu_kernel_table")

_CORE = [
    "//core/arch:target",
    "//core/base:types",
    "//core/conv:problem",
    "//core/launch",
    "//core/launch:family",
    "//core/launch:part_kernel",
]

def family_rows(name, targets, shards, device_deps, deps, visibility = None):
    """Declares the family's library, and a kernel table for each target.

    Args:
      name: of the library; the package is instances/<name of the family>.
      targets: those that there are rows for.
      shards: compile actions of a target.
      device_deps: what compile_rows.h includes, but for core.
      deps: what family.cc includes, but for core.
      visibility: of the library.
    """
    folder = native.package_name()
    cc_library(
        name = "compile_rows",
        hdrs = ["compile_rows.h"],
        features = ["-parse_headers"],
        visibility = ["//tools/tune:__pkg__"],  # which compiles further rows
        deps = device_deps + [Label("//core/arch:device")],
    )
    for target in targets:
        gpu_kernel_table(
            name = target + "_code",
            header = folder + "/compile_rows.h",
            namespace = "gridwise::" + folder.split("/")[-1],
            rows = target + ".inc",
            shards = shards,
            targets = [target],
            visibility = ["//visibility:private"],
            deps = [":compile_rows"],
        )
    cc_library(
        name = name,
        srcs = ["family.cc"],
        hdrs = ["family.h"],
        textual_hdrs = [target + ".inc" for target in targets],
        visibility = visibility,
        deps = deps + [Label(dep) for dep in _CORE] + [":%s_code" % target for target in targets],
    )
