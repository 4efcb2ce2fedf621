// SPDX-License-Identifier: MIT
// A tensor above 2 GiB at its real size: offsets past 31 bits, and several launches.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/reference/elements.h"
#include "core/runtime/buffer.h"
#include "core/runtime/stream.h"
#include "gridwise/conv.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tests/conv/conv_case.h"

namespace gridwise {
namespace {

constexpr std::int64_t kChannels = 32, kLine = 6000;  // of one image: 2.3 GB

/// Every element of x has the bits 0x3c3c, but for the first of some pixels, which are marked.
constexpr float kFill = 1.05859375f, kMark = 2;

/// Writes f16 `values` at element `at` of device memory.
void Write(const DeviceBuffer& buffer, std::int64_t at, const std::vector<float>& values) {
  const std::vector<std::byte> bytes = Encode(DataType::kF16, values);
  ASSERT_EQ(hipMemcpy(static_cast<std::byte*>(buffer.data()) + 2 * at, bytes.data(), bytes.size(),
                      hipMemcpyHostToDevice),
            hipSuccess);
}

TEST(LargeTensor, IsComputedWherever31BitsDoNotReach) {
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  // Every other pixel along both axes: one tap each, so that y is a quarter of x's pixels.
  const Dim dim = {.in = kLine, .filter = 1, .stride = 2};
  const ConvProblem problem = {.c = kChannels, .k = 1, .dims = {Dim{}, dim, dim}};
  ASSERT_GT(2 * problem.x_elements(), std::int64_t{1} << 31);
  absl::StatusOr<DeviceBuffer> x = DeviceBuffer::Allocate(2 * problem.x_elements());
  absl::StatusOr<DeviceBuffer> w = DeviceBuffer::Allocate(2 * problem.w_elements());
  absl::StatusOr<DeviceBuffer> y = DeviceBuffer::Allocate(2 * problem.y_elements());
  ASSERT_TRUE(x.ok() && w.ok() && y.ok());
  ASSERT_TRUE(x->Fill(0x3c).ok() && y->Fill(0xff).ok());
  Write(*w, 0, std::vector<float>(kChannels, 0.25f));
  // Pixels of y and the sums they have instead: the first and last, and those about 2 GiB of x.
  const std::int64_t half = (std::int64_t{1} << 31) / (2 * kChannels * kLine * 2) * (kLine / 2);
  const std::vector<std::int64_t> marked = {0,    1,        half - 1,
                                            half, half + 1, problem.y_elements() - 1};
  for (const std::int64_t pixel : marked) {
    const std::int64_t row = pixel / (kLine / 2) * 2, column = pixel % (kLine / 2) * 2;
    Write(*x, (row * kLine + column) * kChannels, {kMark});
  }

  const absl::StatusOr<Plan> plan = MakePlan(problem, *gfx, {.splits = 1});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const bool has_offsets = TraitsOf(*gfx).mma_unit != MmaUnit::kWgmma;  // else TMA
  EXPECT_EQ(plan->launches() > 1, has_offsets) << plan->ToString();
  const absl::StatusOr<DeviceBuffer> workspace = DeviceBuffer::Allocate(plan->workspace_bytes());
  const absl::StatusOr<Executable> executable = Executable::Load(*plan);
  ASSERT_TRUE(workspace.ok() && executable.ok());
  const absl::Status launched =
      executable->Launch({.a = x->data(), .b = w->data(), .out = y->data()}, workspace->data(),
                         workspace->bytes(), /*stream=*/nullptr);
  ASSERT_TRUE(launched.ok()) << launched;
  ASSERT_TRUE(SynchronizeDevice().ok());

  std::vector<std::byte> bytes(static_cast<std::size_t>(y->bytes()));
  ASSERT_TRUE(y->CopyToHost(bytes).ok());
  const float usual = RoundTo(DataType::kF16, 0.25f * kChannels * kFill);
  const float special = RoundTo(DataType::kF16, 0.25f * ((kChannels - 1) * kFill + kMark));
  ASSERT_NE(usual, special);
  const std::vector<float> values = Decode(DataType::kF16, bytes);
  std::int64_t wrong = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_marked = next < marked.size() && static_cast<std::int64_t>(i) == marked[next];
    next += is_marked;
    if (values[i] == (is_marked ? special : usual)) continue;
    if (++wrong < 5) ADD_FAILURE() << "pixel " << i << " is " << values[i];
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(next, marked.size());
}

}  // namespace
}  // namespace gridwise
