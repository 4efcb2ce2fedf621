// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "tools/sim/check/source_lines.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/dispatch.h"
#include "tools/sim/machine/grid.h"
#include "tools/sim/machine/program.h"
#include "tools/sim/memory/memory.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/model/ports.h"

namespace gridwise::sim::time {

/// Time mode of the process: the environment variables
///
///   GRIDWISE_SIM=time              times launches instead of executing all of them
///   GRIDWISE_SIM_MACHINE=FILE      a machine file for devices of its processor
///   GRIDWISE_SIM_TIME_REPORT=PATH  PATH.json, PATH.html: all launches; PATH.N.trace.json: the Nth
///   GRIDWISE_SIM_TIME_XCD=1        times all units of the first XCD, too (TimeOptions::xcd)
///
/// Each new launch is timed and described on stderr. A launch with the kernel, grid and arguments
/// of an earlier one takes the same time.
bool On();

struct Telling {
  bool describes = true;  // each launch on stderr
  bool bare = false;      // without gains and interval, from a smaller sample of the XCD
  bool quick = false;     // also a smaller sample of the units in detail
};
/// Turns time mode on or off from the next launch on.
void Set(bool on, const Telling& telling);

/// Says in words what later launches compute; reports show it.
void SetWhat(std::string_view what);

/// Sets a limit on the time of the launches since the last TakeTimes: once they are known to take
/// more than `ms` together, in long runs, timing stops, and later launches are not executed until
/// TakeTimes.
void SetLimit(double ms);

/// The machine of a device: the file's (GRIDWISE_SIM_MACHINE) if it is of the device's processor,
/// else MachineFor (product_machine.h).
const Machine& MachineOfDevice(const DeviceFacts& device);

/// Launches `kernel` in time mode, on `machine`, which lives forever. The report is of the
/// workgroups that were executed. `source_line` may be null.
absl::StatusOr<RunReport> Launch(const Machine& machine, Program& program, const KernelInfo& kernel,
                                 const Grid& grid, std::span<const std::byte> arguments,
                                 const void* kernarg, Memory& memory, const RunOptions& options,
                                 const SourceLineFn& source_line);

/// Notes a fill of `bytes` bytes of memory of `machine`; its time counts like a launch's.
void Fill(const Machine& machine, uint64_t bytes);

/// How long launches take, one after the other: see GridwiseSimTimes (sim_extension.h).
struct Times {
  int64_t launches = 0;
  const char* machine = "";
  double burst_mhz = 0, sustained_mhz = 0;
  RunMs ms = {}, low = {}, high = {}, bound = {};
  const char* ports = "";
  const char* limiter = "";
  double gain = 0;
  bool given_up = false;  // they take at least as long as this
};
/// The times since the last call, or nothing.
std::optional<Times> TakeTimes();

/// Milliseconds that the process's launches have taken at the burst clock, one after the other.
double NowMs();

}  // namespace gridwise::sim::time
