// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tools/sim/time/engine/unit.h"

namespace gridwise::sim::time {

/// The outstanding work of a wave: results that hardware waits for, and memory operations by
/// counter.
class Scoreboard {
 public:
  explicit Scoreboard(const Machine& machine);

  /// When the operands of `op` are ready.
  double OperandsReady(const Op& op) const;
  /// When the counters allow `op` to issue. `counted_by` is the WaitCounter that allows it last.
  double CountersReady(const Op& op, int& counted_by) const;
  /// `op` has issued at `t`; it is outstanding until `done`.
  void Issue(const Op& op, double t, double done);

 private:
  double LimitReached(int counter, size_t limit) const;

  const Machine& machine_;
  std::array<double, kAllRegisters> issued_;
  std::array<Producer, kAllRegisters> producer_ = {};
  /// When outstanding operations will be done, the earliest first.
  std::array<std::vector<double>, kWaitCounters> outstanding_;
  std::array<std::array<double, 3>, kWaitCounters> last_ = {};  // by Order
};

}  // namespace gridwise::sim::time
