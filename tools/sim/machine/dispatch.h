#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/sim/machine/grid.h"
#include "tools/sim/machine/program.h"
#include "tools/sim/wave/uop.h"

namespace gridwise::sim {

class Memory;
struct KernelInfo;

/// An instruction that lost cycles to LDS bank conflicts.
struct BankConflictReport {
  uint64_t pc = 0;         // bytes from the kernel's entry
  int64_t executions = 0;  // by waves
  int64_t cycles = 0;      // of all of them together, see BankConflicts
};

/// What a launch executed.
struct RunReport {
  std::array<int64_t, kOpClasses> instructions = {};  // wave instructions by OpClass
  int64_t waves = 0;
  int64_t workgroups = 0;
  double seconds = 0;
  std::vector<BankConflictReport> bank_conflicts;  // if they were asked for
};

struct RunOptions {
  int threads = 0;  // 0: as many as there are processors
  /// Called now and then from a worker thread with finished and total workgroups; must be thread
  /// safe.
  std::function<void(int64_t done, int64_t total)> progress = nullptr;
  /// Called by a worker thread when a wave interrupts the host (s_sendmsg): serves what waves have
  /// asked for. Null, or a sentence, which must live as long as the launch, to stop the kernel
  /// with.
  std::function<const char*()> interrupt = nullptr;
  bool count_bank_conflicts = false;  // not in check mode
};

/// Executes one launch of `kernel` to its end. `kernarg` points at kernel.kernarg_bytes bytes, host
/// memory that is also the device's address of the kernel arguments. Workgroups run on the host's
/// cores in the order of their index, the waves of one workgroup take turns on one core, so the
/// result is deterministic unless workgroups race. The error names kernel, pc, instruction,
/// workgroup, wave, lane and address of the first fault; other workgroups may or may not have run.
absl::StatusOr<RunReport> Run(Program& program, const KernelInfo& kernel, const Grid& grid,
                              const void* kernarg, Memory& memory, const RunOptions& options = {});

}  // namespace gridwise::sim
