// SPDX-License-Identifier: MIT
// Split K is deterministic: the same bits whatever the order in which workgroups and waves run.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
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
#include "tests/conv/conv_case.h"
#include "tools/sim/check/settings.h"

namespace gridwise {
namespace {

/// A long K of few tiles, with an f32 output, which has the rounding of every sum.
ConvProblem LongK(Direction direction) {
  const Dim dim = {.in = 9, .filter = 3, .pad_begin = 1, .pad_end = 1};
  return {.direction = direction,
          .out_type = DataType::kF32,
          .batch = 2,
          .c = 96,
          .k = 80,
          .dims = {Dim{}, dim, dim}};
}

DeviceBuffer RealValues(std::int64_t elements, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(static_cast<std::size_t>(elements));
  for (float& value : values) value = uniform(random);
  absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::CopyOf(Encode(DataType::kF16, values));
  EXPECT_TRUE(buffer.ok()) << buffer.status();
  return *std::move(buffer);
}

class Determinism : public testing::TestWithParam<Direction> {
 protected:
  void SetUp() override {
    const absl::StatusOr<Gfx> gfx = UseTestTarget();
    ASSERT_TRUE(gfx.ok()) << gfx.status();
    gfx_ = *gfx;
  }
  void TearDown() override { sim::SetCheckSettings({}); }

  /// The output's bytes where the simulator takes turns by `seed`.
  std::vector<std::byte> ComputeOutput(const PlanOptions& options,
                                       std::optional<std::uint64_t> seed) {
    const ConvProblem problem = LongK(GetParam());
    const absl::StatusOr<Plan> plan = MakePlan(problem, gfx_, options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->splits(), options.splits);
    const DeviceBuffer a = RealValues(problem.a_elements(), 5),
                       b = RealValues(problem.b_elements(), 6);
    const auto out = DeviceBuffer::Allocate(problem.out_elements() * 4);
    const auto workspace = DeviceBuffer::Allocate(plan->workspace_bytes());
    const auto executable = Executable::Load(*plan);
    EXPECT_TRUE(out.ok() && workspace.ok() && executable.ok());
    sim::SetCheckSettings({.categories = 0, .seed = seed});
    const absl::Status launched =
        executable->Launch({.a = a.data(), .b = b.data(), .out = out->data()}, workspace->data(),
                           workspace->bytes(), /*stream=*/nullptr);
    EXPECT_TRUE(launched.ok()) << launched;
    EXPECT_TRUE(SynchronizeDevice().ok());
    std::vector<std::byte> bytes(static_cast<std::size_t>(out->bytes()));
    EXPECT_TRUE(out->CopyToHost(bytes).ok());
    return bytes;
  }

  Gfx gfx_ = Gfx::k942;
};

TEST_P(Determinism, SplitsAreAddedInTheirOrder) {
  const PlanOptions options = {.splits = 5};
  const std::vector<std::byte> in_order = ComputeOutput(options, std::nullopt);
  for (const std::uint64_t seed : {1, 2, 3}) {
    EXPECT_TRUE(ComputeOutput(options, seed) == in_order) << "seed " << seed;
  }
}

// The seeds do shuffle: where splits add their sums as they come, some order rounds differently.
TEST_P(Determinism, AtomicSplitsAreNot) {
  const PlanOptions options = {.splits = 5, .atomic = true};
  const std::vector<std::byte> in_order = ComputeOutput(options, std::nullopt);
  bool differs = false;
  for (const std::uint64_t seed : {1, 2, 3}) differs |= ComputeOutput(options, seed) != in_order;
  EXPECT_TRUE(differs);
}

INSTANTIATE_TEST_SUITE_P(Directions, Determinism, testing::ValuesIn(kAllDirections),
                         [](const auto& info) { return std::string(Name(info.param)); });

}  // namespace
}  // namespace gridwise
