# SPDX-License-Identifier: MIT
"""hopper_kind: the targets of a kind of kernels, which a folder of //hopper holds."""

load("@rules_cc//cc:defs.bzl", "cc_library", "cc_test")

def hopper_kind(
        config_hdrs,
        config_deps,
        kernel_deps,
        plan_deps,
        kernel_hdrs = [],
        plan_srcs = [],
        plan_hdrs = [],
        on_host_test_deps = [],
        plan_test_deps = []):
    """Declares `config`, `kernel`, `plan` and `on_host_test`, which runs the kernels on the host, and `plan_test` if it has deps.

    Args:
      config_hdrs: what kernel and plan share: the config of a kernel, its arguments, or both.
      config_deps: of `config`.
      kernel_deps: of `kernel`, beside `config`.
      plan_deps: of `plan`, beside `config` and what every kind's needs.
      kernel_hdrs: beside kernel.h.
      plan_srcs: beside plan.cc.
      plan_hdrs: beside plan.h.
      on_host_test_deps: of `on_host_test`, beside what every kind's needs.
      plan_test_deps: of `plan_test`, beside what every kind's needs.
    """
    cc_library(
        name = "config",
        hdrs = config_hdrs,
        visibility = ["//hopper:__subpackages__", "//instances/hopper:__pkg__"],
        deps = config_deps,
    )

    cc_library(
        name = "kernel",
        hdrs = ["kernel.h"] + kernel_hdrs,
        features = ["-parse_headers"],  # device code
        deps = [":config"] + kernel_deps,
    )

    cc_library(
        name = "plan",
        srcs = ["plan.cc"] + plan_srcs,
        hdrs = ["plan.h"] + plan_hdrs,
        deps = [
            ":config",
            "//core/base:math",
            "//core/conv:problem",
            "//core/launch:part_kernel",
            "//hopper/base:plan",
        ] + plan_deps,
    )

    cc_test(
        name = "on_host_test",
        size = "medium",
        srcs = ["on_host_test.cc"],
        copts = ["-Wno-pass-failed"],  # only a GPU's registers need loops unrolled
        tags = ["smoke"],
        deps = [
            ":kernel",
            ":plan",
            "//core/conv:problem",
            "//core/launch:part_kernel",
            "//hopper/testing:check_on_host",
            "@com_google_googletest//:gtest_main",
        ] + on_host_test_deps,
    )

    if plan_test_deps:
        cc_test(
            name = "plan_test",
            size = "small",
            srcs = ["plan_test.cc"],
            tags = ["smoke"],
            deps = [
                ":config",
                ":plan",
                "//core/arch:target",
                "//core/conv:problem",
                "//core/launch:part_kernel",
                "@com_google_googletest//:gtest_main",
            ] + plan_test_deps,
        )
