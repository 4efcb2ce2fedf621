# SPDX-License-Identifier: MIT
"""gpu_object: device code of one source for the target in //tools/config:gfx -> <name>.hsaco or .ptx."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//tools/build:targets.bzl", "TARGETS_BY_ASSEMBLY", "TARGET_OF")

GpuObjectInfo = provider("A code object.", fields = {
    "gfx": "the target, e.g. gfx942; 'none' outside a transition",
    "hsaco": "File, an AMD GPU ELF or PTX; None outside a transition",
})

def _is_nvidia(gfx):
    return gfx.startswith("sm_")

def _language(toolchain, gfx):
    """The options that make clang compile for `gfx`, with no header or library of HIP or CUDA."""
    if not _is_nvidia(gfx):
        return ["-x", "hip", "--offload-arch=" + gfx, "--no-gpu-bundle-output", "-nogpuinc"] + toolchain.flags

    # PTX 9.0 is of CUDA 13.0; without a CUDA installation clang would write 4.2, which has no sm_90a. The driver assembles it.
    ptx = ["-Xclang", "-target-feature", "-Xclang", "+ptx90"]
    return ["-x", "cuda", "--cuda-gpu-arch=" + gfx, "-nocudainc", "-nocudalib", "-S"] + ptx

def compiler_flags(toolchain, gfx, opt):
    """What every kernel is compiled with.

    Args:
      toolchain: a GpuToolchainInfo.
      gfx: the target.
      opt: the level of optimisation.

    Returns:
      a list of strings.
    """
    return _language(toolchain, gfx) + ["--cuda-device-only", "-O" + opt, "-std=c++20", "-Wall", "-Wextra", "-Werror"]

# What compile_command needs to be there: a script and what it reads.
COMPILER_SCRIPTS = [
    "//tools/build/private:compile_by_assembly.sh",
    "//tools/build/private:split_duals.awk",
]

def compile_command(toolchain, gfx, script):
    """What compiles kernels, but for its options.

    Args:
      toolchain: a GpuToolchainInfo.
      gfx: the target.
      script: the first of COMPILER_SCRIPTS, a File or a path.

    Returns:
      a list: the program and its first arguments.
    """
    return ["/bin/sh", script, gfx, toolchain.clang] if TARGET_OF.get(gfx) in TARGETS_BY_ASSEMBLY else [toolchain.clang]

def _impl(ctx):
    toolchain = ctx.toolchains["//tools/build:toolchain_type"].gpu
    gfx = ctx.attr._gfx[BuildSettingInfo].value
    if gfx == "none":  # `bazel build //...` reaches this rule without a target: there is nothing to compile
        return [DefaultInfo(), GpuObjectInfo(gfx = gfx, hsaco = None)]
    contexts = [d[CcInfo].compilation_context for d in ctx.attr.deps]
    out = ctx.actions.declare_file(ctx.label.name + (".ptx" if _is_nvidia(gfx) else ".hsaco"))
    args = ctx.actions.args()
    command = compile_command(toolchain, gfx, ctx.files._scripts[0])
    args.add_all(command[1:])
    args.add_all(compiler_flags(toolchain, gfx, ctx.attr.opt))
    args.add("-ffile-prefix-map=./=")
    lines = ctx.attr._lines[BuildSettingInfo].value
    debug = "-g" if ctx.var["COMPILATION_MODE"] == "dbg" else "-gline-tables-only" if lines else None
    if debug:  # with files as they are named from here, not in a sandbox that is another one for each action
        args.add_all([debug, "-ffile-compilation-dir=."])
    args.add_all(["-iquote", ctx.label.workspace_root or "."])
    for c in contexts:
        args.add_all(c.includes, before_each = "-isystem")
        args.add_all(c.quote_includes, before_each = "-iquote")
        args.add_all(c.system_includes, before_each = "-isystem")
        args.add_all(c.defines, format_each = "-D%s")
    args.add_all(ctx.attr.defines, format_each = "-D%s")
    args.add_all(ctx.attr.copts)
    args.add(ctx.file.src)
    args.add("-o", out)
    ctx.actions.run(
        mnemonic = "GpuCompile",
        progress_message = "Compiling %{label} for " + gfx,
        executable = command[0],
        arguments = [args],
        inputs = depset([ctx.file.src] + ctx.files.hdrs + (ctx.files._scripts if len(command) > 1 else []), transitive = [c.headers for c in contexts]),
        outputs = [out],
        env = toolchain.env,
        execution_requirements = {"supports-path-mapping": "1"},
    )
    return [DefaultInfo(files = depset([out])), GpuObjectInfo(gfx = gfx, hsaco = out)]

gpu_object = rule(
    implementation = _impl,
    doc = "Compiles one source, device code only, to a code object: one action per target.",
    attrs = {
        "src": attr.label(allow_single_file = [".hip"], mandatory = True),
        "hdrs": attr.label_list(allow_files = [".h"]),
        "deps": attr.label_list(providers = [CcInfo], doc = "Only their headers are used."),
        "defines": attr.string_list(),
        "copts": attr.string_list(),
        "opt": attr.string(default = "3", values = ["0", "1", "2", "3", "s"], doc = "Optimisation level."),
        "_gfx": attr.label(default = "//tools/config:gfx"),
        "_lines": attr.label(default = "//tools/config:kernel_lines"),
        "_scripts": attr.label_list(default = COMPILER_SCRIPTS, allow_files = True),
    },
    toolchains = ["//tools/build:toolchain_type"],
)
