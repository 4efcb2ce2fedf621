// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/sim/machine/grid.h"
#include "tools/sim/machine/launch.h"
#include "tools/sim/machine/launch_probe.h"
#include "tools/sim/machine/program.h"

namespace gridwise::sim {

class Memory;
struct KernelInfo;

struct RunOptions {
  int threads = 0;  // 0: as many as there are processors
  /// Called now and then from a worker thread with finished and total workgroups; must be thread
  /// safe.
  std::function<void(int64_t done, int64_t total)> progress = nullptr;
  /// Called by a worker thread when a wave interrupts the host (s_sendmsg): serves the requests of
  /// waves. Returns null, or a sentence with which the kernel stops; it must outlive the launch.
  std::function<const char*()> interrupt = nullptr;
  /// The device's, which must outlive the launch; null: a wave that uses it has a fault.
  WaveSync* wave_sync = nullptr;
  /// Probes of the launch, which must outlive it.
  std::vector<LaunchProbe*> probes = {};
  /// Shuffles workgroups and the turns of waves, and preempts waves at random, always in the same
  /// way for the same seed; workgroups take turns on one host thread.
  std::optional<uint64_t> seed = std::nullopt;
  /// The least bytes of scratch per lane for kernels whose call depth the compiler does not know
  /// (hipLimitStackSize, whose default this is).
  uint32_t stack_limit = 1024;
  /// Linear indices of the workgroups to execute, in this order; empty: all of them.
  std::vector<int64_t> only = {};
};

/// Executes one launch of `kernel` to its end. `kernarg` points at kernel.kernarg_bytes bytes, host
/// memory that is also the device's address of the kernel arguments. Workgroups run on the host's
/// cores in the order of their index, the waves of one workgroup take turns on one core, so the
/// result is deterministic unless workgroups race. The error names kernel, pc, instruction,
/// workgroup, wave, lane and address of the first fault; other workgroups may or may not have run.
absl::StatusOr<RunReport> Run(Program& program, const KernelInfo& kernel, const Grid& grid,
                              const void* kernarg, Memory& memory, const RunOptions& options = {});

}  // namespace gridwise::sim
