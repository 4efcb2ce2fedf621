// SPDX-License-Identifier: MIT
// Step 1: from sizes to an output, and what the plan was.
//
//   ./bazelw run --config=gfx942 //docs/tutorial:plan_and_run

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "gridwise/conv.h"

namespace {

using gridwise::DeviceBuffer;

// Two images of 16 x 16 pixels, 64 channels in, 64 out, a filter of 3 x 3.
gridwise::ConvProblem MakeProblem() {
  gridwise::ConvProblem problem = {
      .direction = gridwise::Direction::kForward, .batch = 2, .c = 64, .k = 64};
  problem.dims[1] = problem.dims[2] = {.in = 16, .filter = 3, .pad_begin = 1, .pad_end = 1};
  return problem;
}

absl::StatusOr<std::vector<std::uint16_t>> Convolve(const gridwise::ConvProblem& problem,
                                                    const gridwise::Plan& plan) {
  // f16: 0x3c00 is 1. All inputs and weights are ones, so that an output counts its products.
  const std::vector<std::uint16_t> x(static_cast<std::size_t>(problem.x_elements()), 0x3c00);
  const std::vector<std::uint16_t> w(static_cast<std::size_t>(problem.w_elements()), 0x3c00);
  std::vector<std::uint16_t> y(static_cast<std::size_t>(problem.y_elements()));
  const auto on_device = [](const auto& data) {
    return DeviceBuffer::CopyOf(std::as_bytes(std::span(data)));
  };
  const absl::StatusOr<DeviceBuffer> a = on_device(x), b = on_device(w), out = on_device(y);
  const auto workspace = DeviceBuffer::Allocate(plan.workspace_bytes());
  for (const auto* buffer : {&a, &b, &out, &workspace}) {
    if (!buffer->ok()) return buffer->status();
  }

  // Loading puts the plan's code objects on the device, once. Launching allocates nothing.
  const absl::StatusOr<gridwise::Executable> conv = gridwise::Executable::Load(plan);
  if (!conv.ok()) return conv.status();
  absl::Status status = conv->Launch({.a = a->data(), .b = b->data(), .out = out->data()},
                                     workspace->data(), workspace->bytes(), /*stream=*/nullptr);
  if (!status.ok()) return status;
  status = out->CopyToHost(std::as_writable_bytes(std::span(y)));  // waits for the launch
  if (!status.ok()) return status;
  return y;
}

absl::Status Run() {
  // A simulated device, unless the program is linked against ROCm's HIP library.
  const auto device = gridwise::FindDevice("gfx942");
  if (!device.ok()) return device.status();
  if (absl::Status status = gridwise::UseDevice(*device); !status.ok()) return status;

  const gridwise::ConvProblem problem = MakeProblem();
  const absl::StatusOr<gridwise::Plan> plan = gridwise::MakePlan(problem, gridwise::Gfx::k942);
  if (!plan.ok()) return plan.status();
  std::printf("%s", plan->ToString().c_str());

  const absl::StatusOr<std::vector<std::uint16_t>> y = Convolve(problem, *plan);
  if (!y.ok()) return y.status();
  // In the middle of an image 9 taps of 64 channels meet pixels, in a corner 4: 576 and 256.
  const std::uint16_t corner = y->front(), middle = (*y)[(8 * 16 + 8) * 64];
  std::printf("corner %#x, middle %#x\n", corner, middle);
  return corner == 0x5c00 && middle == 0x6080 ? absl::OkStatus()
                                              : absl::InternalError("the output is wrong");
}

}  // namespace

int main() {
  const absl::Status status = Run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
