// SPDX-License-Identifier: MIT
#include "tools/sim/hip/launch/launch_record.h"

#include <algorithm>

#include "tools/sim/wave/uop.h"

namespace gridwise::sim {

LaunchRecord& LaunchRecord::Process() {
  static auto* const record = new LaunchRecord;
  return *record;
}

void LaunchRecord::Add(const RunReport& report) {
  const std::lock_guard lock(mutex);
  for (int i = 0; i < kOpClasses; ++i) runs.instructions[i] += report.instructions[i];
  runs.waves += report.waves;
  runs.workgroups += report.workgroups;
  runs.seconds += report.seconds;
  runs.threads = std::max(runs.threads, report.threads);
  ++launches;
}

void LaunchRecord::AddPorts(const time::Machine& machine, const time::Bound& bound) {
  const time::RunMs ms = bound.Ms(machine);
  ports_ms += ms;
  if (ms.sustained() <= max_ports_ms) return;
  max_ports_ms = ms.sustained();
  ports = time::Name(bound.Sustained(machine)).data();
}

}  // namespace gridwise::sim
