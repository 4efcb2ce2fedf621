# SPDX-License-Identifier: MIT
"""requires_cxx20: a library without code that cannot be built where C++ is older than C++20."""

load("@rules_cc//cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

_OLDER = ["98", "03", "0x", "11", "1y", "14", "1z", "17"]

def _impl(ctx):
    toolchain = find_cc_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features + ["layering_check", "module_maps"],
    )
    options = cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = CPP_COMPILE_ACTION_NAME,
        variables = cc_common.create_compile_variables(
            feature_configuration = features,
            cc_toolchain = toolchain,
            user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts,
        ),
    )
    standards = [o for o in options if o.startswith("-std=c++") or o.startswith("-std=gnu++")]
    if standards and standards[-1].split("++")[1] in _OLDER:
        fail("Gridwise needs C++20, and C++ is compiled with %s; add to .bazelrc: " % standards[-1] +
             "build --cxxopt=-std=c++20 --host_cxxopt=-std=c++20")
    return [CcInfo()]

requires_cxx20 = rule(
    implementation = _impl,
    doc = "Everybody depends on it, so that the including repository is told once, and before anything is compiled.",
    fragments = ["cpp"],
    toolchains = use_cc_toolchain(),
)
