#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gridwise::sim {

/// The bytes of the instruction `text`, by LLVM's assembler for the target `gfx`; the error is the
/// assembler's. For tests.
absl::StatusOr<std::vector<uint8_t>> Assemble(std::string_view gfx, std::string_view text);

}  // namespace gridwise::sim
