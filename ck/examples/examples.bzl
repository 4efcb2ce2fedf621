# SPDX-License-Identifier: MIT
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

# Matrix units, with the target that an example runs on by default. All targets are tested.
UNITS = {
    "wmma": "gfx1201",
    "xdl": "gfx942",
}

# The types' names in Composable Kernel, where they are others.
_NAMES_ELSEWHERE = {
    "f16": "fp16",
    "f32": "fp32",
    "i8": "int8",
}

def examples(name, program, unit, types, flags = []):
    """Declares <name>_<unit>_<type> for each type; <name>_<unit>, which is f16; and Composable Kernel's names.

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
    plain = name + "_" + unit
    native.alias(name = plain, actual = plain + "_f16")
    for type in types:
        arguments = ["--type=" + type] + flags
        _example(
            name = plain + "_" + type,
            args = arguments + ["--device=" + UNITS[unit]],
            program = program,
        )
        native.alias(
            name = "example_" + plain + "_" + _NAMES_ELSEWHERE.get(type, type),
            actual = plain + "_" + type,
        )
        lines.append(" ".join([unit, program] + arguments))
    return lines
