// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tools/sim/time/engine/unit.h"

namespace gridwise::sim::time {

/// What a wave has under way: results that hardware waits for, and outstanding memory operations by
/// counter.
class Scoreboard {
 public:
  explicit Scoreboard(const Machine& machine);

  /// From when on the operands of `op` are there.
  double OperandsReady(const Op& op) const;
  /// From when on the counters allow `op` to issue, and the counter that does so last. `counted_by`
  /// is a WaitCounter.
  double CountersReady(const Op& op, int& counted_by) const;
  /// `op` has issued at `t`; it is outstanding until `done`.
  void Issue(const Op& op, double t, double done);

 private:
  double LimitReached(int counter, size_t limit) const;

  const Machine& machine_;
  std::array<double, kAllRegisters> issued_;
  std::array<Producer, kAllRegisters> producer_ = {};
  /// When what is outstanding will be done, the earliest first.
  std::array<std::vector<double>, kWaitCounters> outstanding_;
  std::array<std::array<double, 3>, kWaitCounters> last_ = {};  // by Order
};

}  // namespace gridwise::sim::time
