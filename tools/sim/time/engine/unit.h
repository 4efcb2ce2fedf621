// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "tools/sim/time/engine/memory_path.h"
#include "tools/sim/time/engine/resource.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/trace/op.h"
#include "tools/sim/time/trace/record.h"
#include "tools/sim/time/trace/shape.h"

namespace gridwise::sim::time {

/// Why a wave did not issue an instruction yet.
enum class Stall : uint8_t {
  kIssue,       // the wave's own cadence, other waves' instructions, nops
  kDependency,  // a result that is not there yet
  kLoads,       // waits for loads (vmcnt, loadcnt)
  kStores,      // waits for stores, where they are counted apart
  kLds,         // waits for LDS, and scalar loads where they are counted together
  kScalars,     // waits for scalar loads, where they are counted apart
  kBarrier,
  kMatrix,  // the matrix unit is busy
  kVector,  // the vector ALU is busy
  kLdsQueue,
  kAddressQueue,
  kCode,  // the instruction is being fetched
};
inline constexpr int kStalls = 12;
std::string_view Name(Stall stall);

/// What happened at an instruction, over all waves.
struct OpTime {
  uint64_t count = 0;
  std::array<double, kStalls> stalled = {};  // clocks of waiting in front of it
  double total() const;
};

/// A wave at an instruction: since when it could have gone on, when it did, what it waited for
/// most.
struct WaveEvent {
  uint32_t workgroup = 0, wave = 0, op = 0;
  int simd = 0;
  double since = 0, issued = 0;
  Stall reason = Stall::kIssue;
};

/// What one unit does: workgroups start in their order, `resident` of them at a time.
struct UnitWork {
  const Machine* machine = nullptr;
  std::span<const Op> ops;
  Shapes* shapes = nullptr;
  std::span<const WorkgroupRecord* const> workgroups;
  int resident = 1;
  int parts = 1;  // parts of the unit; a workgroup's waves keep to one of them
  SharedLevels sharing;
  std::span<const Hits> hits;
  uint32_t freed = 0;  // bits of Resource
  /// Ends when so many wave instructions have issued, or a wave is where its record was cut.
  uint64_t max_instructions = std::numeric_limits<uint64_t>::max();
  std::vector<WaveEvent>* events = nullptr;  // if they are wanted
};

/// What a unit's resources have done until a time: clocks, mean of the unit's instances.
struct Progress {
  double clk = 0;
  std::array<double, kResources> busy = {};
};

struct UnitTime {
  double clk = 0;    // from the first wave's launch to the last one's end, or to where it was cut
  bool cut = false;  // it went on; `ends` of the workgroups that were under way are 0
  double rate = 0;   // instructions a clock in the later half
  std::vector<double> ends;   // when each workgroup ends, in the order of `workgroups`
  std::vector<OpTime> ops;    // by instruction
  uint64_t instructions = 0;  // executed by waves
  std::array<double, kResources> busy = {};  // clocks, mean of the unit's instances of the resource
  std::vector<Progress> progress;            // now and then, in the order of time
  double l1_lines = 0, l1_hits = 0;
  double l2_read_bytes = 0, l2_write_bytes = 0, mall_bytes = 0, memory_bytes = 0;
};

/// Replays records on one unit, instruction by instruction: waves issue in order, each when its
/// operands, its counters, its place in the code and what executes it allow.
UnitTime TimeUnit(const UnitWork& work);

/// What an XCD's units do together; the lines are those that all asked L2 for.
struct XcdTime {
  double clk = 0;  // from the first wave's launch to the last one's end
  int units = 0;
  uint64_t instructions = 0;        // of waves
  double requests = 0, misses = 0;  // lines of L2
};

/// Replays records on all units of an XCD at once, in the order of time, with an L2 that has the
/// lines that they fetch: `work.workgroups` are the XCD's, which go round the units at first, while
/// each engine launches waves one after the other, and then to whichever has room. The MALL
/// has the part `mall_hits` of the lines that L2 lacks. `work.hits` is not used.
XcdTime TimeXcd(const UnitWork& work, int units, double mall_hits);

}  // namespace gridwise::sim::time
