"""Public rules for GPU code. Other repositories compile their own kernels with them."""

load("//tools/build/private:gpu_library.bzl", _gpu_library = "gpu_library")
load("//tools/build/private:gpu_object.bzl", _GpuObjectInfo = "GpuObjectInfo", _gpu_object = "gpu_object")
load("//tools/build/private:gpu_test.bzl", _gpu_test = "gpu_test")

GpuObjectInfo = _GpuObjectInfo
gpu_object = _gpu_object
gpu_library = _gpu_library
gpu_test = _gpu_test

def gpu_kernel_table(name, src, deps = [], shards = 1, copts = [], **kwargs):
    """Compiles the rows of a kernel table and embeds them: one compile action per shard and target.

    `src` sees GRIDWISE_SHARD and GRIDWISE_SHARDS and compiles the rows GRIDWISE_SHARD, GRIDWISE_SHARD +
    GRIDWISE_SHARDS, ... of its table, so that adding a row edits the table and nothing else.

    Args:
      name: name of the gpu_library, and in CamelCase of the function that returns its code objects.
      src: the .hip source that instantiates the table's kernels.
      deps: cc_librarys whose headers it includes.
      shards: number of objects per target.
      copts: further compiler options.
      **kwargs: for gpu_library.
    """
    objects = []
    for shard in range(shards):
        objects.append("%s_shard%d" % (name, shard))
        _gpu_object(
            name = objects[-1],
            src = src,
            copts = copts,
            defines = ["GRIDWISE_SHARD=%d" % shard, "GRIDWISE_SHARDS=%d" % shards],
            deps = deps,
            tags = ["manual"],
        )
    _gpu_library(name = name, objects = objects, **kwargs)
