#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "tools/sim/elf/code_object.h"

namespace gridwise::sim {

/// "file:line" of an address of a code object, or "".
using SourceLineFn = std::function<std::string(uint64_t pc)>;

/// Source lines of the code of `object`, from the DWARF line tables of `image`, the ELF or bundle
/// that it was loaded from; null if there are none: the program was compiled without -g.
SourceLineFn SourceLines(const CodeObject& object, std::span<const std::byte> image);

}  // namespace gridwise::sim
