// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>

namespace gridwise::sim::time {

/// What a compiler made of a kernel, as far as measurements of other builds can be compared with
/// it.
struct Build {
  int registers = 0;      // vector registers of a wave, accumulators included
  int spills = 0;         // registers that the compiler moved to memory or to accumulators
  int scratch_bytes = 0;  // per work-item
};

/// Why `build` is not the program that a row of measurements is of: a sentence; nothing if it may
/// be. A row says what was measured in the columns `registers`, `spills` and `scratch_bytes`, where
/// it has them and they are not empty: registers must be within 5 %, the others nought or not. What
/// it does not say must be nought here, unless its notes speak of spills: compilers that spill at
/// all differ in how much.
std::optional<std::string> Differs(const std::map<std::string, std::string>& row,
                                   const Build& build);

}  // namespace gridwise::sim::time
