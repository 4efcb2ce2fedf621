# SPDX-License-Identifier: MIT
"""Public rules for GPU code. Other repositories compile their own kernels with them."""

load("//tools/build:targets.bzl", "ALL_TARGETS")
load("//tools/build/private:gpu_compiler.bzl", _gpu_compiler = "gpu_compiler")
load("//tools/build/private:gpu_library.bzl", _gpu_library = "gpu_library")
load("//tools/build/private:gpu_object.bzl", _GpuObjectInfo = "GpuObjectInfo", _gpu_object = "gpu_object")
load("//tools/build/private:gpu_test.bzl", _gpu_test = "gpu_test")
load("//tools/build/private:kernel_instances.bzl", "kernel_instances", _kernel_instance_codes = "kernel_instance_codes")

GpuObjectInfo = _GpuObjectInfo
gpu_object = _gpu_object
gpu_compiler = _gpu_compiler
gpu_library = _gpu_library
gpu_test = _gpu_test
kernel_instance_codes = _kernel_instance_codes

def gpu_kernel_table(name, src = None, instances = None, header = None, deps = [], shards = 1, copts = [], family = "", directions = {}, **kwargs):
    """Compiles kernels and embeds them: those of one source, or of the instances of a list, one compile action per shard and target.

    An instance is a line of `instances` that begins with a macro in capitals, which `header` defines:

        FORWARD(.tile = {128, 128, 32}, ...)

    or, with .types = {A, B}, several that differ in their type alone.

    A shard includes `header` and takes the instances whose hash it is, so that an instance that is added, moved or removed edits the list and
    compiles one shard. GRIDWISE_INSTANCE_HASH is the instance's hash, for the kernel's symbol. Host code includes the list as
    kernel_instance_codes expands it, with macros of its own, and beside it the list of shards and hashes: see InstanceCode (core/launch/code.h).

    Args:
      name: name of the gpu_library, and in CamelCase of the function that returns its code objects.
      src: the .hip source, or
      instances: the list, and
      header: the include path of a header of the deps.
      deps: cc_librarys whose headers it includes.
      shards: number of objects per target; with as many as instances, each has one.
      copts: further compiler options.
      family: whose instances they are, and
      directions: by direction, a regular expression that the lines of its instances match: --//tools/config:families,
        :directions and :types leave instances out by them.
      **kwargs: for gpu_library.
    """
    objects = []
    for shard in range(shards):
        objects.append("%s_shard%d" % (name, shard))
        source = src
        if instances:
            source = objects[-1] + ".hip"
            kernel_instances(
                name = objects[-1] + "_source",
                directions = directions,
                family = family,
                header = header,
                out = source,
                instances = instances,
                shard = shard,
                shards = shards,
                tags = ["manual"],
            )
        _gpu_object(
            name = objects[-1],
            src = source,
            copts = copts,
            deps = deps,
            tags = ["manual"],
        )
    _gpu_library(name = name, objects = objects, **kwargs)

TIERS = [
    "smoke",
    "regression",
]

def tier_suites(name):
    """Declares the suites of the package's tests, by their tags: smoke, regression, and smoke_gfx942 etc. of those that are a target's.

    Args:
      name: of a suite of all of them.
    """
    native.test_suite(name = name, tests = [":" + tier for tier in TIERS])
    for tier in TIERS:
        native.test_suite(name = tier, tags = [tier])
        for target in ALL_TARGETS:
            native.test_suite(name = "%s_%s" % (tier, target), tags = [tier, target])
