// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "tools/sim/machine/grid.h"
#include "tools/sim/machine/launch_probe.h"
#include "tools/sim/wave/uop.h"

namespace gridwise::sim {

class Memory;
class Program;
class WaveSync;
struct KernelInfo;

/// The part of a launch that all of its workgroups share.
struct Launch {
  Program* program = nullptr;
  const Uop* entry = nullptr;
  const KernelInfo* kernel = nullptr;
  Memory* memory = nullptr;
  Grid grid;
  uint32_t lds_bytes = 0;
  uint32_t scratch_bytes = 0;                        // per lane
  uint64_t kernarg = 0;                              // address
  uint64_t dispatch_packet = 0;                      // address of an AQL kernel dispatch packet
  uint64_t queue = 0;                                // address of a queue descriptor, all zero
  std::function<const char*()> interrupt = nullptr;  // as of RunOptions
  WaveSync* wave_sync = nullptr;                     // as of RunOptions
  std::optional<uint64_t> seed = {};                 // decides the order in which waves take turns
  std::vector<LaunchProbe*> probes = {};
  ProbeWants wants = {};  // what the probes want, taken together
};

/// Counts of what a launch executed.
struct RunReport {
  std::array<int64_t, kOpClasses> instructions = {};  // wave instructions by OpClass
  std::vector<int64_t> executions;  // per instruction, by its index in the program
  /// The executions that NoteNotKnown was told of, by the same index.
  std::map<uint32_t, int64_t> not_known;
  int64_t waves = 0;
  int64_t workgroups = 0;
  int threads = 0;  // host threads that executed them
  double seconds = 0;
};

}  // namespace gridwise::sim
