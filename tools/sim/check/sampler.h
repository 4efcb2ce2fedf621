// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/sim/check/register_shadow.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

/// The micro-ops of the instruction whose first one is `first`.
std::span<const Uop> FindUops(const Uop* first);

/// Undefined bits of a byte of memory that the instruction loads.
struct UndefinedByte {
  std::byte* at;
  uint8_t bits;
};

/// Finds out how an instruction passes on undefined bits. It is executed alone, several times, with
/// different values in place of those bits; bits that differ in its results are undefined. So each
/// instruction's own handler shows which bits go where, through masks, halves, lanes and matrix
/// layouts, and no bit that cannot change is called undefined. A bit that no tried value changes is
/// taken to be defined. The wave and memory are left as they were.
class Sampler {
 public:
  /// One execution for each way to fill undefined bits. Moves need only the first ones.
  static constexpr int kForMoves = 2, kForAll = 8;

  /// The differing bits of each of `results`, by lane (of scalar registers: lane 0).
  using Differences = std::vector<std::array<uint32_t, kLanes>>;

  /// `uops` are the instruction's. `touched` are the registers whose undefined bits are filled, and
  /// must include all that it reads or writes. `others` are further values to try: constants that
  /// the instruction compares with. The result is empty if the instruction cannot be executed.
  static Differences Run(Wave& wave, std::span<const Uop> uops, std::span<const uint16_t> touched,
                         std::span<const uint16_t> results, const RegisterShadow& shadow,
                         std::span<const UndefinedByte> memory, std::span<const uint32_t> others,
                         int fills);
};

}  // namespace gridwise::sim
