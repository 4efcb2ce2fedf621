// SPDX-License-Identifier: MIT
#include "tools/sim/time/model/sample.h"

#include <algorithm>

namespace gridwise::sim::time {
namespace {

/// Times the resident workgroups of a unit that are timed in detail at most: queues of small
/// workgroups take so long to fill.
constexpr int64_t kDetailedTurns = 24;
constexpr int64_t kStrata = 24;

}  // namespace

SamplePlan PlanSample(const Machine& machine, int64_t workgroups, int resident) {
  const auto xcds = static_cast<int64_t>(machine.xcds);
  const auto units = static_cast<int64_t>(machine.units_per_xcd());
  const int64_t of_xcd = (workgroups + xcds - 1) / xcds;  // those of the first XCD
  SamplePlan plan;
  plan.rounds = (of_xcd + units - 1) / units;
  plan.resident = static_cast<int>(std::min<int64_t>(resident, plan.rounds));
  plan.units_busy = static_cast<double>(std::min(workgroups, xcds * units));
  const int64_t turns = std::min<int64_t>(plan.rounds, kDetailedTurns * plan.resident);
  // The first unit has the most workgroups, one in the middle is typical of what they do.
  std::vector<int64_t> detailed = {0};
  if (const int64_t middle = std::min(units, of_xcd) / 2; middle != 0) detailed.push_back(middle);
  for (const int64_t unit : detailed) {
    SamplePlan::Unit& timed = plan.units.emplace_back();
    timed.all = (of_xcd - unit + units - 1) / units;
    for (int64_t turn = 0; turn < std::min(turns, timed.all); ++turn) {
      // Behind those that fill it, a unit gets the next one when it has room, not in turn:
      // where columns of tiles are a divisor of units, it would have tiles of one column alone.
      const int64_t drift = std::max<int64_t>(0, turn + 1 - plan.resident);
      const int64_t at = turn * units + (unit + drift) % units;
      if (at < of_xcd) timed.first.push_back(at * xcds);
    }
  }
  for (int64_t i = 0; i < std::min(kStrata, workgroups); ++i)
    plan.strata.push_back(i * (workgroups - 1) /
                          std::max<int64_t>(1, std::min(kStrata, workgroups) - 1));
  plan.ends = {workgroups - 1};
  if (workgroups >= xcds) plan.ends.push_back(workgroups / xcds * xcds - 1);
  for (int64_t i = 0; i < std::min<int64_t>(units * plan.resident, of_xcd); ++i) {
    if (i * xcds < workgroups) plan.xcd.push_back(i * xcds);
  }
  return plan;
}

}  // namespace gridwise::sim::time
