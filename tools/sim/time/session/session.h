#pragma once

#include <cstddef>
#include <span>

#include "absl/status/statusor.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/dispatch.h"
#include "tools/sim/machine/grid.h"
#include "tools/sim/machine/memory.h"
#include "tools/sim/machine/program.h"

namespace gridwise::sim::time {

/// Time mode of the process: the environment variables
///
///   GRIDWISE_SIM=time              tells the time of launches in place of executing all of them
///   GRIDWISE_SIM_MACHINE=FILE      a machine file for devices of its target
///   GRIDWISE_SIM_TIME_REPORT=PATH  PATH.json: all launches; PATH.N.html, PATH.N.trace.json: the
///   Nth
///
/// Every launch that is unlike those before it is timed, and described on stderr; one that is like
/// another one (kernel, grid, arguments) has its time.
bool On();

/// Launches `kernel` in time mode. The report is of the workgroups that were executed.
absl::StatusOr<RunReport> Launch(Program& program, const KernelInfo& kernel, const Grid& grid,
                                 std::span<const std::byte> arguments, const void* kernarg,
                                 Memory& memory, const RunOptions& options);

/// Milliseconds that the process's launches have taken at the burst clock, one after the other.
double NowMs();

}  // namespace gridwise::sim::time
