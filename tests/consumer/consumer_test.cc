// SPDX-License-Identifier: MIT
/// What a program of another repository does with Gridwise: plans and computes a convolution, does
/// so by a kernel family of its own, and runs a kernel of its own, on whatever device
/// //tools/config:hip of Gridwise stands for.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/reference/compare.h"
#include "core/reference/elements.h"
#include "core/reference/expected.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/module.h"
#include "core/runtime/stream.h"
#include "gridwise/conv.h"
#include "gridwise/families.h"
#include "naive_family.h"
#include "scale_code.h"

namespace {

constexpr uint16_t kOne = 0x3c00;  // in f16

/// dx of a 1x1 convolution of ones with ones is the number of output channels everywhere.
absl::Status Convolve() {
  gridwise::ConvProblem problem{
      .direction = gridwise::Direction::kBackwardData, .rank = 2, .batch = 1, .c = 16, .k = 8};
  problem.dims[1].in = problem.dims[2].in = 4;
  const absl::StatusOr<gridwise::Plan> plan = gridwise::MakePlan(problem, gridwise::Gfx::k942);
  if (!plan.ok()) return plan.status();
  std::printf("%s\n", plan->ToString().c_str());
  const std::vector<uint16_t> ones(static_cast<size_t>(problem.y_elements() + problem.w_elements()),
                                   kOne);
  const auto dy = gridwise::DeviceBuffer::CopyOf(
      std::as_bytes(std::span(ones).first(static_cast<size_t>(problem.y_elements()))));
  if (!dy.ok()) return dy.status();
  const auto w = gridwise::DeviceBuffer::CopyOf(
      std::as_bytes(std::span(ones).first(static_cast<size_t>(problem.w_elements()))));
  if (!w.ok()) return w.status();
  std::vector<uint16_t> result(static_cast<size_t>(problem.x_elements()));
  const auto dx = gridwise::DeviceBuffer::Allocate(static_cast<int64_t>(result.size() * 2));
  if (!dx.ok()) return dx.status();
  const auto workspace = gridwise::DeviceBuffer::Allocate(plan->workspace_bytes());
  if (!workspace.ok()) return workspace.status();
  const auto conv = gridwise::Executable::Load(*plan);
  if (!conv.ok()) return conv.status();
  absl::Status status = conv->Launch({.a = dy->data(), .b = w->data(), .out = dx->data()},
                                     workspace->data(), workspace->bytes(), /*stream=*/nullptr);
  if (!status.ok()) return status;
  if (status = gridwise::SynchronizeDevice(); !status.ok()) return status;
  if (status = dx->CopyToHost(std::as_writable_bytes(std::span(result))); !status.ok())
    return status;
  constexpr uint16_t kEight = 0x4800;
  for (uint16_t element : result) {
    if (element != kEight) return absl::InternalError("dx is not 8 everywhere");
  }
  return absl::OkStatus();
}

/// A convolution with everything on it, by the family of this repository, against the reference.
absl::Status ConvolveByOwnFamily() {
  absl::Status status = gridwise::RegisterFamily(consumer::NaiveFamily());
  if (!status.ok()) return status;
  gridwise::ConvProblem problem{.direction = gridwise::Direction::kForward,
                                .rank = 2,
                                .groups = 2,
                                .batch = 2,
                                .c = 6,
                                .k = 10};
  problem.dims[1] = {.in = 9, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 2};
  problem.dims[2] = {.in = 8, .filter = 2, .dilation = 3, .pad_begin = 2, .pad_end = 0};
  const absl::StatusOr<gridwise::Plan> plan =
      gridwise::MakePlan(problem, gridwise::Gfx::k942, {.family = "naive"});
  if (!plan.ok()) return plan.status();
  std::printf("%s\n", plan->ToString().c_str());
  std::vector<float> x(static_cast<size_t>(problem.x_elements()));
  std::vector<float> w(static_cast<size_t>(problem.w_elements()));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 101) / 64 - 0.75f;
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i * 29 % 97) / 64 - 0.75f;
  const auto x_buffer = gridwise::DeviceBuffer::CopyOf(gridwise::Encode(problem.type, x));
  if (!x_buffer.ok()) return x_buffer.status();
  const auto w_buffer = gridwise::DeviceBuffer::CopyOf(gridwise::Encode(problem.type, w));
  if (!w_buffer.ok()) return w_buffer.status();
  std::vector<std::byte> y(static_cast<size_t>(2 * problem.y_elements()));
  const auto y_buffer = gridwise::DeviceBuffer::Allocate(static_cast<int64_t>(y.size()));
  if (!y_buffer.ok()) return y_buffer.status();
  const auto conv = gridwise::Executable::Load(*plan);
  if (!conv.ok()) return conv.status();
  status = conv->Launch({.a = x_buffer->data(), .b = w_buffer->data(), .out = y_buffer->data()},
                        /*workspace=*/nullptr, 0, /*stream=*/nullptr);
  if (!status.ok()) return status;
  if (status = gridwise::SynchronizeDevice(); !status.ok()) return status;
  if (status = y_buffer->CopyToHost(y); !status.ok()) return status;
  const auto expected = gridwise::ExpectedOutput(problem, x, w);
  if (!expected.ok()) return expected.status();
  return gridwise::CheckError(problem.type, gridwise::DecodeExactly(problem.type, y), expected->out,
                              problem.reduction_length(), expected->sum_rms);
}

absl::Status RunOwnKernel() {
  std::vector<float> data(64);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  auto buffer = gridwise::DeviceBuffer::CopyOf(std::as_bytes(std::span(data)));
  if (!buffer.ok()) return buffer.status();
  const gridwise::CodeObjects objects = consumer::ScaleCode();
  if (objects.empty()) return absl::InternalError("no code object was embedded");
  const auto module = gridwise::Module::Load(objects[0].data);
  if (!module.ok()) return module.status();
  const auto kernel = module->FindKernel("Scale");
  if (!kernel.ok()) return kernel.status();
  struct {
    void* data;
    float factor;
  } arguments = {buffer->data(), 2.0f};
  absl::Status status =
      gridwise::Launch(*kernel, {.threads = {64}}, std::as_bytes(std::span(&arguments, 1)));
  if (!status.ok()) return status;
  if (status = gridwise::SynchronizeDevice(); !status.ok()) return status;
  if (status = buffer->CopyToHost(std::as_writable_bytes(std::span(data))); !status.ok())
    return status;
  for (size_t i = 0; i < data.size(); ++i) {
    if (data[i] != 2.0f * static_cast<float>(i))
      return absl::InternalError("an element was not doubled");
  }
  return absl::OkStatus();
}

absl::Status Run() {
  const auto device = gridwise::FindDevice("gfx942");
  if (!device.ok()) return device.status();
  if (absl::Status status = gridwise::UseDevice(*device); !status.ok()) return status;
  if (absl::Status status = RunOwnKernel(); !status.ok()) return status;
  if (absl::Status status = Convolve(); !status.ok()) return status;
  return ConvolveByOwnFamily();
}

}  // namespace

int main() {
  const absl::Status status = Run();
  std::printf("%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
