// SPDX-License-Identifier: MIT
// Step 2: which instances there are for a problem, why others refuse it, and how long the best
// take.
//
//   GRIDWISE_SIM=time ./bazelw run --config=gfx942 //docs/tutorial:explain_and_time
//
// With GRIDWISE_SIM=time the simulator's clock says how long a launch takes; a GPU measures it.

#include <cstdint>
#include <cstdio>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/event_clock.h"
#include "gridwise/conv.h"
#include "gridwise/tune.h"

namespace {

using gridwise::DeviceBuffer;

// Backward-data of stride 2: a layer that halves its image, on its way back.
gridwise::ConvProblem MakeProblem() {
  gridwise::ConvProblem problem = {
      .direction = gridwise::Direction::kBackwardData, .batch = 4, .c = 64, .k = 128};
  problem.dims[1] =
      problem.dims[2] = {.in = 28, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 1};
  return problem;
}

// Prints why the first few instances refuse the problem; returns how many compute it.
int Explain(const gridwise::ConvProblem& problem, const gridwise::DeviceFacts& device) {
  int possible = 0, told = 0;
  for (const auto& instance : gridwise::ExplainInstances(problem, device)) {
    if (!instance.reason) {
      ++possible;
    } else if (++told <= 3) {
      std::printf("%s refuses: %s\n", instance.instance.c_str(), instance.reason->c_str());
    }
  }
  std::printf("%d instances compute it\n", possible);
  return possible;
}

absl::Status Run() {
  const auto device = gridwise::FindDevice("gfx942");
  if (!device.ok()) return device.status();
  if (absl::Status status = gridwise::UseDevice(*device); !status.ok()) return status;
  const gridwise::ConvProblem problem = MakeProblem();
  const absl::StatusOr<gridwise::DeviceFacts> facts = device->Facts();
  if (!facts.ok()) return facts.status();
  if (Explain(problem, *facts) == 0) return absl::InternalError("no instance does");

  const auto dy = DeviceBuffer::Allocate(2 * problem.a_elements());
  const auto w = DeviceBuffer::Allocate(2 * problem.b_elements());
  const auto dx = DeviceBuffer::Allocate(2 * problem.out_elements());
  for (const auto* buffer : {&dy, &w, &dx}) {
    if (!buffer->ok()) return buffer->status();
  }
  // Measures the three plans that the planner ranks first.
  const absl::StatusOr<gridwise::TuneResult> tuned =
      gridwise::Tune(problem, {.a = dy->data(), .b = w->data(), .out = dx->data()}, {.plans = 3});
  if (!tuned.ok()) return tuned.status();
  for (const gridwise::PlanTime& time : tuned->plans) {
    std::printf("%8.5f ms of %s time: %s\n", time.milliseconds, Name(tuned->clock),
                time.plan.instance().c_str());
  }
  return absl::OkStatus();
}

}  // namespace

int main() {
  const absl::Status status = Run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
