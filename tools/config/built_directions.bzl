# SPDX-License-Identifier: MIT
"""built_directions: writes the value of --//tools/config:directions to a header."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("//tools/build:kernel_choice.bzl", "DIRECTIONS")

_HEADER = """#pragma once

namespace gridwise {

/// Whether --//tools/config:directions names each direction: %s.
inline constexpr bool kBuiltDirections[] = {%s};

}  // namespace gridwise
"""

def _impl(ctx):
    wanted = ctx.attr._directions[BuildSettingInfo].value
    ctx.actions.write(ctx.outputs.out, _HEADER % (
        ", ".join(DIRECTIONS),
        ", ".join(["true" if d in wanted else "false" for d in DIRECTIONS]),
    ))

built_directions = rule(
    implementation = _impl,
    attrs = {
        "out": attr.output(mandatory = True),
        "_directions": attr.label(default = "//tools/config:directions"),
    },
)
