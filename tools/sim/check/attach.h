#pragma once

#include <cstddef>
#include <span>

#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/program.h"

namespace gridwise::sim {

/// Makes `program`, decoded from `object`, one that is checked if the process's settings ask for
/// it. `image` is what the object was loaded from: an ELF whose debug information gives source
/// lines, or anything else, which gives none. Before the program's first Enter.
void AttachCheck(Program& program, const CodeObject& object, std::span<const std::byte> image);

}  // namespace gridwise::sim
