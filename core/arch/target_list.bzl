"""core/arch/target_list.h: the targets of //tools/build:targets.bzl in C++, with the facts of core/arch/targets."""

load("@bazel_skylib//rules:write_file.bzl", "write_file")

def _constant(target):
    """gfx942 -> k942, sm_90a -> kSm90a."""
    return "k" + "".join([word.capitalize() for word in target.removeprefix("gfx").split("_")])

def _array(name, targets):
    return "inline constexpr Gfx %s[] = {%s};" % (name, ", ".join(["Gfx::" + _constant(t) for t in targets]))

def target_list(name, amd, nvidia):
    """Writes `name`.h.

    Args:
      name: of the rule.
      amd: names of the targets that the simulator executes.
      nvidia: names of those that need a device.
    """
    targets = amd + nvidia
    write_file(
        name = name,
        out = name + ".h",
        content = [
            "#pragma once",
            "",
            "// Made from tools/build/targets.bzl.",
        ] + ["#include \"core/arch/targets/%s.h\"" % t for t in targets] + [
            "",
            "namespace gridwise {",
            "",
            "enum class Gfx : int { %s };" % ", ".join([_constant(t) for t in targets]),
            _array("kAllGfx", targets),
            _array("kAmdGfx", amd),
            "",
            "constexpr TargetTraits TraitsOf(Gfx gfx) {",
            "  switch (gfx) {",
        ] + ["    case Gfx::%s: return targets::%s;" % (_constant(t), _constant(t)) for t in targets] + [
            "  }",
            "  return {};",
            "}",
            "",
            "}  // namespace gridwise",
            "",
        ],
    )
