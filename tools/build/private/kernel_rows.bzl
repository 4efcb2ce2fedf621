"""kernel_rows: the rows of a list that one shard compiles, as a source."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("//tools/build:kernel_choice.bzl", "DIRECTIONS", "FAMILIES", "TYPES")

# A row says where it is in the list, so that diagnostics and __LINE__ are those of the list. Which shard it is in does not
# depend on which rows are wanted. How plans use a row (REQUESTED_, instances/README.md) is nothing to its kernel.
_SELECT = """awk -v header="$1" -v shard="$2" -v shards="$3" -v wanted="$4" -v types="$5" '
  BEGIN { print "#include \\"" header "\\"" }
  /^[A-Z][A-Z0-9_]*[(]/ {
    chosen = row++ % shards == shard && $0 ~ wanted && $0 ~ types
    sub(/^REQUESTED_/, "")
    if (chosen) printf "#line %d \\"%s\\"\\n%s\\n", NR, FILENAME, $0
  }' "$6" > "$7"
"""

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
    """Regular expressions that a wanted row matches: its direction's and its type's."""
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

def _impl(ctx):
    wanted, types = _wanted(ctx)
    ctx.actions.run_shell(
        mnemonic = "KernelRows",
        command = _SELECT,
        arguments = [ctx.attr.header, str(ctx.attr.shard), str(ctx.attr.shards), wanted, types, ctx.file.rows.path, ctx.outputs.out.path],
        inputs = [ctx.file.rows],
        outputs = [ctx.outputs.out],
    )
    return [DefaultInfo(files = depset([ctx.outputs.out]))]

kernel_rows = rule(
    implementation = _impl,
    attrs = {
        "rows": attr.label(allow_single_file = True, mandatory = True, doc = "The list."),
        "header": attr.string(mandatory = True, doc = "Include path of the header that defines the rows' macros."),
        "family": attr.string(doc = "Whose rows they are; one that --//tools/config:families does not know is always wanted."),
        "directions": attr.string_dict(doc = "By direction, a regular expression that its rows match; without, all rows are wanted."),
        "shard": attr.int(mandatory = True),
        "shards": attr.int(mandatory = True),
        "out": attr.output(mandatory = True),
        "_families": attr.label(default = "//tools/config:families"),
        "_directions": attr.label(default = "//tools/config:directions"),
        "_types": attr.label(default = "//tools/config:types"),
    },
)
