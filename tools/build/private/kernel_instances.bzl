# SPDX-License-Identifier: MIT
"""kernel_instances: the instances of a list that one shard compiles, as a source; kernel_instance_codes: for host code, all of them, or where their kernels are."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("//tools/build:kernel_choice.bzl", "DIRECTIONS", "FAMILIES", "TYPES")

_EVERYTHING, _NOTHING = "^", "^$"

def _any_of(patterns):
    return "(%s)" % "|".join(patterns) if patterns else _NOTHING

def _chosen(flag, known):
    """The names that the user wants of the known ones."""
    names = flag[BuildSettingInfo].value
    for name in names:
        if name not in known:
            fail("%s: '%s' is unknown; known: %s" % (flag.label, name, ", ".join(known)))
    return names

def _wanted(ctx):
    """Regular expressions that a wanted instance matches: its direction's and its type's."""
    families = _chosen(ctx.attr._families, FAMILIES)
    directions = _chosen(ctx.attr._directions, DIRECTIONS)
    types = _chosen(ctx.attr._types, TYPES.keys())
    if ctx.attr.family in FAMILIES and ctx.attr.family not in families:
        return _NOTHING, _NOTHING
    of_directions = _any_of([ctx.attr.directions[d] for d in directions if d in ctx.attr.directions])
    of_types = "[.]type = %s[,)]" % _any_of([TYPES[t] for t in types])
    return (
        of_directions if ctx.attr.directions else _EVERYTHING,
        of_types if len(types) < len(TYPES) else _EVERYTHING,
    )

def _run_awk(ctx, variables):
    ctx.actions.run_shell(
        mnemonic = "KernelInstances",
        # Arguments are the script, the list, the output and pairs of variables and values.
        command = """script=$1 instances=$2 out=$3; shift 3; awk "$@" -f "$script" "$instances" >"$out" """,
        arguments = [ctx.file._script.path, ctx.file.instances.path, ctx.outputs.out.path] +
                    [argument for item in variables.items() for argument in ["-v", "%s=%s" % item]],
        inputs = [ctx.file.instances, ctx.file._script],
        outputs = [ctx.outputs.out],
    )
    return [DefaultInfo(files = depset([ctx.outputs.out]))]

_ATTRS = {
    "instances": attr.label(allow_single_file = True, mandatory = True, doc = "The list."),
    "shards": attr.int(mandatory = True),
    "out": attr.output(mandatory = True),
    "_script": attr.label(allow_single_file = True, default = ":kernel_instances.awk"),
}

def _instances_impl(ctx):
    wanted, types = _wanted(ctx)
    return _run_awk(ctx, {
        "what": "source",
        "shards": ctx.attr.shards,
        "shard": ctx.attr.shard,
        "header": ctx.attr.header,
        "wanted": wanted,
        "types": types,
    })

kernel_instances = rule(
    implementation = _instances_impl,
    attrs = _ATTRS | {
        "header": attr.string(mandatory = True, doc = "Include path of the header that defines the instances' macros."),
        "family": attr.string(doc = "Whose instances they are; one that --//tools/config:families does not know is always wanted."),
        "directions": attr.string_dict(doc = "By direction, a regular expression that its instances match; without, all instances are wanted."),
        "shard": attr.int(mandatory = True),
        "_families": attr.label(default = "//tools/config:families"),
        "_directions": attr.label(default = "//tools/config:directions"),
        "_types": attr.label(default = "//tools/config:types"),
    },
)

def _codes_impl(ctx):
    return _run_awk(ctx, {"what": ctx.attr.what, "shards": ctx.attr.shards})

kernel_instance_codes = rule(
    implementation = _codes_impl,
    attrs = _ATTRS | {"what": attr.string(mandatory = True, values = ["codes", "instances"])},
)
