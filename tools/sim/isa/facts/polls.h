// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "tools/sim/isa/facts/facts.h"

namespace gridwise::sim {

/// Sets InstructionFacts::polls of the loads of every loop that does nothing but wait for what they
/// load to change: it stores nothing, and their addresses stay the same, so that a compiler would
/// have moved others out. The same loads a little ahead of the loop, its first turn peeled off, are
/// marked too. `function`: consecutive instructions.
void MarkPolls(std::span<InstructionFacts> function);

}  // namespace gridwise::sim
