// SPDX-License-Identifier: MIT
#include "tools/sim/hip/sim_extension.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/launch/launch_record.h"
#include "tools/sim/hip/stream/queue.h"
#include "tools/sim/isa/bind/matrix_mode.h"
#include "tools/sim/machine/fidelity.h"
#include "tools/sim/time/session/session.h"
#include "tools/sim/wave/uop.h"

// Functions about launches that HIP does not have. Programs refer to them weakly, and weak
// references do not pull an object out of an archive or load a library. They are here since each
// program that uses them launches kernels.

using namespace gridwise::sim;

extern "C" {

int gridwiseSimAddDevice(const char* name) { return AddDevice(name) ? 0 : 1; }

int gridwiseSimIsTimed(void) { return time::On() ? 1 : 0; }

int gridwiseSimTakeRuns(GridwiseSimRuns* taken) {
  static_cast<void>(RunDeferred());
  LaunchRecord& record = LaunchRecord::Process();
  std::lock_guard lock(record.mutex);
  if (taken == nullptr || record.launches == 0) return 1;
  *taken = {.launches = record.launches,
            .workgroups = record.runs.workgroups,
            .waves = record.runs.waves,
            .seconds = record.runs.seconds,
            .threads = record.runs.threads,
            .class_names = {},
            .instructions = {},
            .ports_ms = record.ports_ms.sustained(),
            .ports = record.ports};
  static_assert(kOpClasses == GRIDWISE_SIM_CLASSES);
  for (int i = 0; i < kOpClasses; ++i) {
    taken->class_names[i] = gridwise::sim::Name(static_cast<OpClass>(i));
    taken->instructions[i] = record.runs.instructions[i];
  }
  record.runs = {};
  record.launches = 0;
  record.ports_ms = {};
  record.max_ports_ms = 0;
  record.ports = "";
  return 0;
}

void gridwiseSimCountPorts(int on) {
  static_cast<void>(RunDeferred());
  LaunchRecord::Process().count_ports = on != 0;
}

void gridwiseSimCountBankConflicts(int on) {
  static_cast<void>(RunDeferred());
  LaunchRecord& record = LaunchRecord::Process();
  std::lock_guard lock(record.mutex);
  record.count_bank_conflicts = on != 0;
  record.conflicts.clear();
}

int gridwiseSimBankConflictsAt(int index, GridwiseSimBankConflicts* conflicts) {
  static_cast<void>(RunDeferred());
  LaunchRecord& record = LaunchRecord::Process();
  std::lock_guard lock(record.mutex);
  if (conflicts == nullptr || index < 0 || static_cast<size_t>(index) >= record.conflicts.size())
    return 1;
  const auto& [kernel, found] = record.conflicts[static_cast<size_t>(index)];
  *conflicts = {.kernel = kernel.c_str(),
                .pc = found.pc,
                .executions = found.executions,
                .cycles = found.cycles};
  return 0;
}

void gridwiseSimProgress(uint64_t* done, uint64_t* total) {
  if (done != nullptr) *done = LaunchRecord::Process().progress_done;
  if (total != nullptr) *total = LaunchRecord::Process().progress_total;
}

void gridwiseSimTime(int mode) {
  static_cast<void>(RunDeferred());
  gridwise::sim::time::Set(mode != 0,
                           {.describes = mode == 2, .bare = mode >= 3, .quick = mode == 3});
  gridwise::sim::SetCapacities();
}

void gridwiseSimNameLaunches(const char* what) {
  static_cast<void>(RunDeferred());
  gridwise::sim::time::SetWhat(what == nullptr ? "" : what);
}

void gridwiseSimTimeLimit(double ms) {
  static_cast<void>(RunDeferred());
  gridwise::sim::time::SetLimit(ms);
}

int gridwiseSimTakeTimes(GridwiseSimTimes* times) {
  static_cast<void>(RunDeferred());
  const std::optional<gridwise::sim::time::Times> taken = gridwise::sim::time::TakeTimes();
  if (times == nullptr || !taken) return 1;
  *times = {.launches = taken->launches,
            .machine = taken->machine,
            .burst_mhz = taken->burst_mhz,
            .sustained_mhz = taken->sustained_mhz,
            .burst_ms = taken->ms.burst,
            .sustained_ms = taken->ms.sustained(),
            .low_ms = taken->low.sustained(),
            .high_ms = taken->high.sustained(),
            .ports_ms = taken->bound.sustained(),
            .ports = taken->ports,
            .limiter = taken->limiter,
            .gain = taken->gain,
            .given_up = taken->given_up ? 1 : 0};
  return 0;
}

const char* gridwiseSimLastFault(void) { return LastSentence(); }

void gridwiseSimSetExactMatrices(int exact) {
  static_cast<void>(RunDeferred());
  SetMatrixMode(exact != 0 ? MatrixMode::kExact : MatrixMode::kFast);
}

const char* gridwiseSimFidelity(void) {
  static_cast<void>(RunDeferred());
  thread_local std::string text;
  text = FidelityRecord::Process().Json();
  return text.c_str();
}

}  // extern "C"
