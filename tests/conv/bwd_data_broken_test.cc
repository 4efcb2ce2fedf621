// The checks can fail: launches that forget part of the work are caught.

#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "ck/conv/sub_gemms.h"
#include "ck/runtime/module.h"
#include "ck/runtime/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "instances/tile/bwd_data.h"
#include "instances/tile/bwd_data_code.h"
#include "tests/conv/bwd_data_case.h"
#include "tile/plan_bwd_data.h"

namespace gridwise {
namespace {

constexpr int kRow = 0;  // in the first shard, whatever their number

/// Launches kRow as planned, but for what `breakage` does to the plan.
absl::Status LaunchBroken(const ConvProblem& problem, Gfx gfx, const ConvTensors& tensors,
                          const std::function<void(tile::BwdDataPlan&)>& breakage) {
  tile::BwdDataPlan plan =
      PlanBwdData(tile::kBwdDataRows[kRow], gfx, problem, BwdDataSubGemms(problem));
  breakage(plan);
  for (const CodeObject& code : BwdDataCode()) {
    if (code.gfx != Name(gfx)) continue;
    absl::StatusOr<Module> module = Module::Load(code.data);
    if (!module.ok()) return module.status();
    absl::StatusOr<hipFunction_t> kernel = module->FindKernel(tile::BwdDataSymbol(kRow));
    if (!kernel.ok()) return kernel.status();
    plan.args.dy = tensors.a;
    plan.args.w = tensors.b;
    plan.args.dx = tensors.out;
    absl::Status launched = Launch(*kernel,
                                   {.workgroups = {plan.workgroups[0], plan.workgroups[1], 1},
                                    .threads = {plan.threads, 1, 1}},
                                   std::as_bytes(std::span(&plan.args, 1)));
    if (!launched.ok()) return launched;
    return ToStatus(hipDeviceSynchronize(), "run the kernel");
  }
  return absl::NotFoundError(absl::StrCat("no code object for ", Name(gfx)));
}

class BwdDataBroken : public testing::Test {
 protected:
  void SetUp() override {
    const absl::StatusOr<Gfx> gfx = UseTestTarget();
    ASSERT_TRUE(gfx.ok()) << gfx.status();
    gfx_ = *gfx;
  }
  /// A fault stays with the device until then.
  void TearDown() override { EXPECT_EQ(hipDeviceReset(), hipSuccess); }

  absl::Status CheckBroken(const ConvProblem& problem,
                           const std::function<void(tile::BwdDataPlan&)>& breakage) {
    absl::StatusOr<BwdDataCase> made = BwdDataCase::Make(problem, /*seed=*/2);
    if (!made.ok()) return made.status();
    return made->Check(
        [&](const ConvTensors& tensors) { return LaunchBroken(problem, gfx_, tensors, breakage); });
  }

  Gfx gfx_ = Gfx::k942;
};

/// 4 sub-GEMMs with taps.
ConvProblem Strided() {
  const Dim dim = {.in = 16, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 1};
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

TEST_F(BwdDataBroken, UnbrokenLaunchesPass) {
  const auto unbroken = [](tile::BwdDataPlan&) {};
  EXPECT_TRUE(CheckBroken(Strided(), unbroken).ok()) << CheckBroken(Strided(), unbroken);
  EXPECT_TRUE(CheckBroken(Uncovered(), unbroken).ok()) << CheckBroken(Uncovered(), unbroken);
}

TEST_F(BwdDataBroken, OnlyTheFirstSubGemmIsCaught) {
  const absl::Status status = CheckBroken(Strided(), [](tile::BwdDataPlan& plan) {
    ASSERT_GT(plan.table.size(), 1u);
    plan.workgroups[0] = plan.table[1].first_tile;
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
}

TEST_F(BwdDataBroken, SkippedZeroFillIsCaught) {
  const absl::Status status = CheckBroken(Uncovered(), [](tile::BwdDataPlan& plan) {
    ASSERT_EQ(plan.table.size(), 4u);
    ASSERT_EQ(Taps(plan.table[1]), 0);
    plan.workgroups[0] = plan.table[1].first_tile;
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
}

TEST_F(BwdDataBroken, WrongTapIsCaught) {
  const absl::Status status = CheckBroken(Strided(), [](tile::BwdDataPlan& plan) {
    for (SubGemm& gemm : plan.args.inline_table) gemm.axis[2].first_out += 1;
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
}

TEST_F(BwdDataBroken, RowsPastTheLastAreCaught) {
  // They are cells of an image that dx does not have: in the margin, or outside of the allocation.
  const absl::Status status = CheckBroken(Strided(), [](tile::BwdDataPlan& plan) {
    ASSERT_EQ(plan.table.size(), 4u);
    plan.args.inline_table[3].m += 4;
  });
  EXPECT_FALSE(status.ok());
}

}  // namespace
}  // namespace gridwise
