# SPDX-License-Identifier: MIT
"""A wheel of the package and its library, and what links the library with nothing that other systems lack."""

def _static_libraries_impl(ctx):
    folder = ctx.actions.declare_directory(ctx.label.name)
    ctx.actions.run_shell(
        outputs = [folder],
        # Where there are none, as where Abseil is built from its source, the folder stays empty.
        command = "for file in {}; do [ ! -e $file ] || cp $file {}; done".format(" ".join(ctx.attr.files), folder.path),
        mnemonic = "StaticLibraries",
        progress_message = "Collecting static libraries",
    )
    return [DefaultInfo(files = depset([folder]))]

static_libraries = rule(
    implementation = _static_libraries_impl,
    doc = "A folder with libraries of the system. With -L of it a linker takes these and no shared ones of the same name.",
    attrs = {"files": attr.string_list(mandatory = True, doc = "Patterns of paths, as of a shell.")},
)

def _wheel_impl(ctx):
    name = "{}-{}-py3-none-{}.whl".format(ctx.attr.distribution, ctx.attr.version, ctx.attr.platform)
    wheel = ctx.actions.declare_file(name)
    args = ctx.actions.args()
    args.add_all(["--out", wheel])
    args.add("--library", ctx.file.library)
    for extension, folder in ctx.attr.extensions.items():
        args.add_all(extension.files, before_each = "--extension", format_each = folder + "=%s")
    args.add("--license", ctx.file.license)
    args.add("--readme", ctx.file.readme)
    args.add("--root", ctx.attr.root)
    args.add_all(ctx.files.srcs)
    ctx.actions.run(
        outputs = [wheel],
        inputs = ctx.files.srcs + ctx.files.extensions + [ctx.file.library, ctx.file.license, ctx.file.readme],
        executable = ctx.executable._writer,
        toolchain = None,
        arguments = [args],
        mnemonic = "Wheel",
        progress_message = "Writing %{output}",
    )
    return [DefaultInfo(files = depset([wheel]))]

wheel = rule(
    implementation = _wheel_impl,
    doc = "A wheel (PEP 427) of Python sources and a library that lies beside the first package's __init__.py.",
    attrs = {
        "distribution": attr.string(mandatory = True),
        "version": attr.string(mandatory = True),
        "platform": attr.string(mandatory = True, doc = "A tag of PEP 600, whose glibc the library must not outgrow."),
        "root": attr.string(mandatory = True, doc = "The folder of the sources that holds the package."),
        "srcs": attr.label_list(allow_files = [".py", ".typed"], mandatory = True),
        "library": attr.label(allow_single_file = True, mandatory = True),
        "extensions": attr.label_keyed_string_dict(allow_files = [".so"], doc = "More libraries, and their folders."),
        "license": attr.label(allow_single_file = True, mandatory = True),
        "readme": attr.label(allow_single_file = True, mandatory = True),
        "_writer": attr.label(default = "//gridwise/python:write_wheel", executable = True, cfg = "exec"),
    },
)
