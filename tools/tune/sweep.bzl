# SPDX-License-Identifier: MIT
"""Sweeps as actions of Bazel: each shard is one, that remote execution spreads over machines and a remote cache keeps.

    load("@gridwise//tools/tune:sweep.bzl", "gridwise_problems", "gridwise_sweep")

    gridwise_problems(name = "problems", use = "test", direction = "fwd", number = 300)
    gridwise_sweep(name = "times", problems = ":problems", shards = 60, flags = ["--time", "--all-instances"])

`bazel build :times` makes times.csv of the tables of all shards. A kernel that faults, or takes longer than `run_limit` seconds,
is a line of it that says so. The kernels are those that the library is built with (--@gridwise//tools/config:targets).
"""

_GRIDWISE = {
    "_gridwise": attr.label(
        default = "//tools/gridwise",
        executable = True,
        # As it is built for use: else Bazel would build it, and all kernels, a second time.
        cfg = "target",
    ),
}

def _run(ctx, output, arguments, mnemonic, inputs = [], message = None, may_fail = False):
    # Status 1 is that of a sweep some of whose runs failed, which its table tells. /dev/zero takes what is written as
    # /dev/null does, in whose place programs of root may leave a file.
    ctx.actions.run_shell(
        command = "\"$@\"" + (" >/dev/zero || [ $? -eq 1 ]" if may_fail else ""),
        arguments = [ctx.executable._gridwise.path] + arguments + ["--csv=" + output.path],
        inputs = inputs,
        outputs = [output],
        tools = [ctx.attr._gridwise[DefaultInfo].files_to_run],
        toolchain = None,
        mnemonic = mnemonic,
        progress_message = message,
    )

def _gridwise_problems_impl(ctx):
    table = ctx.actions.declare_file(ctx.label.name + ".csv")
    _run(ctx, table, [
        "problems",
        "--use=" + ctx.attr.use,
        "--direction=" + ctx.attr.direction,
        "--number=%d" % ctx.attr.number,
        "--seed=%d" % ctx.attr.seed,
    ] + (["--max-flops=" + ctx.attr.max_flops] if ctx.attr.max_flops else []), "GridwiseProblems")
    return [DefaultInfo(files = depset([table]))]

gridwise_problems = rule(
    implementation = _gridwise_problems_impl,
    doc = "A problem set, by the generator of `gridwise problems`.",
    attrs = _GRIDWISE | {
        "use": attr.string(values = ["training", "validation", "test"], default = "test"),
        "direction": attr.string(values = ["fwd", "bwd_data", "bwd_weight"], mandatory = True),
        "number": attr.int(default = 300),
        "seed": attr.int(default = 1),
        "max_flops": attr.string(doc = "As 2G; larger problems are left out."),
    },
)

def _gridwise_sweep_impl(ctx):
    tables = []
    for shard in range(1, ctx.attr.shards + 1):
        table = ctx.actions.declare_file("%s.%d.csv" % (ctx.label.name, shard))
        _run(ctx, table, [
            "sweep",
            "--problems=" + ctx.file.problems.path,
            "--device=" + ctx.attr.device,
            "--shard=%d/%d" % (shard, ctx.attr.shards),
            "--workers=1",
            "--run-limit=%d" % ctx.attr.run_limit,
        ] + ctx.attr.flags, "GridwiseSweep", [ctx.file.problems], "Sweeping shard %d of %%{label}" % shard, may_fail = True)
        tables.append(table)
    merged = ctx.actions.declare_file(ctx.label.name + ".csv")
    _run(ctx, merged, ["merge"] + [table.path for table in tables], "GridwiseMerge", tables)
    return [DefaultInfo(files = depset([merged])), OutputGroupInfo(shards = depset(tables))]

gridwise_sweep = rule(
    implementation = _gridwise_sweep_impl,
    doc = "The table of a sweep, an action for each shard of its problems.",
    attrs = _GRIDWISE | {
        "problems": attr.label(allow_single_file = [".csv"], mandatory = True),
        "device": attr.string(default = "gfx942"),
        "shards": attr.int(default = 1, doc = "Actions; there must be so many problems at least."),
        "flags": attr.string_list(doc = "More flags of `gridwise sweep`."),
        "run_limit": attr.int(default = 600, doc = "Seconds after which a run is given up."),
    },
)
