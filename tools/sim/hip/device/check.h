#pragma once

#include <cstddef>
#include <span>

#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/program.h"

namespace gridwise::sim {

/// Makes a program that was decoded from `object`, and that from `image`, one that is checked if
/// check mode is on. Every path that loads code calls it.
void CheckFromNowOn(Program& program, const CodeObject& object, std::span<const std::byte> image);

}  // namespace gridwise::sim
