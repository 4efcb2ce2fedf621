// SPDX-License-Identifier: MIT
#include "tools/sim/time/session/port_count.h"

#include <algorithm>

#include "tools/sim/time/session/timed_run.h"

namespace gridwise::sim::time {
namespace {

/// One in kOneOf workgroups is recorded, and at most kMaxRecorded of a launch.
constexpr int64_t kOneOf = 32;
constexpr int64_t kMaxRecorded = 6;
/// Instructions of a wave that are recorded; the others are taken to be like them.
constexpr int64_t kMaxOfWave = 5'000;

std::vector<int64_t> Across(int64_t workgroups) {
  const int64_t count = std::clamp<int64_t>(workgroups / kOneOf, 1, kMaxRecorded);
  std::vector<int64_t> some;
  for (int64_t i = 0; i < count; ++i) some.push_back((2 * i + 1) * workgroups / (2 * count));
  return some;
}

}  // namespace

PortCount::PortCount(const Machine& machine, Program& program, const KernelInfo& kernel,
                     const Grid& grid)
    : machine_(machine),
      program_(program),
      kernel_(kernel),
      workgroups_(grid.CountWorkgroups()),
      plan_(PlanSample(machine, workgroups_, 1)),
      sample_(Across(workgroups_)),
      recorder_(machine, program.target().bit) {
  recorder_.Only(sample_);
  recorder_.Limit(kMaxOfWave, Recorder::Behind::kGoOn);
}

Bound PortCount::Result(const RunReport& report) {
  const std::vector<Op> ops = DecodeOps(machine_, program_, kernel_, report);
  // The mean work of a workgroup, from all executed instructions.
  PortWork work = {};
  const auto at = [](PortWork& of, Resource r) -> double& { return of[static_cast<size_t>(r)]; };
  double executed = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    const double times = static_cast<double>(report.executions[i]) / workgroups_;
    executed += times;
    AddWork(machine_, ops[i], times, work);
  }
  const double busy_of_xcd =
      std::min(machine_.units_per_xcd(), std::max(1.0, workgroups_ / machine_.xcds));
  const double share =
      std::min(machine_.l2_read_bytes / busy_of_xcd, machine_.l1_read_bytes * machine_.l1s);
  // Work that depends on addresses comes from the recorded workgroups.
  PortWork sampled = {};
  double recorded = 0;
  for (const int64_t index : sample_) {
    const WorkgroupRecord* const record = recorder_.Find(index);
    if (record == nullptr) continue;
    recorded += record->instructions();
    const PortWork of_record = CountWork(machine_, ops, recorder_.shapes(), *record, share);
    for (size_t r = 0; r < sampled.size(); ++r) sampled[r] += of_record[r];
  }
  for (const Resource r : {Resource::kLds, Resource::kAddress, Resource::kL2}) {
    at(work, r) = recorded > 0 ? at(sampled, r) * executed / recorded : 0;
  }
  return FindBound(machine_, work, static_cast<double>(workgroups_),
                   static_cast<double>(plan_.rounds));
}

}  // namespace gridwise::sim::time
