// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "tools/sim/isa/target.h"

namespace gridwise::sim {

/// The name under which handlers know the instruction that `target` calls `mnemonic`. RDNA has new
/// names for most of what gfx9 has (global_load_b32 is gfx9's global_load_dword); handlers go by
/// gfx9's. Only what is the same operation with the same operands is renamed. A mnemonic that is
/// not in the table is returned as it is; the result has static storage or is `mnemonic`.
std::string_view CanonicalName(std::string_view mnemonic, TargetBit target);

}  // namespace gridwise::sim
