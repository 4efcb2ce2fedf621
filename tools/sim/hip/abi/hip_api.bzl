# SPDX-License-Identifier: MIT
"""What is generated from the list of HIP's entry points: the linker's version script, and weak stand-ins."""

load(":api.bzl", "HIP_API")

_STAND_IN = """__attribute__((weak)) int {name}() {{ return gridwise::sim::Unsupported("{name}"); }}
"""

def _version_key(version):
    major, minor = version.removeprefix("hip_").split(".")
    return int(major) * 1000 + int(minor)

def _version_script():
    nodes = []
    parent = ""
    for version in sorted(HIP_API.keys(), key = _version_key):
        names = "".join(["    %s;\n" % name for name in HIP_API[version]])
        locals = "" if parent else "  local:\n    *;\n"  # what belongs to no version is not exported
        nodes.append("%s {\n  global:\n%s%s}%s;\n" % (version, names, locals, parent))
        parent = " " + version
    nodes.append("gridwise_1 {\n  global:\n    gridwiseSim*;\n};\n")
    return "".join(nodes)

def _impl(ctx):
    script = ctx.actions.declare_file(ctx.label.name + ".map")
    ctx.actions.write(script, _version_script())
    source = ctx.actions.declare_file(ctx.label.name + ".cc")
    names = [name for version in HIP_API.values() for name in version]
    ctx.actions.write(source, """#include "tools/sim/hip/device/unsupported.h"

extern "C" {{
{stand_ins}}}
""".format(stand_ins = "".join([_STAND_IN.format(name = name) for name in names])))
    return [
        DefaultInfo(files = depset([source])),
        OutputGroupInfo(version_script = depset([script])),
    ]

hip_api = rule(
    implementation = _impl,
    doc = """Writes <name>.cc, a weak function for each entry point that says on stderr that it is not supported and returns
hipErrorNotSupported, and in the output group version_script the script that exports all of them with their versions.""",
)

_NAMES = ["libamdhip64.so", "libamdhip64.so.5", "libamdhip64.so.6", "libamdhip64.so.7"]

def _folder_impl(ctx):
    links = []
    for name in _NAMES:
        link = ctx.actions.declare_file(ctx.label.name + "/" + name)
        ctx.actions.symlink(output = link, target_file = ctx.file.library)
        links.append(link)
    files = depset(links)
    return [DefaultInfo(files = files, runfiles = ctx.runfiles(links))]

hip_library_folder = rule(
    implementation = _folder_impl,
    doc = "The library in the folder <name>/ under every name that programs know it by: links to one file, so that a process that needs two of them loads it once.",
    attrs = {"library": attr.label(allow_single_file = True, mandatory = True)},
)
