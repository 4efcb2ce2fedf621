// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/sim/check/source_lines.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/dispatch.h"
#include "tools/sim/machine/grid.h"
#include "tools/sim/machine/program.h"
#include "tools/sim/memory/memory.h"
#include "tools/sim/time/model/launch_time.h"
#include "tools/sim/time/trace/op.h"

namespace gridwise::sim::time {

/// A launch that was timed.
struct TimedRun {
  RunReport report;  // about the workgroups that were executed
  LaunchTime time;
  std::vector<Op> ops;  // by instruction of the program; those that did not run are empty
};

/// Instructions of a program as `machine` executes them, for waves of `kernel`; those that `report`
/// does not have are empty.
std::vector<Op> DecodeOps(const Machine& machine, Program& program, const KernelInfo& kernel,
                          const RunReport& report);

/// Executes as many workgroups of a launch as the clock needs, and times the launch on `machine`,
/// which must outlive the result. The output of the other workgroups is missing. A kernel
/// whose workgroups depend on each other (atomics whose result is used, cooperative launches) is
/// executed whole. Errors are those of sim::Run.
absl::StatusOr<TimedRun> RunTimed(const Machine& machine, Program& program,
                                  const KernelInfo& kernel, const Grid& grid, const void* kernarg,
                                  Memory& memory, const RunOptions& options,
                                  const TimeOptions& time_options = {},
                                  const SourceLineFn& source_line = nullptr);

}  // namespace gridwise::sim::time
