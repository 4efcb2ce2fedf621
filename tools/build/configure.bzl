# SPDX-License-Identifier: MIT
"""Repository rules that find what the machine provides: the device compiler, HIP, LLVM and oneDNN."""

_DEVICE_LIBS = [
    "/opt/rocm/amdgcn/bitcode",
    "/usr/lib/llvm-22/lib/clang/22/amdgcn/bitcode",
    "/usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode",
]

def _gpu_toolchain_impl(rctx):
    clang = rctx.getenv("GRIDWISE_CLANG") or rctx.which("clang++-22") or rctx.which("amdclang++") or rctx.which("clang++")
    if not clang:
        fail("gridwise: no clang++ found. Install clang-22, or set --repo_env=GRIDWISE_CLANG=/path/to/clang++")
    clang = str(clang)
    bindir = rctx.path(clang).realpath.dirname  # beside it: lld
    version = rctx.execute([clang, "--version"])
    if version.return_code != 0:
        fail("gridwise: '%s --version' failed: %s" % (clang, version.stderr))
    lib = [d for d in _DEVICE_LIBS if rctx.path(d).exists]
    flags = ["--rocm-device-lib-path=" + lib[0]] if lib else ["-nogpulib"]
    rctx.file("BUILD.bazel", """load("{toolchain_bzl}", "gpu_toolchain")

gpu_toolchain(
    name = "toolchain",
    clang = {clang},
    flags = {flags},
    path = {path},
    rocm_path = {rocm_path},
    toolchain_id = {id},
    visibility = ["//visibility:public"],
)
""".format(
        toolchain_bzl = rctx.attr._toolchain_bzl,
        clang = repr(clang),
        flags = repr(flags),
        path = repr(str(bindir) + ":/usr/bin:/bin"),
        rocm_path = repr("/opt/rocm" if rctx.path("/opt/rocm/include/hip/hip_version.h").exists else "/usr"),
        id = repr(version.stdout.split("\n")[0]),
    ))

gpu_toolchain_configure = repository_rule(
    implementation = _gpu_toolchain_impl,
    doc = "Declares @<name>//:toolchain, the system's clang for AMD GPUs.",
    attrs = {"_toolchain_bzl": attr.label(default = "//tools/build:toolchain.bzl")},
    environ = ["GRIDWISE_CLANG", "PATH"],
    local = True,
    configure = True,
)

def _system_library_impl(rctx):
    found = [p for p in rctx.attr.prefixes if rctx.path(p + "/include/" + rctx.attr.probe).exists]
    if not found and rctx.attr.define_if_missing:
        rctx.file("BUILD.bazel", """load("@rules_cc//cc:defs.bzl", "cc_library")

[cc_library(
    name = target,
    defines = [{define}],
    visibility = ["//visibility:public"],
) for target in ["headers", {name}]]
""".format(define = repr(rctx.attr.define_if_missing), name = repr(rctx.attr.target)))
        return
    if not found:
        # The error is raised by the targets that need the library, not by everybody who loads the repository.
        rctx.file("BUILD.bazel", """load("{missing_bzl}", "missing_library")

[missing_library(
    name = target,
    message = {message},
    visibility = ["//visibility:public"],
) for target in ["headers", {name}]]
""".format(
            missing_bzl = rctx.attr._missing_bzl,
            name = repr(rctx.attr.target),
            message = repr("gridwise: include/%s is not in any of %s; install %s" % (rctx.attr.probe, ", ".join(rctx.attr.prefixes), rctx.attr.package)),
        ))
        return

    # The C++ toolchain finds headers and libraries below /usr itself, here and when a program starts; the headers of
    # other prefixes are linked into this repository.
    prefix = found[0]
    globs, includes, linkopts = "[]", [], []
    if prefix != "/usr":
        for d in rctx.attr.header_folders:
            rctx.symlink(prefix + "/include/" + d, "include/" + d)
        globs = "glob([\"include/**\"])"
        includes = ["include"]
        linkopts = ["-L%s/lib" % prefix, "-Wl,-rpath,%s/lib" % prefix]
    rctx.file("BUILD.bazel", """load("@rules_cc//cc:defs.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])

cc_library(
    name = "headers",
    hdrs = {globs},
    defines = {defines},
    includes = {includes},
)

cc_library(
    name = {name},
    linkopts = {linkopts},
    deps = [":headers"],
)
""".format(
        name = repr(rctx.attr.target),
        globs = globs,
        defines = repr(rctx.attr.defines),
        includes = repr(includes),
        linkopts = repr(linkopts + rctx.attr.linkopts),
    ))

system_library = repository_rule(
    implementation = _system_library_impl,
    doc = "Declares @<name>//:headers and @<name>//:<target>, the headers and the whole of an installed library.",
    attrs = {
        "target": attr.string(mandatory = True),
        "package": attr.string(mandatory = True, doc = "What to install when the library is missing."),
        "probe": attr.string(mandatory = True, doc = "A header of the library, as it is included."),
        "prefixes": attr.string_list(mandatory = True, doc = "Folders with include/ and lib/; the first that has the probe is used."),
        "header_folders": attr.string_list(doc = "Folders of include/ that hold the library's headers; not needed below /usr."),
        "defines": attr.string_list(),
        "linkopts": attr.string_list(),
        "define_if_missing": attr.string(doc = "What code that does without the library is told; empty: it is required."),
        "_missing_bzl": attr.label(default = "//tools/build:missing.bzl"),
    },
    local = True,
    configure = True,
)

# Debian's static libraries of Abseil are not position-independent, so shared libraries cannot link them.
_ABSEIL_SOURCES = {
    "20260526.0": "6e1aee535473414164bf83e4ebc40240dec71a4701f8a642d906e95bea1aea0c",
}
_ABSEIL_URLS = [
    "http://deb.debian.org/debian/pool/main/a/abseil/abseil_{}.orig.tar.gz",
    "https://github.com/abseil/abseil-cpp/archive/refs/tags/{}.tar.gz",
]
_ABSEIL_FOLDERS = ["base", "container", "crc", "debugging", "hash", "numeric", "profiling", "random", "status", "strings", "synchronization", "time"]

def _macro_of(text, name):
    """The value of the first '#define name value' of a header."""
    return text.split("#define %s " % name)[1].split("\n")[0].strip()

def _abseil_objects_impl(rctx):
    if not rctx.path("/usr/lib/bazelw").exists:  # com_google_absl is built from its source, and is no shared library
        rctx.file("BUILD.bazel", """load("@rules_cc//cc:defs.bzl", "cc_library")

cc_library(
    name = "objects",
    visibility = ["//visibility:public"],
)
""")
        return
    config = rctx.read("/usr/include/absl/base/config.h")
    version = ".".join([_macro_of(config, "ABSL_LTS_RELEASE_" + part) for part in ["VERSION", "PATCH_LEVEL"]])
    if version not in _ABSEIL_SOURCES:
        fail("gridwise: Debian's Abseil is now %s; tools/build/configure.bzl has the sources of %s" % (version, ", ".join(_ABSEIL_SOURCES)))
    rctx.download_and_extract(
        url = [url.format(version) for url in _ABSEIL_URLS],
        sha256 = _ABSEIL_SOURCES[version],
        stripPrefix = "abseil-cpp-" + version,
    )

    # The headers are those in /usr/include, as for everything else.
    rctx.execute(["find", ".", "(", "-name", "*.h", "-o", "-name", "*.inc", "-o", "-name", "BUILD.bazel", ")", "-delete"])
    rctx.file("BUILD.bazel", """load("@rules_cc//cc:defs.bzl", "cc_library")

cc_library(
    name = "objects",
    srcs = glob(
        ["absl/%s/**/*.cc" % folder for folder in {folders}],
        exclude = ["**/*%s*" % part for part in ["test", "benchmark", "mock", "print_hash_of", "gentables", "chi_square", "_win."]],
    ),
    copts = ["-w"],
    features = ["-layering_check"],
    linkstatic = True,
    visibility = ["//visibility:public"],
)
""".format(folders = repr(_ABSEIL_FOLDERS)))

abseil_objects = repository_rule(
    implementation = _abseil_objects_impl,
    doc = "Declares @<name>//:objects, what a shared library links of Abseil where com_google_absl is Debian's; else it is empty.",
)

def gridwise_system_repositories():
    """Declares the repositories of what the machine provides."""
    abseil_objects(name = "local_abseil")
    gpu_toolchain_configure(name = "local_gpu_toolchain")
    system_library(
        name = "local_flatbuffers",
        target = "flatbuffers",
        package = "libflatbuffers-dev",
        probe = "flatbuffers/flatbuffers.h",
        prefixes = ["/usr"],
        header_folders = ["flatbuffers"],
    )
    system_library(
        name = "local_hip",
        target = "hip",
        package = "libamdhip64-dev or ROCm",
        probe = "hip/hip_runtime_api.h",
        prefixes = ["/opt/rocm", "/usr"],
        header_folders = ["hip"],
        defines = ["__HIP_PLATFORM_AMD__=1"],
        linkopts = ["-lamdhip64"],
    )
    system_library(
        name = "local_llvm",
        target = "llvm",
        package = "llvm-22-dev",
        probe = "llvm/MC/MCDisassembler/MCDisassembler.h",
        prefixes = ["/usr/lib/llvm-22"],
        header_folders = ["llvm", "llvm-c"],
        linkopts = ["-lLLVM-22"],
    )
    system_library(
        name = "local_onnx",
        target = "onnx",
        package = "libonnx-dev and libprotobuf-dev",
        probe = "onnx/onnx_pb.h",
        prefixes = ["/usr"],
        defines = ["ONNX_ML=1", "ONNX_NAMESPACE=onnx"],
        linkopts = ["-lonnx", "-lonnx_proto", "-lprotobuf-lite"],
        define_if_missing = "GRIDWISE_WITHOUT_ONNX=1",
    )
    system_library(
        name = "local_onednn",
        target = "onednn",
        package = "libdnnl-dev",
        probe = "oneapi/dnnl/dnnl.hpp",
        prefixes = ["/usr"],
        linkopts = ["-ldnnl"],
    )
    system_library(
        name = "local_lzma",
        target = "lzma",
        package = "liblzma-dev",
        probe = "lzma.h",
        prefixes = ["/usr"],
        linkopts = ["-llzma"],
    )
    system_library(
        name = "local_zlib",
        target = "zlib",
        package = "zlib1g-dev",
        probe = "zlib.h",
        prefixes = ["/usr"],
        linkopts = ["-lz"],
    )
