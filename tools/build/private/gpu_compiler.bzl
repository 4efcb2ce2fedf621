"""gpu_compiler: what a program needs to compile kernels while it runs."""

load("@rules_cc//cc:defs.bzl", "CcInfo")
load(":gpu_object.bzl", "compiler_flags")

def _impl(ctx):
    toolchain = ctx.toolchains["//tools/build:toolchain_type"].gpu
    headers = depset(transitive = [d[CcInfo].compilation_context.headers for d in ctx.attr.deps])
    out = ctx.actions.declare_file(ctx.label.name + ".json")
    ctx.actions.write(out, json.encode_indent({
        "clang": toolchain.clang,
        "env": toolchain.env,
        "flags": {gfx: compiler_flags(toolchain, gfx, "3") for gfx in ctx.attr.targets},
        "headers": sorted([h.short_path for h in headers.to_list()]),
    }))
    return [DefaultInfo(
        files = depset([out]),
        runfiles = ctx.runfiles(files = [out], transitive_files = headers),
    )]

gpu_compiler = rule(
    implementation = _impl,
    doc = "Writes <name>.json: the device compiler and, for each target, the flags that gpu_object gives it, and the paths of " +
          "the deps' headers. Programs that have it as data have these headers, too.",
    attrs = {
        "deps": attr.label_list(providers = [CcInfo], doc = "Only their headers are used."),
        "targets": attr.string_list(mandatory = True),
    },
    toolchains = ["//tools/build:toolchain_type"],
)
