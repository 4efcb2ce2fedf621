# SPDX-License-Identifier: MIT
"""The name by which linkers and ctypes find a shared library."""

def _linker_name_impl(ctx):
    link = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = link, target_file = ctx.file.library)
    return [DefaultInfo(
        files = depset([link]),
        runfiles = ctx.runfiles([link, ctx.file.library]).merge(ctx.attr.library[DefaultInfo].default_runfiles),
    )]

linker_name = rule(
    implementation = _linker_name_impl,
    doc = "A symbolic link to a shared library whose file has the name of its soname: libx.so to libx.so.0.",
    attrs = {"library": attr.label(allow_single_file = True, mandatory = True)},
)
