# SPDX-License-Identifier: MIT
"""The targets of //tools/build:targets.bzl in C++: core/arch/target_list.h with the facts of core/arch/targets, machine_list.h with those of core/arch/machines."""

load("@bazel_skylib//rules:write_file.bzl", "write_file")

def _constant(target):
    """gfx942 -> k942, sm_90a -> kSm90a."""
    return "k" + "".join([word.capitalize() for word in target.removeprefix("gfx").split("_")])

def _array(name, targets):
    return "inline constexpr Gfx %s[] = {%s};" % (name, ", ".join(["Gfx::" + _constant(t) for t in targets]))

def _list(name, includes, declarations, function, folder, targets):
    """Writes `name`.h: `function`, e.g. "TargetTraits TraitsOf", of the constants in `folder`."""
    write_file(
        name = name,
        out = name + ".h",
        content = ["#pragma once", "", "// Made from tools/build/targets.bzl."] + [
            "#include \"core/arch/%s.h\"" % i
            for i in includes + ["%s/%s" % (folder, t) for t in targets]
        ] + ["", "namespace gridwise {", ""] + declarations + [
            "constexpr %s(Gfx gfx) {" % function,
            "  switch (gfx) {",
        ] + [
            "    case Gfx::%s: return %s::%s;" % (_constant(t), folder, _constant(t))
            for t in targets
        ] + [
            "  }",
            "  return {};",
            "}",
            "",
            "}  // namespace gridwise",
            "",
        ],
    )

def target_list(name, amd, nvidia):
    """Writes `name`.h and machine_list.h.

    Args:
      name: of the rule.
      amd: names of the targets that the simulator executes.
      nvidia: names of those that need a device.
    """
    targets = amd + nvidia
    _list(
        name = name,
        includes = [],
        declarations = [
            "enum class Gfx : int { %s };" % ", ".join([_constant(t) for t in targets]),
            _array("kAllGfx", targets),
            _array("kAmdGfx", amd),
            "",
        ],
        function = "TargetTraits TraitsOf",
        folder = "targets",
        targets = targets,
    )
    _list(
        name = "machine_list",
        includes = [name],
        declarations = [],
        function = "MachineFacts MachineFactsOf",
        folder = "machines",
        targets = targets,
    )
