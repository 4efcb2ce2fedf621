# SPDX-License-Identifier: MIT
"""The targets of //tools/build:targets.bzl in C++: core/arch/target_list.h with the facts of core/arch/targets, product_list.h with their products of core/arch/products."""

load("@bazel_skylib//rules:write_file.bzl", "write_file")

def _constant(target):
    """gfx942 -> k942, sm_90a -> kSm90a."""
    return "k" + "".join([word.capitalize() for word in target.removeprefix("gfx").split("_")])

def _array(name, targets):
    return "inline constexpr Gfx %s[] = {%s};" % (name, ", ".join(["Gfx::" + _constant(t) for t in targets]))

def _list(name, standard, includes, declarations, function, folder, targets):
    """Writes `name`.h: `function`, e.g. "TargetTraits TraitsOf", of the constants in `folder`."""
    write_file(
        name = name,
        out = name + ".h",
        content = ["#pragma once", "", "// Made from tools/build/targets.bzl."] + [
            "#include <%s>" % i
            for i in standard
        ] + [
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

def target_list(name, amd, default, nvidia, families):
    """Writes `name`.h, product_list.h and processor_list.h.

    Args:
      name: of the rule.
      amd: names of the targets that the simulator executes.
      default: names of those of them that a build is for unless it names others.
      nvidia: names of those that need a device.
      families: PROCESSOR_FAMILIES of //tools/build:targets.bzl.
    """
    targets = amd + nvidia
    _list(
        name = name,
        standard = [],
        includes = [],
        declarations = [
            "enum class Gfx : int { %s };" % ", ".join([_constant(t) for t in targets]),
            _array("kAllGfx", targets),
            _array("kAmdGfx", amd),
            _array("kDefaultGfx", default),
            "",
        ],
        function = "TargetTraits TraitsOf",
        folder = "targets",
        targets = targets,
    )
    _list(
        name = "product_list",
        standard = ["span"],
        includes = [name],
        declarations = [],
        function = "std::span<const Product> ProductsOf",
        folder = "products",
        targets = targets,
    )
    others = [target for target in targets if target not in [p for family in families.values() for p in family.processors]]
    write_file(
        name = "processor_list",
        out = "processor_list.h",
        content = [
            "#pragma once",
            "",
            "// Made from tools/build/targets.bzl.",
            "#include \"core/arch/processor.h\"",
            "",
            "namespace gridwise {",
            "",
            "inline constexpr Processor kProcessors[] = {",
        ] + ["    {\"%s\", \"\", Gfx::%s}," % (t, _constant(t)) for t in others] + [
            "    {\"%s\", \"%s\", Gfx::%s}," % (p, generic, _constant(family.target))
            for generic, family in families.items()
            for p in family.processors
        ] + ["};", "", "}  // namespace gridwise", ""],
    )
