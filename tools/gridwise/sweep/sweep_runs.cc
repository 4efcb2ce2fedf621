// SPDX-License-Identifier: MIT
#include "tools/gridwise/sweep/sweep_runs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/reference/elements.h"
#include "core/runtime/device.h"
#include "core/text/parse_device.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/run/memory_need.h"
#include "tools/gridwise/run/time_plan.h"
#include "tools/gridwise/run/timing.h"

namespace gridwise {
namespace {

using Result = SweepRecord::Result;

bool IsPrecise(const SweepOptions& options) { return options.precise || options.best; }

}  // namespace

SweepRecord MakeRecord(const SweepOptions& options, const DeviceFacts& device,
                       const SweepItem& item, const InstanceChoice& instance) {
  SweepRecord record;
  record.problem = item.name;
  record.device = NameOf(device);
  record.sizes = ToString(item.problem);
  record.instance = instance.instance;
  record.seed = options.seed;
  record.splits = instance.splits;
  record.family = instance.family;
  record.problem_index = item.index;
  record.shape = item.problem;
  record.gflop = Flops(item.problem) * 1e-9;
  record.estimate_us = instance.estimate_us;
  return record;
}

bool IsQuick(const SweepOptions& options) {
  return options.quick || (!IsPrecise(options) && (options.all_instances || IsSampled(options)));
}

SweepRecord SweepRuns::Run(const InstanceChoice& instance, double limit_ms) {
  SweepRecord record = MakeRecord(options_, device_, item_, instance);
  record.message = item_.reason;
  if (instance.instance.empty()) return record;
  const absl::StatusOr<InstancePlan> plan = MakePlan(
      item_.problem, device_,
      {.instance = instance.instance, .family = instance.family, .splits = options_.splits});
  absl::Status status = plan.status();
  if (plan.ok()) status = options_.time ? Time(*plan, limit_ms, record) : Compute(*plan, record);
  if (!status.ok()) {
    record.result = Result::kError;
    record.message = status.message();
  }
  return record;
}

absl::Status SweepRuns::Time(const InstancePlan& plan, double limit_ms, SweepRecord& record) const {
  const SimTiming simulated = IsQuick(options_)     ? SimTiming::kQuick
                              : IsPrecise(options_) ? SimTiming::kBare
                                                    : SimTiming::kQuiet;
  const absl::StatusOr<Timing> timing =
      TimePlan(item_.problem, plan, {.simulated = simulated, .limit_ms = limit_ms});
  if (!timing.ok()) {
    ResetDevice().IgnoreError();  // the device keeps a fault until then
    return timing.status();
  }
  record.timing = *timing;
  record.result = timing->given_up ? Result::kSlower : Result::kTimed;
  return absl::OkStatus();
}

absl::Status SweepRuns::Compute(const InstancePlan& plan, SweepRecord& record) {
  if (!operands_) {
    absl::Status status = CheckMemory(item_.problem, plan, options_.verify);
    if (!status.ok()) return status;
    operands_ = RandomOperands(item_.problem, plan.device().gfx, options_.seed);
  }
  const absl::StatusOr<Outcome> outcome = gridwise::Compute(item_.problem, plan, *operands_);
  if (!outcome.ok()) {
    ResetDevice().IgnoreError();
    return outcome.status();
  }
  record.seconds = outcome->seconds;
  record.sim = outcome->sim;
  const std::vector<double> out = DecodeExactly(OutputType(item_.problem), outcome->out);
  record.non_zero = std::ranges::count_if(out, [](double value) { return value != 0; });
  record.result = Result::kUnverified;
  return options_.verify ? Verify(*outcome, record) : absl::OkStatus();
}

absl::Status SweepRuns::Verify(const Outcome& outcome, SweepRecord& record) {
  if (!expected_) {
    absl::StatusOr<Expected> computed = Expect(item_.problem, *operands_);
    if (!computed.ok()) return computed.status();
    expected_ = *std::move(computed);
  }
  const Judgement explanation = Judge(item_.problem, outcome, *expected_);
  record.error = explanation.stats;
  record.result = explanation.status.ok() ? Result::kPass : Result::kFail;
  record.message = explanation.status.message();
  return absl::OkStatus();
}

}  // namespace gridwise
