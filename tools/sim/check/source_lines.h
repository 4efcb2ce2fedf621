// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "tools/sim/check/source_line.h"
#include "tools/sim/elf/code_object.h"

namespace gridwise::sim {

/// Source lines of the code of `object`, from the DWARF line tables of `image`, the ELF or bundle
/// that it was loaded from; null if there are none: the program was compiled without -g.
SourceLineFn SourceLines(const CodeObject& object, std::span<const std::byte> image);

}  // namespace gridwise::sim
