# SPDX-License-Identifier: MIT
"""hip_compiler: the GPU toolchain's clang as a program that compiles HIP programs."""

load("//tools/build:targets.bzl", "SIM_TEST_TARGETS")

def _impl(ctx):
    toolchain = ctx.toolchains["//tools/build:toolchain_type"].gpu

    # clang finds it by this name in the folder that -B names.
    bundler = ctx.actions.declare_file(ctx.label.name + ".tools/clang-offload-bundler")
    ctx.actions.symlink(output = bundler, target_file = ctx.executable._bundler, is_executable = True)
    script = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.expand_template(
        template = ctx.file._template,
        output = script,
        is_executable = True,
        substitutions = {
            "%{clang}": toolchain.clang,
            "%{devices}": " ".join(SIM_TEST_TARGETS),
            "%{flags}": " ".join(toolchain.flags),
            "%{rocm_path}": toolchain.rocm_path,
            "%{tools}": ctx.label.name + ".tools",
        },
    )
    runfiles = ctx.runfiles([script, bundler]).merge(ctx.attr._bundler[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = script, files = depset([script, bundler]), runfiles = runfiles)]

hip_compiler = rule(
    implementation = _impl,
    doc = "A program that compiles HIP programs, see hipcc.sh.",
    executable = True,
    attrs = {
        "_bundler": attr.label(default = "//tools/sim/samples:bundler", executable = True, cfg = "target"),
        "_template": attr.label(default = ":hipcc.sh", allow_single_file = True),
    },
    toolchains = ["//tools/build:toolchain_type"],
)
