#pragma once

#include <span>

#include "tools/sim/isa/binding.h"

namespace gridwise::sim {

/// All binding tables of one x86 level: 1, 3 or 4 (x86-64, -v3, -v4).
std::span<const BindingTable> TablesOfLevel(int level);

/// The highest of these levels that this machine executes.
int MachineLevel();

}  // namespace gridwise::sim
