// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace gridwise::sim {

/// Output bytes [begin, end) of a launch that must be written exactly once each.
struct WatchedRange {
  uint64_t begin = 0, end = 0;
  std::vector<uint8_t> writes;         // per byte; stops at 255
  std::vector<uint32_t> instructions;  // the instruction that wrote each byte last

  /// Notes that `instruction` writes [first, last).
  void Note(uint64_t first, uint64_t last, uint32_t instruction);
};

/// Asks for a range to be watched in the next launch.
void WatchNextLaunch(uint64_t address, uint64_t bytes);
/// The ranges that were asked for since the last call.
std::vector<WatchedRange> TakeWatchedRanges();

}  // namespace gridwise::sim
