#pragma once

#include <span>
#include <vector>

#include "tools/sim/isa/bind/binding.h"

namespace gridwise::sim {

/// All binding tables of one x86 level: 1, 3 or 4 (x86-64, -v3, -v4); empty if it is not compiled.
std::span<const BindingTable> TablesOfLevel(int level);

/// The levels that are compiled and that this machine executes, lowest first.
std::vector<int> UsableLevels();

}  // namespace gridwise::sim
