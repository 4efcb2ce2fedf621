// The checks can fail: launches that forget part of the work are caught.

#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/conv/sub_gemms.h"
#include "core/runtime/module.h"
#include "core/runtime/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "instances/tile/gather_code.h"
#include "instances/tile/rows.h"
#include "tests/conv/conv_case.h"
#include "tile/plan_gather.h"

namespace gridwise {
namespace {

/// A row for backward-data in f16 on `gfx`.
int FindRow(Gfx gfx) {
  for (size_t i = 0; i < tile::kGatherRows.size(); ++i) {
    const tile::TileConfig& row = tile::kGatherRows[i];
    if (Reject(row, gfx) == nullptr && row.type == DataType::kF16 &&
        tile::DirectionOf(row) == Direction::kBackwardData)
      return static_cast<int>(i);
  }
  return -1;
}

/// Launches FindRow as planned, but for what `breakage` does to the plan.
absl::Status LaunchBroken(const ConvProblem& problem, Gfx gfx, const ConvTensors& tensors,
                          const std::function<void(tile::GatherPlan&)>& breakage) {
  const int row = FindRow(gfx);
  if (row < 0) return absl::NotFoundError(absl::StrCat("no row for ", Name(gfx)));
  tile::GatherPlan plan = PlanGather(tile::kGatherRows[static_cast<size_t>(row)], gfx, problem,
                                     MakeSubGemms(problem), {.splits = 1});
  breakage(plan);
  for (const CodeObject& code : GatherCode()) {
    if (code.gfx != Name(gfx)) continue;
    absl::StatusOr<Module> module = Module::Load(code.data);
    if (!module.ok()) return module.status();
    absl::StatusOr<hipFunction_t> kernel = module->FindKernel(tile::GatherSymbol(row));
    if (!kernel.ok()) continue;  // another shard has it
    plan.args.source = tensors.a;
    plan.args.w = tensors.b;
    plan.args.epilogue.out = tensors.out;
    absl::Status launched = Launch(*kernel,
                                   {.workgroups = {plan.workgroups[0], plan.workgroups[1], 1},
                                    .threads = {plan.threads, 1, 1}},
                                   std::as_bytes(std::span(&plan.args, 1)));
    if (!launched.ok()) return launched;
    return ToStatus(hipDeviceSynchronize(), "run the kernel");
  }
  return absl::NotFoundError(absl::StrCat("no code object has the row for ", Name(gfx)));
}

class Broken : public testing::Test {
 protected:
  void SetUp() override {
    const absl::StatusOr<Gfx> gfx = UseTestTarget();
    ASSERT_TRUE(gfx.ok()) << gfx.status();
    gfx_ = *gfx;
  }
  /// A fault stays with the device until then.
  void TearDown() override { EXPECT_EQ(hipDeviceReset(), hipSuccess); }

  absl::Status CheckBroken(const ConvProblem& problem,
                           const std::function<void(tile::GatherPlan&)>& breakage) {
    absl::StatusOr<ConvCase> made = ConvCase::Make(problem, /*seed=*/2);
    if (!made.ok()) return made.status();
    return made->Check(
        [&](const ConvTensors& tensors) { return LaunchBroken(problem, gfx_, tensors, breakage); });
  }

  Gfx gfx_ = Gfx::k942;
};

/// 4 sub-GEMMs with taps, of rows that fill no tile.
ConvProblem Strided() {
  const Dim dim = {.in = 14, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 1};
  return {.direction = Direction::kBackwardData,
          .batch = 2,
          .c = 32,
          .k = 32,
          .dims = {Dim{}, dim, dim}};
}

/// Stride beyond the filter: one sub-GEMM has taps, three only write zeros.
ConvProblem Uncovered() {
  const Dim dim = {.in = 16, .filter = 1, .stride = 2};
  return {.direction = Direction::kBackwardData,
          .batch = 2,
          .c = 32,
          .k = 32,
          .dims = {Dim{}, dim, dim}};
}

TEST_F(Broken, UnbrokenLaunchesPass) {
  const auto unbroken = [](tile::GatherPlan&) {};
  EXPECT_TRUE(CheckBroken(Strided(), unbroken).ok()) << CheckBroken(Strided(), unbroken);
  EXPECT_TRUE(CheckBroken(Uncovered(), unbroken).ok()) << CheckBroken(Uncovered(), unbroken);
}

TEST_F(Broken, OnlyTheFirstSubGemmIsCaught) {
  const absl::Status status = CheckBroken(Strided(), [](tile::GatherPlan& plan) {
    ASSERT_GT(plan.table.size(), 1u);
    plan.workgroups[0] = plan.table[1].first_tile;
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
}

TEST_F(Broken, SkippedZeroFillIsCaught) {
  const absl::Status status = CheckBroken(Uncovered(), [](tile::GatherPlan& plan) {
    ASSERT_EQ(plan.table.size(), 4u);
    ASSERT_EQ(Taps(plan.table[1]), 0);
    plan.workgroups[0] = plan.table[1].first_tile;
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
}

TEST_F(Broken, WrongTapIsCaught) {
  const absl::Status status = CheckBroken(Strided(), [](tile::GatherPlan& plan) {
    for (SubGemm& gemm : plan.args.inline_table) gemm.axis[2].first_source += 1;
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
}

TEST_F(Broken, RowsPastTheLastAreCaught) {
  // They are cells of an image that dx does not have: in the margin, or outside of the allocation.
  const absl::Status status = CheckBroken(Strided(), [](tile::GatherPlan& plan) {
    ASSERT_EQ(plan.table.size(), 4u);
    plan.args.inline_table[3].m += 4;
  });
  EXPECT_FALSE(status.ok());
}

}  // namespace
}  // namespace gridwise
