// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace gridwise::sim {

/// A kernel's name for people: demangled, without its parameters. Where it is long, template
/// arguments of template arguments are "...", and where that does not suffice its end is.
std::string ShownName(const std::string& name);

}  // namespace gridwise::sim
