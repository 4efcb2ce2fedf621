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

/// An access of an instruction: run `run` of its wave executed `op`. An instruction has no access
/// if no lane was on, and several if it reaches several places (ds_read2, loads to LDS).
struct Access {
  uint32_t run = 0, op = 0;
  uint32_t shape = 0;  // in Shapes
  bool lds = false;    // base is an offset into LDS, not an address
  uint64_t base = 0;   // address of the first lane
};

/// What a wave executed, without times.
struct WaveRecord {
  std::vector<Run> runs;
  std::vector<Access> accesses;  // in order
  bool cut = false;              // the wave went on, but that was not recorded
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
  /// The workgroup's instructions divided by the recorded ones. Known if the record was cut and the
  /// first wave went on, else 1.
  double scale = 1;
  /// Instructions that are recorded.
  double instructions() const {
    double sum = 0;
    for (const WaveRecord& wave : waves) sum += static_cast<double>(wave.instructions());
    return sum;
  }
};

/// Bytes that a launch touches: in each allocation, from the first to the last one.
struct Footprint {
  double all = 0;     // what the MALL would have to hold
  double loaded = 0;  // the same for loads alone
};

}  // namespace gridwise::sim::time
