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

/// Why a wave has not issued its next instruction.
enum class Stall : uint8_t {
  kIssue,       // the wave's own cadence, other waves' instructions, nops
  kDependency,  // a result that is not there yet
  kLoads,       // waits for loads (vmcnt, loadcnt)
  kStores,      // waits for stores, if they have their own counter
  kLds,         // waits for LDS, and for scalar loads if they share the counter
  kScalars,     // waits for scalar loads, if they have their own counter
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
  std::array<double, kStalls> stalled = {};  // clocks of waiting before it
  double total() const;
};

/// A wave at an instruction: when it could have issued if nothing had kept it waiting, when it did,
/// and what it waited for most.
struct WaveEvent {
  uint32_t workgroup = 0, wave = 0, op = 0;
  int simd = 0;
  double since = 0, issued = 0;
  Stall reason = Stall::kIssue;
};

/// The work of one unit: workgroups start in order, and `resident` of them run at a time.
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
  /// The replay ends after this many wave instructions, or where the record of a wave was cut.
  uint64_t max_instructions = std::numeric_limits<uint64_t>::max();
  std::vector<WaveEvent>* events = nullptr;  // if they are wanted
};

/// How long each of a unit's resources was busy up to a time: clocks, mean of the unit's instances.
struct Progress {
  double clk = 0;
  std::array<double, kResources> busy = {};
};

struct UnitTime {
  double clk = 0;    // from the first wave's launch to the last one's end, or to where it was cut
  bool cut = false;  // the replay was cut; `ends` of workgroups that were running are 0
  double rate = 0;   // instructions a clock in the later half
  std::vector<double> ends;   // when each workgroup ends, in the order of `workgroups`
  std::vector<OpTime> ops;    // by instruction
  uint64_t instructions = 0;  // executed by waves
  std::array<double, kResources> busy = {};  // clocks, mean of the unit's instances of the resource
  std::vector<Progress> progress;            // samples in the order of time
  double l1_lines = 0, l1_hits = 0;
  double l2_read_bytes = 0, l2_write_bytes = 0, mall_bytes = 0, memory_bytes = 0;
};

/// Replays records on one unit, instruction by instruction. Waves issue in order, as soon as
/// operands, counters, the instruction cache and the executing resource allow it.
UnitTime TimeUnit(const UnitWork& work);

/// The time of all units of an XCD together; lines are those that they request from L2.
struct XcdTime {
  double clk = 0;  // from the first wave's launch to the last one's end
  int units = 0;
  uint64_t instructions = 0;        // executed by waves
  double requests = 0, misses = 0;  // lines of L2
};

/// Replays records on all units of an XCD at once, in the order of time, with an L2 that holds the
/// lines that they fetch. The first of `work.workgroups` go to the units in turn, and each engine
/// launches waves one after the other; later ones go to whichever unit has room. The MALL
/// has the part `mall_hits` of the lines that L2 lacks. `work.hits` is not used.
XcdTime TimeXcd(const UnitWork& work, int units, double mall_hits);

}  // namespace gridwise::sim::time
