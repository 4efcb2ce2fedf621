# SPDX-License-Identifier: MIT
"""gpu_toolchain: where clang and the device libraries are, as strings found by gpu_toolchain_configure."""

GpuToolchainInfo = provider("The device compiler.", fields = {
    "clang": "path of clang++",
    "rocm_path": "prefix of HIP's headers, for programs with host code",
    "flags": "options that every compile action gets",
    "env": "environment of every compile action; names the compiler's version, so that an upgrade misses the cache",
})

def _impl(ctx):
    return [platform_common.ToolchainInfo(gpu = GpuToolchainInfo(
        clang = ctx.attr.clang,
        rocm_path = ctx.attr.rocm_path,
        flags = ctx.attr.flags,
        env = {"GRIDWISE_TOOLCHAIN_ID": ctx.attr.toolchain_id, "PATH": ctx.attr.path},
    ))]

gpu_toolchain = rule(
    implementation = _impl,
    attrs = {
        "clang": attr.string(mandatory = True),
        "flags": attr.string_list(),
        "rocm_path": attr.string(default = "/usr"),
        "path": attr.string(default = "/usr/bin:/bin"),
        "toolchain_id": attr.string(mandatory = True, doc = "First line of `clang --version`."),
    },
)
