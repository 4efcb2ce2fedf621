// SPDX-License-Identifier: MIT
#include "tools/sim/time/testing/launch_by_hand.h"

#include <map>
#include <vector>

namespace gridwise::sim::time {

LaunchTime TimeOf(Bench& bench, int64_t workgroups, const GroupNeeds& needs, Footprint footprint,
                  const std::function<void(int64_t)>& make, const TimeOptions& options) {
  LaunchRecord launch;
  launch.kernel = "made by hand";
  launch.workgroups = workgroups;
  launch.needs = needs;
  launch.occupancy = ComputeOccupancy(bench.machine(), needs);
  launch.plan = PlanSample(bench.machine(), workgroups, launch.occupancy.workgroups);
  std::map<int64_t, const WorkgroupRecord*> records;
  const auto record = [&](const std::vector<int64_t>& indices) {
    for (const int64_t index : indices) {
      if (records.count(index) != 0) continue;
      bench.Workgroup();
      make(index);
      records[index] = &bench.group();
    }
  };
  for (const SamplePlan::Unit& unit : launch.plan.units) record(unit.first);
  record(launch.plan.strata);
  record(launch.plan.xcd);
  launch.ops = bench.code();
  if (options.interval) {
    launch.ops_on = [&](const Machine&) {
      return std::vector<Op>(bench.code().begin(), bench.code().end());
    };
  }
  launch.shapes = &bench.shapes();
  launch.record = [&](int64_t index) {
    const auto found = records.find(index);
    return found == records.end() ? nullptr : found->second;
  };
  launch.footprint = footprint;
  return TimeLaunch(bench.machine(), launch, options);
}

}  // namespace gridwise::sim::time
