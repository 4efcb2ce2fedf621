# SPDX-License-Identifier: MIT
"""A library that is not installed: fails, with a sentence, only when something depends on it."""

def _impl(ctx):
    fail(ctx.attr.message)

missing_library = rule(
    implementation = _impl,
    attrs = {"message": attr.string(mandatory = True)},
)
