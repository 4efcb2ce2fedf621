# SPDX-License-Identifier: MIT
"""gpu_compiler: what a program needs to compile kernels while it runs."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load(":gpu_object.bzl", "COMPILER_SCRIPTS", "compile_command", "compiler_flags")

def _impl(ctx):
    toolchain = ctx.toolchains["//tools/build:toolchain_type"].gpu
    headers = depset(transitive = [d[CcInfo].compilation_context.headers for d in ctx.attr.deps])
    out = ctx.actions.declare_file(ctx.label.name + ".json")
    scripts = ctx.files._scripts
    ctx.actions.write(out, json.encode_indent({
        "commands": {
            gfx: compile_command(toolchain, gfx, scripts[0].short_path) + compiler_flags(toolchain, gfx, "3")
            for gfx in ctx.attr.targets
        },
        "env": toolchain.env,
        "headers": sorted([h.short_path for h in headers.to_list()]),
        "scripts": [s.short_path for s in scripts],
    }))
    return [DefaultInfo(
        files = depset([out]),
        runfiles = ctx.runfiles(files = [out] + scripts, transitive_files = headers),
    )]

gpu_compiler = rule(
    implementation = _impl,
    doc = "Writes <name>.json: for each target the compiler and the flags that gpu_object gives it, the paths of the deps' headers " +
          "and of the scripts among the compilers' words. Programs that have it as data have these files, too.",
    attrs = {
        "deps": attr.label_list(providers = [CcInfo], doc = "Only their headers are used."),
        "targets": attr.string_list(mandatory = True),
        "_scripts": attr.label_list(default = COMPILER_SCRIPTS, allow_files = True),
    },
    toolchains = ["//tools/build:toolchain_type"],
)
