// SPDX-License-Identifier: MIT
// Step 4: an instance that the library does not contain, compiled when it is named, beside the one
// that the planner would choose.
//
//   GRIDWISE_SIM=time ./bazelw run --config=gfx942 //docs/tutorial:write_an_instance
//
// To keep it, add its line to instances/tile/gfx942.inc:
//
//   FORWARD(.types = {kF16, kBF16}, .tile = {96, 64, 32}, .waves = {2, 2},
//           .mma = {kMfma, 16, 16, 16}, .patch_a = {8, 1}, .patch_b = {8, 1}, .occupancy = 3)

#include <cstdio>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/event_clock.h"
#include "gridwise/conv.h"
#include "gridwise/tune.h"
#include "tools/tune/on_demand.h"

namespace {

using gridwise::DeviceBuffer;

// A name is a configuration: a tile of 96 x 64 outputs and 32 terms of K, 2 x 2 waves, matrix
// instructions of 16 x 16 x 16, loads of 8 elements, registers for 3 waves per SIMD.
constexpr std::string_view kInstance = "f16_t96x64x32_w2x2_mfma16x16x16_a8x1_b8x1_o3";
constexpr std::string_view kImpossible = "f16_t100x64x32_w2x2_mfma16x16x16_a8x1_b8x1_o3";

gridwise::ConvProblem MakeProblem() {
  gridwise::ConvProblem problem = {.batch = 4, .c = 96, .k = 64};
  problem.dims[1] = problem.dims[2] = {.in = 28, .filter = 3, .pad_begin = 1, .pad_end = 1};
  return problem;
}

absl::Status Time(const gridwise::ConvProblem& problem, std::string_view instance) {
  const auto x = DeviceBuffer::Allocate(2 * problem.a_elements());
  const auto w = DeviceBuffer::Allocate(2 * problem.b_elements());
  const auto y = DeviceBuffer::Allocate(2 * problem.out_elements());
  for (const auto* buffer : {&x, &w, &y}) {
    if (!buffer->ok()) return buffer->status();
  }
  gridwise::TuneOptions options = {.plans = 1};
  options.plan.instance = instance;
  const absl::StatusOr<gridwise::TuneResult> tuned =
      gridwise::Tune(problem, {.a = x->data(), .b = w->data(), .out = y->data()}, options);
  if (!tuned.ok()) return tuned.status();
  for (const gridwise::PlanTime& time : tuned->plans) {
    std::printf("%8.5f ms of %s time: %s\n", time.milliseconds, Name(tuned->clock),
                time.plan.instance().c_str());
  }
  return absl::OkStatus();
}

absl::Status Run() {
  const auto device = gridwise::FindDevice("gfx942");
  if (!device.ok()) return device.status();
  if (absl::Status status = gridwise::UseDevice(*device); !status.ok()) return status;
  const absl::StatusOr<gridwise::Compiler> compiler =
      gridwise::Compiler::Open("tools/tune/compiler.json", gridwise::DefaultKernelCache());
  if (!compiler.ok()) return compiler.status();

  const auto add = [&](std::string_view name) {
    return gridwise::AddInstance(*compiler, "tile", name, gridwise::Direction::kForward,
                                 gridwise::Gfx::k942);
  };
  // What cannot exist is refused before a compiler sees it.
  const absl::Status impossible = add(kImpossible);
  std::printf("%s\n", impossible.ToString().c_str());
  if (impossible.ok()) return absl::InternalError("an instance that cannot exist was compiled");
  if (absl::Status status = add(kInstance); !status.ok()) return status;

  const gridwise::ConvProblem problem = MakeProblem();
  if (absl::Status status = Time(problem, kInstance); !status.ok()) return status;
  return Time(problem, /*instance=*/"");
}

}  // namespace

int main() {
  const absl::Status status = Run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
