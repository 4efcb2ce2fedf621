// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "tools/sim/machine/bank_probe.h"
#include "tools/sim/machine/dispatch.h"
#include "tools/sim/time/engine/resource.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/model/ports.h"

namespace gridwise::sim {

/// Counts of the process's launches since they were last taken, and the progress of the current one
/// (sim_extension.h).
struct LaunchRecord {
  static LaunchRecord& Process();

  void Add(const RunReport& report);
  /// Adds a launch's bound by the ports. The caller holds the mutex.
  void AddPorts(const time::Machine& machine, const time::Bound& bound);

  std::atomic<uint64_t> progress_done = 0, progress_total = 0;  // workgroups
  std::atomic<bool> count_bank_conflicts = false, count_ports = false;

  std::mutex mutex;  // guards what follows
  RunReport runs;    // sums
  int64_t launches = 0;
  time::RunMs ports_ms;
  double max_ports_ms = 0;  // the longest of any launch
  const char* ports = "";   // what limits that launch
  /// The kernel and the conflicts, by launch and instruction.
  std::deque<std::pair<std::string, BankConflictReport>> conflicts;
};

}  // namespace gridwise::sim
