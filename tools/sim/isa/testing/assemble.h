// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Text of instructions to bytes, by LLVM's assembler, for tests.

namespace gridwise::sim {

/// What the assembler makes of `lines`, an instruction each. `wave_size`: as of Decoder::Create. A
/// mistake in a line is a test failure.
std::vector<std::vector<uint8_t>> Assemble(const std::vector<std::string>& lines,
                                           std::string_view gfx, int wave_size = 0);

}  // namespace gridwise::sim
