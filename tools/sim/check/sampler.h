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

/// What an instruction makes of undefined bits: it is executed alone, several times, with other
/// values in the place of those bits, and what differs in its results is undefined. So every
/// instruction says by its own handler which bits go where, through masks, halves, lanes and matrix
/// layouts, and nothing is called undefined that cannot change. What no value tried does change is
/// taken to be defined. The wave and memory are left as they were.
class Sampler {
 public:
  /// One execution for each way to fill undefined bits; moves need no more than the first ones.
  static constexpr int kForMoves = 2, kForAll = 8;

  /// The differing bits of each of `results`, by lane (of scalar registers: lane 0).
  using Differences = std::vector<std::array<uint32_t, kLanes>>;

  /// `uops`: those of the instruction. `touched`: the registers whose undefined bits are filled;
  /// must hold all that it reads or writes. `others`: further values to try, constants that the
  /// instruction compares with. Empty if it cannot be executed.
  static Differences Run(Wave& wave, std::span<const Uop> uops, std::span<const uint16_t> touched,
                         std::span<const uint16_t> results, const RegisterShadow& shadow,
                         std::span<const UndefinedByte> memory, std::span<const uint32_t> others,
                         int fills);
};

}  // namespace gridwise::sim
