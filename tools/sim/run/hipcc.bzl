# SPDX-License-Identifier: MIT
"""hip_compiler: the GPU toolchain's clang as a program that compiles HIP programs."""

load("//tools/build:targets.bzl", "DEFAULT_TARGETS")

def write_hipcc(ctx, template, output, clang, tools, flags, link_flags = []):
    """Writes hipcc.sh with its settings. Each is a word of bash, where $here is the folder of the script.

    Args:
      ctx: of the rule.
      template: hipcc.sh.
      output: the script.
      clang: the compiler.
      tools: the folder where clang finds other programs that it calls.
      flags: options of every call.
      link_flags: options of those that link.
    """
    ctx.actions.expand_template(
        template = template,
        output = output,
        is_executable = True,
        substitutions = {
            "%{clang}": clang,
            "%{devices}": " ".join(DEFAULT_TARGETS),
            "%{flags}": " ".join(flags),
            "%{link_flags}": " ".join(link_flags),
            "%{tools}": tools,
        },
    )

def _impl(ctx):
    toolchain = ctx.toolchains["//tools/build:toolchain_type"].gpu

    # clang finds it by this name in the folder that -B names.
    bundler = ctx.actions.declare_file(ctx.label.name + ".tools/clang-offload-bundler")
    ctx.actions.symlink(output = bundler, target_file = ctx.executable._bundler, is_executable = True)
    script = ctx.actions.declare_file(ctx.label.name)
    write_hipcc(
        ctx,
        template = ctx.file._template,
        output = script,
        clang = toolchain.clang,
        tools = '"$here"/%s.tools' % ctx.label.name,
        flags = ["--rocm-path=" + toolchain.rocm_path] + toolchain.flags,
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
