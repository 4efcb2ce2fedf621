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

/// What is counted of the launches of this process since it was last taken, and how far the current
/// one is (sim_extension.h).
struct LaunchRecord {
  static LaunchRecord& Process();

  void Add(const RunReport& report);
  /// Adds a launch's ports to those that are taken next. The mutex is held.
  void AddPorts(const time::Machine& machine, const time::Bound& bound);

  std::atomic<uint64_t> progress_done = 0, progress_total = 0;  // workgroups
  std::atomic<bool> count_bank_conflicts = false, count_ports = false;

  std::mutex mutex;  // guards what follows
  RunReport runs;    // sums
  int64_t launches = 0;
  time::RunMs ports_ms;
  double max_ports_ms = 0;  // the longest of any launch
  const char* ports = "";   // what limits that launch
  /// By launch and instruction: the kernel, and what was counted.
  std::deque<std::pair<std::string, BankConflictReport>> conflicts;
};

}  // namespace gridwise::sim
