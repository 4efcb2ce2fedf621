# SPDX-License-Identifier: MIT
"""gpu_test: one test target per GPU target around one host binary."""

load("@rules_cc//cc:defs.bzl", "cc_binary")
load("//tools/build:targets.bzl", "AMD_TARGETS", "DEFAULT_TARGETS", "with_kernels_of")

def _impl(ctx):
    executable = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = executable, target_file = ctx.executable.runner, is_executable = True)
    runfiles = ctx.runfiles(files = ctx.files.data).merge_all([
        dep[DefaultInfo].default_runfiles
        for dep in [ctx.attr.runner] + ctx.attr.data
    ])
    environment = dict(ctx.attr.env, GRIDWISE_TEST_TARGET = ctx.attr.gfx)
    return [
        DefaultInfo(executable = executable, runfiles = runfiles),
        RunEnvironmentInfo(environment = environment),
    ]

_gpu_target_test = rule(
    implementation = _impl,
    test = True,
    attrs = {
        "runner": attr.label(executable = True, cfg = "target", mandatory = True),
        "data": attr.label_list(allow_files = True),
        "env": attr.string_dict(),
        "gfx": attr.string(mandatory = True),
    },
)

def _devices(target):
    """The environment in which the simulator has a device of the target, beside the devices that it has by default."""
    if target in DEFAULT_TARGETS or target not in AMD_TARGETS:
        return {}
    return {"GRIDWISE_SIM_DEVICES": ",".join(DEFAULT_TARGETS + [target])}

def gpu_test(name, srcs = [], deps = [], binary = None, targets = AMD_TARGETS, tags = [], size = "small", data = [], env = {}, env_of = {}, shard_count = None, own_code = False, adds_devices = False, **kwargs):
    """Declares <name>_<target> for each GPU target, with tags + [target], and the suite <name> of them.

    The test reads the target that it is for from the environment variable GRIDWISE_TEST_TARGET.

    Args:
      name: name of the suite; the binary is <name>_bin, unless one is given.
      srcs: C++ sources of the test.
      deps: their dependencies.
      binary: in place of srcs: a test program that several gpu_tests share, with data and env of their own.
      targets: GPU targets to test on.
      tags: "smoke" or "regression", and others.
      size: as of any Bazel test.
      data: files the test reads.
      env: environment variables of the test.
      env_of: by target, others of its test, which go before.
      shard_count: as of any Bazel test.
      adds_devices: whether the program adds the devices that it wants to the simulator's (gridwiseSimAddDevice), which a list of devices in the environment rules out.
      own_code: whether the test is of code compiled for its target alone, not for its family.
      **kwargs: for the cc_binary.
    """
    if not binary:
        binary = name + "_bin"
        cc_binary(
            name = binary,
            testonly = True,
            srcs = srcs,
            tags = ["manual"],
            deps = deps,
            **kwargs
        )
    for target in targets:
        _gpu_target_test(
            name = name + "_" + target,
            size = size,
            data = data,
            env = ({} if adds_devices else _devices(target)) | env | env_of.get(target, {}),
            gfx = target,
            runner = binary,
            shard_count = shard_count,
            tags = tags + [target],
            target_compatible_with = with_kernels_of([target], own_code),
        )
    native.test_suite(
        name = name,
        tests = [name + "_" + target for target in targets],
    )
