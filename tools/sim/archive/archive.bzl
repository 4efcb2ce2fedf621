# SPDX-License-Identifier: MIT
"""sim_archive: a tar with programs and everything of this system that they need, for others."""

load("//tools/sim/run:hipcc.bzl", "write_hipcc")

# hipcc of the archive lies in libexec, and names what is beside that by its own path. Programs that it links have its loader
# and its libraries; DT_RPATH, unlike DT_RUNPATH, holds for what their libraries need, too.
_FLAGS = [
    "-no-canonical-prefixes",  # clang calls itself by the name that starts it, not by that of the loader
    '--sysroot="${here%/*}"',
    '--rocm-path="${here%/*}/usr"',
    '--rocm-device-lib-path="${here%/*}/lib/clang/amdgcn"',
]
_LINK_FLAGS = [
    "-fuse-ld=lld",
    "-Xlinker",
    '--dynamic-linker="${here%/*}/lib/ld-linux-x86-64.so.2"',
    "-Xlinker",
    '-rpath="${here%/*}/lib"',
    "-Xlinker",
    "--disable-new-dtags",
]

def _impl(ctx):
    toolchain = ctx.toolchains["//tools/build:toolchain_type"].gpu
    hipcc = ctx.actions.declare_file(ctx.label.name + ".hipcc")
    write_hipcc(
        ctx,
        template = ctx.file._hipcc,
        output = hipcc,
        clang = '"$here"/clang++',
        tools = '"$here"',
        flags = _FLAGS,
        link_flags = _LINK_FLAGS,
    )
    device_libraries = [flag.split("=")[1] for flag in toolchain.flags if flag.startswith("--rocm-device-lib-path=")]
    if not device_libraries:
        fail("there are no device libraries; install rocm-device-libs-21")

    out = ctx.actions.declare_file(ctx.label.name + ".tar")
    inputs = [hipcc, ctx.file._start, ctx.file._hip_library]
    args = ctx.actions.args()
    args.add("--out", out)
    args.add("--folder", ctx.label.name)
    args.add("--start", ctx.file._start)
    args.add("--clang", toolchain.clang)
    args.add("--device-libraries", device_libraries[0])
    args.add("--rocm", toolchain.rocm_path)
    args.add("--hip-library", ctx.file._hip_library)
    args.add("--file", hipcc, format = "libexec/hipcc=%s")
    for program, name in ctx.attr.programs.items():
        args.add("--program", program[DefaultInfo].files_to_run.executable, format = name + "=%s")
        inputs.append(program[DefaultInfo].files_to_run.executable)
    for file, folder in ctx.attr.files.items():
        for each in file.files.to_list():
            args.add("--file", each, format = "%s/%s=%%s" % (folder, each.basename))
            inputs.append(each)
    for name, target in ctx.attr.links.items():
        args.add("--link", "%s=%s" % (name, target))
    ctx.actions.run(
        outputs = [out],
        inputs = inputs,
        executable = ctx.executable._writer,
        toolchain = None,
        arguments = [args],
        use_default_shell_env = True,  # it names the packages that /usr has
        execution_requirements = {"no-cache": ""},  # written faster than kept
        mnemonic = "SimArchive",
        progress_message = "Writing %{output}",
    )
    return [DefaultInfo(files = depset([out]))]

sim_archive = rule(
    implementation = _impl,
    doc = "Writes <name>.tar, whose only folder is <name>: see write_archive.py.",
    attrs = {
        "programs": attr.label_keyed_string_dict(mandatory = True, doc = "Programs, and their names in libexec."),
        "files": attr.label_keyed_string_dict(allow_files = True, doc = "Files, and the folders that they are put into."),
        "links": attr.string_dict(doc = "Symbolic links, and what they lead to."),
        "_hip_library": attr.label(default = "//tools/sim/hip:amdhip64_shared.so", allow_single_file = True),
        "_hipcc": attr.label(default = "//tools/sim/run:hipcc.sh", allow_single_file = True),
        "_start": attr.label(default = ":start.sh", allow_single_file = True),
        "_writer": attr.label(default = ":write_archive", executable = True, cfg = "exec"),
    },
    toolchains = ["//tools/build:toolchain_type"],
)
