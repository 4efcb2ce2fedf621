# SPDX-License-Identifier: MIT
"""gpu_library: code objects of several shards and targets, embedded in a host library."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//tools/build:targets.bzl", "AMD_TARGETS", "TARGET_OF")
load(":gpu_object.bzl", "GpuObjectInfo")
load(":transitions.bzl", "split_transition")

_ASM = """.section .rodata.gpu_code,"a",@progbits
.p2align 12
.globl {symbol}
.hidden {symbol}
{symbol}: .incbin "{path}"
.globl {symbol}_end
.hidden {symbol}_end
{symbol}_end:
"""

_HEADER = """#pragma once

#include "tools/build/code_object.h"

namespace {namespace} {{

/// The code objects of {label}: one per shard and target ({targets}).
gridwise::CodeObjects {function}();

}}  // namespace {namespace}
"""

_SOURCE = """#include "{header}"

extern "C" {{
{declarations}}}

namespace {namespace} {{

gridwise::CodeObjects {function}() {{
{body}}}

}}  // namespace {namespace}
"""

def _camel_case(name):
    return "".join([word.capitalize() for word in name.split("_")])

def _objects(ctx):
    """Returns [struct(target, shard, file)], with files named the same whatever the configuration's hash."""
    objects = []
    for target in [p for p in TARGET_OF if TARGET_OF[p] in ctx.attr.targets]:
        for shard, kernel in enumerate(ctx.split_attr.objects.get(target, [])):
            suffix = ".%d" % shard if len(ctx.split_attr.objects[target]) > 1 else ""
            named = ctx.actions.declare_file("%s.%s%s.%s" % (ctx.label.name, target, suffix, kernel[GpuObjectInfo].hsaco.extension))
            ctx.actions.symlink(output = named, target_file = kernel[GpuObjectInfo].hsaco)
            objects.append(struct(target = target, shard = shard, file = named))
    return objects

def _embedded(ctx, object):
    """The object with what is embedded as its file: PTX is packed."""
    if object.file.extension != "ptx":
        return object
    packed = ctx.actions.declare_file(object.file.basename + ".packed")
    ctx.actions.run(
        outputs = [packed],
        inputs = [object.file, ctx.file._pack_ptx],
        executable = "/bin/sh",
        arguments = [ctx.file._pack_ptx.path, object.file.path, packed.path],
        mnemonic = "PackPtx",
    )
    return struct(target = object.target, shard = object.shard, file = packed)

def _write_sources(ctx, objects):
    name, namespace = ctx.label.name, ctx.attr.namespace
    unique = "gpu_code_" + "".join([c if c.isalnum() else "_" for c in str(ctx.label).elems()])
    symbols = [("%s_%s_%d" % (unique, o.target.replace("-", "_"), o.shard), o) for o in objects]
    function = _camel_case(name)
    asm = ctx.actions.declare_file(name + ".S")
    ctx.actions.write(asm, "".join([_ASM.format(symbol = s, path = o.file.path) for s, o in symbols]) +
                           ".section .note.GNU-stack,\"\",@progbits\n")
    header = ctx.actions.declare_file(name + ".h")
    ctx.actions.write(header, _HEADER.format(
        namespace = namespace,
        label = str(ctx.label).lstrip("@"),
        targets = ", ".join(ctx.attr.targets),
        function = function,
    ))
    instances = "".join(['      {"%s", {%s, %s_end}},\n' % (o.target, s, s) for s, o in symbols])
    source = ctx.actions.declare_file(name + ".cc")
    ctx.actions.write(source, _SOURCE.format(
        header = (ctx.label.package + "/" if ctx.label.package else "") + name + ".h",
        declarations = "".join(["extern const char %s[], %s_end[];\n" % (s, s) for s, _ in symbols]),
        namespace = namespace,
        function = function,
        body = "  static const gridwise::CodeObject kObjects[] = {\n%s  };\n  return kObjects;\n" % instances if instances else "  return {};\n",
    ))
    return asm, header, source

def _impl(ctx):
    objects = _objects(ctx)
    embedded = [_embedded(ctx, o) for o in objects]
    asm, header, source = _write_sources(ctx, embedded)
    files = [o.file for o in objects]
    toolchain = find_cc_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    compilation_context, outputs = cc_common.compile(
        actions = ctx.actions,
        name = ctx.label.name,
        feature_configuration = features,
        cc_toolchain = toolchain,
        srcs = [asm, source],
        public_hdrs = [header],
        additional_inputs = [o.file for o in embedded],
        compilation_contexts = [ctx.attr._code_object[CcInfo].compilation_context],
    )
    linking_context, _ = cc_common.create_linking_context_from_compilation_outputs(
        actions = ctx.actions,
        name = ctx.label.name,
        feature_configuration = features,
        cc_toolchain = toolchain,
        compilation_outputs = outputs,
        disallow_dynamic_library = True,
    )
    return [
        DefaultInfo(files = depset(outputs.pic_objects or outputs.objects, transitive = [depset(files)])),
        CcInfo(compilation_context = compilation_context, linking_context = linking_context),
        OutputGroupInfo(hsaco = depset(files)),
    ]

gpu_library = rule(
    implementation = _impl,
    doc = "Embeds code objects; C++ reaches them by the function that is named as the rule, in CamelCase.",
    attrs = {
        "objects": attr.label_list(providers = [GpuObjectInfo], cfg = split_transition, mandatory = True),
        "targets": attr.string_list(default = AMD_TARGETS),
        "families": attr.bool(doc = "Whether to compile for the families of targets as well, which other processors of them run."),
        "namespace": attr.string(default = "gridwise"),
        "_pack_ptx": attr.label(default = "//tools/build/private:pack_ptx.sh", allow_single_file = True),
        "_code_object": attr.label(default = "//tools/build:code_object"),
        "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
    },
    fragments = ["cpp"],
    toolchains = use_cc_toolchain(),
)
