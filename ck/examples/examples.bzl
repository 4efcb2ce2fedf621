"""Examples: a program and the flags that make it one op, type and matrix unit."""

def _impl(ctx):
    executable = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = executable, target_file = ctx.executable.program, is_executable = True)
    return [DefaultInfo(executable = executable, runfiles = ctx.attr.program[DefaultInfo].default_runfiles)]

# `bazel run` passes the attribute `args` before the user's own arguments.
_example = rule(
    implementation = _impl,
    executable = True,
    attrs = {"program": attr.label(executable = True, cfg = "target", mandatory = True)},
)

# What computes on a matrix unit: the first is that of the example, all are tested.
UNITS = {
    "wmma": [
        "gfx1201",
        "gfx1100",
    ],
    "xdl": [
        "gfx942",
        "gfx950",
    ],
}

def examples(name, program, unit, types, flags = []):
    """Declares <name>_<unit>_<type> for each type.

    Args:
      name: what it computes.
      program: the cc_binary.
      unit: of UNITS.
      types: of the operands.
      flags: of the program, beside --type and --device.

    Returns:
      The command line of each, as the test runs them.
    """
    lines = []
    for type in types:
        arguments = ["--type=" + type] + flags
        _example(
            name = "_".join([name, unit, type]),
            args = arguments + ["--device=" + UNITS[unit][0]],
            program = program,
        )
        lines.append(" ".join([unit, program] + arguments))
    return lines
