// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "tools/sim/isa/target.h"
#include "tools/sim/machine/launch.h"
#include "tools/sim/machine/launch_probe.h"

namespace gridwise::sim {

/// An instruction that lost cycles to LDS bank conflicts.
struct BankConflictReport {
  uint64_t pc = 0;         // bytes from the kernel's entry
  int64_t executions = 0;  // by waves
  int64_t cycles = 0;      // of all accesses together, see BankConflicts
};

/// Counts the LDS bank conflicts of a launch.
class BankProbe final : public LaunchProbe {
 public:
  ProbeWants wants() const override { return {.accesses = true}; }
  void Begin(const Launch& launch) override { launch_ = &launch; }
  std::unique_ptr<GroupProbe> OfThread(std::span<Wave> waves) override;
  void End(const RunReport* report) override;

  /// After the launch, by the order of instructions; those without conflicts are left out.
  const std::vector<BankConflictReport>& conflicts() const { return conflicts_; }

 private:
  class Counter;

  const Launch* launch_ = nullptr;
  std::mutex mutex_;
  std::vector<int64_t> cycles_;  // by instruction
  std::vector<BankConflictReport> conflicts_;
};

}  // namespace gridwise::sim
