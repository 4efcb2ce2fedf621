# SPDX-License-Identifier: MIT
"""Ordinary HIP programs, compiled by clang as anybody would, and tests that run them under //tools/sim:run."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//tools/build:targets.bzl", "built_targets", "with_kernels_of")

def _program_impl(ctx):
    toolchain = ctx.toolchains["//tools/build:toolchain_type"].gpu
    out = ctx.actions.declare_file(ctx.label.name)
    contexts = [d[CcInfo].compilation_context for d in ctx.attr._headers]
    args = ctx.actions.args()
    args.add_all(["-std=c++20", "-O" + ctx.attr.opt, "-Wall", "-Werror"])
    args.add_all(ctx.attr.targets, format_each = "--offload-arch=%s")
    for c in contexts:
        args.add_all(c.system_includes, before_each = "-isystem")
        args.add_all(c.includes, before_each = "-isystem")
    args.add_all(ctx.attr.copts)
    if ctx.attr.device_only:
        args.add("--genco")
    else:
        # The simulator's library takes a sanitizer's runtime from the program.
        sanitizers = [option for option in ctx.fragments.cpp.linkopts if option.startswith("-fsanitize=")]
        args.add_all(sanitizers, before_each = "-Xarch_host")
    args.add(ctx.file.src)
    args.add("-o", out)
    args.add_all(ctx.attr.linkopts)
    ctx.actions.run(
        mnemonic = "HipProgram",
        progress_message = "Compiling HIP program %{label}",
        executable = ctx.executable._hipcc,
        toolchain = None,
        arguments = [args],
        inputs = depset([ctx.file.src] + ctx.files.hdrs, transitive = [c.headers for c in contexts]),
        tools = [ctx.attr._hipcc[DefaultInfo].files_to_run, ctx.attr._hipcc[DefaultInfo].default_runfiles.files],
        outputs = [out],
        env = toolchain.env,
    )
    return [DefaultInfo(files = depset([out]), executable = out)]

_hip_program = rule(
    implementation = _program_impl,
    doc = "Compiles one HIP source by //tools/sim:hipcc, for host and devices, to a program that is linked against the system's libamdhip64.",
    executable = True,
    fragments = ["cpp"],
    attrs = {
        "src": attr.label(allow_single_file = [".hip"], mandatory = True),
        "hdrs": attr.label_list(allow_files = [".h"]),
        "targets": attr.string_list(mandatory = True),
        "opt": attr.string(default = "2"),
        "copts": attr.string_list(),
        "linkopts": attr.string_list(),
        "device_only": attr.bool(doc = "Makes the bundle of code objects alone."),
        "_headers": attr.label_list(default = ["@local_hip//:headers"]),
        "_hipcc": attr.label(default = "//tools/sim:hipcc", executable = True, cfg = "exec"),
    },
    toolchains = ["//tools/build:toolchain_type"],
)

def hip_program(name, **kwargs):
    """Declares a program that has code for the targets that this build is for.

    Args:
      name: of the program.
      **kwargs: src, hdrs, opt, copts, linkopts, and device_only to make the bundle of code objects alone.
    """
    _hip_program(name = name, targets = built_targets(), **kwargs)

_SCRIPT = """#!/bin/sh
unset BUILD_WORKING_DIRECTORY
export GRIDWISE_SIM_EXITCODE=99  # status of a program with findings of check mode
errors=$TEST_TMPDIR/stderr
output=$({run} --device={device} {mode} {program} {args} 2>"$errors")
code=$?
cat "$errors" >&2
grep -qF '{stderr}' "$errors" || [ -z '{stderr}' ] || {{
  echo 'stderr does not say: {stderr}'
  exit 1
}}
if [ "$code" -ne {code} ]; then
  echo "exit code $code, not {code}; stdout: $output"
  exit 1
fi
if [ "$output" != '{stdout}' ]; then
  echo "stdout is: $output"
  exit 1
fi
"""

def _test_impl(ctx):
    script = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(script, _SCRIPT.format(
        run = ctx.executable._run.short_path,
        device = ctx.attr.device,
        mode = "--check" if ctx.attr.check else "--time" if ctx.attr.time else "",
        program = ctx.executable.program.short_path,
        args = " ".join([ctx.expand_location(a, ctx.attr.data) for a in ctx.attr.arguments]),
        stderr = ctx.attr.stderr,
        stdout = ctx.attr.stdout,
        code = ctx.attr.exit_code,
    ), is_executable = True)
    runfiles = ctx.runfiles(files = ctx.files.data + [ctx.executable.program]).merge(ctx.attr._run[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = script, runfiles = runfiles)]

sim_program_test = rule(
    implementation = _test_impl,
    doc = "Runs a program under //tools/sim:run on `device`, and checks its exit code and what it prints.",
    test = True,
    attrs = {
        "program": attr.label(executable = True, cfg = "target", mandatory = True),
        "device": attr.string(mandatory = True, doc = "As of run's --device."),
        "check": attr.bool(doc = "Runs it in check mode."),
        "time": attr.bool(doc = "Runs it with the clock: events tell its time."),
        "arguments": attr.string_list(doc = "$(rootpath ...) of `data` is expanded."),
        "data": attr.label_list(allow_files = True),
        "stderr": attr.string(doc = "What is somewhere in it."),
        "stdout": attr.string(),
        "exit_code": attr.int(),
        "_run": attr.label(default = "//tools/sim:run", executable = True, cfg = "target"),
    },
)

def hip_sample_test(name, targets, src = None, devices = "{}", check = False, arguments = [], data = [], stdout = "", stderr = "", exit_code = 0, **kwargs):
    """Compiles a sample for the targets of the build and declares the tests <name>_<target>, tagged smoke and target.

    Args:
      name: name of the program.
      src: its source, if not <name>.hip.
      targets: targets to test on.
      devices: run's --device, with {} for the target.
      check: whether it runs in check mode, which must find nothing.
      arguments: of the program.
      data: files that they name.
      stdout: what the program prints.
      stderr: what is somewhere in what it, or the simulator, says on stderr.
      exit_code: of the program; 99 if check mode finds something.
      **kwargs: for the hip_program.
    """
    hip_program(
        name = name,
        src = src or name + ".hip",
        hdrs = ["check.h"],
        **kwargs
    )
    for target in targets:
        sim_program_test(
            name = name + "_" + target,
            size = "small",
            arguments = arguments,
            check = check,
            data = data,
            device = devices.replace("{}", target),
            exit_code = exit_code,
            program = name,
            stderr = stderr,
            stdout = stdout,
            tags = ["smoke", target],
            target_compatible_with = with_kernels_of([target], own_code = True),
        )
    native.test_suite(
        name = name + "_test",
        tests = [name + "_" + target for target in targets],
    )
