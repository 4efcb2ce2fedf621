// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace gridwise::sim::time {

/// Instructions that a wave executed one after the other, by index: first, first + 1, ..., last. A
/// run ends with a taken branch or with the wave.
struct Run {
  uint32_t first = 0, last = 0;
};

/// An access of an instruction: run `run` of its wave executed `op`. An instruction has none where
/// no lane was on, and several where it reaches several places (ds_read2, loads to LDS).
struct Access {
  uint32_t run = 0, op = 0;
  uint32_t shape = 0;  // in Shapes
  bool lds = false;    // base is an offset into LDS, not an address
  uint64_t base = 0;   // address of the first lane
};

/// What a wave did, without when.
struct WaveRecord {
  std::vector<Run> runs;
  std::vector<Access> accesses;  // in order
  bool cut = false;              // it went on, but that was not recorded
  /// Instructions executed.
  uint64_t instructions() const {
    uint64_t count = 0;
    for (const Run& run : runs) count += run.last - run.first + 1;
    return count;
  }
};

struct WorkgroupRecord {
  std::array<uint32_t, 3> id = {};
  std::vector<WaveRecord> waves;
  /// All instructions of the workgroup over those that are recorded, as far as that is known: of a
  /// record that was cut while its first wave went on.
  double scale = 1;
  /// Instructions that are recorded.
  double instructions() const {
    double sum = 0;
    for (const WaveRecord& wave : waves) sum += static_cast<double>(wave.instructions());
    return sum;
  }
};

/// Bytes of the allocations that a launch touches, of each from the first to the last one.
struct Footprint {
  double all = 0;     // what the MALL would have to hold
  double loaded = 0;  // the part of it that loads move
};

}  // namespace gridwise::sim::time
