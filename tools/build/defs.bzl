"""Public rules for GPU code. Other repositories compile their own kernels with them."""

load("//tools/build:targets.bzl", "ALL_TARGETS")
load("//tools/build/private:gpu_compiler.bzl", _gpu_compiler = "gpu_compiler")
load("//tools/build/private:gpu_library.bzl", _gpu_library = "gpu_library")
load("//tools/build/private:gpu_object.bzl", _GpuObjectInfo = "GpuObjectInfo", _gpu_object = "gpu_object")
load("//tools/build/private:gpu_test.bzl", _gpu_test = "gpu_test")
load("//tools/build/private:kernel_rows.bzl", "kernel_rows", _kernel_row_codes = "kernel_row_codes")

GpuObjectInfo = _GpuObjectInfo
gpu_object = _gpu_object
gpu_compiler = _gpu_compiler
gpu_library = _gpu_library
gpu_test = _gpu_test
kernel_row_codes = _kernel_row_codes

def gpu_kernel_table(name, src = None, rows = None, header = None, deps = [], shards = 1, copts = [], family = "", directions = {}, **kwargs):
    """Compiles kernels and embeds them: those of one source, or of the rows of a list, one compile action per shard and target.

    A row is a line of `rows` that begins with a macro in capitals, which `header` defines:

        FORWARD(.tile = {128, 128, 32}, ...)

    A shard includes `header` and takes the rows whose hash it is, so that a row that is added, moved or removed edits the list and
    compiles one shard. GRIDWISE_ROW_HASH is the row's hash, for the kernel's symbol. Host code includes the same list with macros
    of its own, and beside it the list of shards and hashes that kernel_row_codes writes: see RowCode (core/launch/code.h).

    Args:
      name: name of the gpu_library, and in CamelCase of the function that returns its code objects.
      src: the .hip source, or
      rows: the list, and
      header: the include path of a header of the deps.
      deps: cc_librarys whose headers it includes.
      shards: number of objects per target; with as many as rows, each has one.
      copts: further compiler options.
      family: whose rows they are, and
      directions: by direction, a regular expression that the lines of its rows match: --//tools/config:families,
        :directions and :types leave rows out by them.
      **kwargs: for gpu_library.
    """
    objects = []
    for shard in range(shards):
        objects.append("%s_shard%d" % (name, shard))
        source = src
        if rows:
            source = objects[-1] + ".hip"
            kernel_rows(
                name = objects[-1] + "_source",
                directions = directions,
                family = family,
                header = header,
                out = source,
                rows = rows,
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
