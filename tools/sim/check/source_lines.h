#pragma once

#include <cstddef>
#include <span>

#include "tools/sim/check/checker.h"
#include "tools/sim/elf/code_object.h"

namespace gridwise::sim {

/// Source lines of the code of `object`, from the DWARF line tables of the ELF `image` that it was
/// loaded from; null if there are none.
SourceLineFn SourceLines(const CodeObject& object, std::span<const std::byte> image);

}  // namespace gridwise::sim
