// SPDX-License-Identifier: MIT
#include "gridwise/tune.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/stream.h"

namespace gridwise {
namespace {

/// Returns the milliseconds of one run of `conv`.
absl::StatusOr<double> TimeOfRun(const Executable& conv, const ConvTensors& tensors,
                                 const DeviceBuffer& workspace, hipStream_t stream) {
  absl::StatusOr<Event> start = Event::Create(), end = Event::Create();
  if (!start.ok()) return start.status();
  if (!end.ok()) return end.status();
  if (absl::Status status = start->Record(stream); !status.ok()) return status;
  absl::Status status = conv.Launch(tensors, workspace.data(), workspace.bytes(), stream);
  if (!status.ok()) return status;
  if (status = end->Record(stream); !status.ok()) return status;
  if (status = end->Synchronize(); !status.ok()) return status;
  return end->MillisecondsSince(*start);
}

/// Returns the median of `runs` runs. If `warm_up`, an untimed run comes first.
absl::StatusOr<double> MeasureTime(const Plan& plan, const ConvTensors& tensors, int runs,
                                   bool warm_up, hipStream_t stream) {
  const absl::StatusOr<Executable> conv = Executable::Load(plan);
  if (!conv.ok()) return conv.status();
  const absl::StatusOr<DeviceBuffer> workspace = DeviceBuffer::Allocate(plan.workspace_bytes());
  if (!workspace.ok()) return workspace.status();
  std::vector<double> times;
  for (int run = warm_up ? -1 : 0; run < runs; ++run) {
    const absl::StatusOr<double> time = TimeOfRun(*conv, tensors, *workspace, stream);
    if (!time.ok()) return time;
    if (run >= 0) times.push_back(*time);
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace

absl::StatusOr<TuneResult> Tune(const ConvProblem& problem, const ConvTensors& tensors,
                                const TuneOptions& options, hipStream_t stream) {
  using Clock = std::chrono::steady_clock;
  if (options.runs < 1) {
    return absl::InvalidArgumentError(absl::StrFormat("runs is %d; must be >= 1", options.runs));
  }
  const absl::StatusOr<DeviceInfo> device = CurrentDevice();
  if (!device.ok()) return device.status();
  const absl::StatusOr<DeviceFacts> facts = device->Facts();
  if (!facts.ok()) return facts.status();
  const absl::StatusOr<std::vector<Plan>> plans =
      RankPlans(problem, *facts, options.plans, options.plan);
  if (!plans.ok()) return plans.status();

  TuneResult result = {.plans = {}, .clock = CurrentEventClock()};
  const bool is_device = result.clock == EventClock::kDevice;
  const auto start = Clock::now();
  for (const Plan& plan : *plans) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (!result.plans.empty() && seconds >= options.time_limit_s) {
      result.is_complete = false;
      break;
    }
    const absl::StatusOr<double> time =
        MeasureTime(plan, tensors, is_device ? options.runs : 1, /*warm_up=*/is_device, stream);
    result.plans.push_back(
        {.plan = plan, .status = time.status(), .milliseconds = time.ok() ? *time : 0});
  }
  absl::Status first = result.plans.front().status;
  std::stable_sort(result.plans.begin(), result.plans.end(),
                   [](const PlanTime& a, const PlanTime& b) {
                     return std::pair(!a.status.ok(), a.milliseconds) <
                            std::pair(!b.status.ok(), b.milliseconds);
                   });
  if (!result.plans.front().status.ok()) return first;
  return result;
}

}  // namespace gridwise
