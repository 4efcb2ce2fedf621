#include "tile/plan_bwd_data.h"

#include <set>
#include <string>
#include <vector>

#include "ck/base/fields_text.h"
#include "ck/conv/sub_gemms.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise::tile {
namespace {

using ::testing::HasSubstr;

constexpr TileConfig kMedium = {
    .tile = {128, 128, 32}, .waves = {2, 2}, .mma = {32, 32, 8}, .patch_b = {8, 2}};
static_assert(Reject(kMedium, Gfx::k942) == nullptr);

ConvProblem Problem2d(std::int64_t n, std::int64_t c, std::int64_t k, Dim h, Dim w) {
  return {.direction = Direction::kBackwardData,
          .rank = 2,
          .batch = n,
          .c = c,
          .k = k,
          .dims = {Dim{}, h, w}};
}

BwdDataPlan PlanOf(const TileConfig& config, const ConvProblem& problem) {
  return PlanBwdData(config, Gfx::k942, problem, BwdDataSubGemms(problem));
}

TEST(TileConfig, NameParsesBack) {
  EXPECT_EQ(PrintFields(kMedium), "f16_t128x128x32_w2x2_mma32x32x8_b8x2_o1");
  const absl::StatusOr<TileConfig> parsed = ParseFields<TileConfig>(PrintFields(kMedium));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, kMedium);
}

TEST(TileConfig, RejectsWhatCannotRun) {
  TileConfig c = kMedium;
  c.tile = {256, 256, 64};
  c.waves = {4, 4};
  EXPECT_STREQ(Reject(c, Gfx::k942), "the tiles do not fit in LDS");
  c = kMedium;
  c.waves.m = 3;
  EXPECT_STREQ(Reject(c, Gfx::k942), "waves do not divide tile.m");
  c = kMedium;
  c.mma = {8, 8, 4};
  EXPECT_STREQ(Reject(c, Gfx::k942), "mma is neither 32x32x8 nor 16x16x16");
}

TEST(PlanBwdData, TilesAreExactWhereSizesDivide) {
  // 2 * 16 * 16 = 512 rows and 256 channels: 4 x 2 tiles, none more.
  const ConvProblem problem =
      Problem2d(2, 256, 64, {.in = 16, .filter = 3, .pad_begin = 1, .pad_end = 1},
                {.in = 16, .filter = 3, .pad_begin = 1, .pad_end = 1});
  const BwdDataPlan plan = PlanOf(kMedium, problem);
  EXPECT_EQ(plan.workgroups[0], 8u);
  EXPECT_EQ(plan.workgroups[1], 1u);
  EXPECT_EQ(plan.workspace_bytes, 0);
  EXPECT_EQ(plan.args.sub_gemms, 1);
}

TEST(PlanBwdData, FirstTilesCountUp) {
  const ConvProblem problem =
      Problem2d(3, 130, 64, {.in = 29, .filter = 3, .stride = 3, .pad_begin = 1, .pad_end = 1},
                {.in = 31, .filter = 3, .stride = 2});
  const BwdDataPlan plan = PlanOf(kMedium, problem);
  ASSERT_EQ(plan.table.size(), 6u);
  int expected = 0;
  for (const SubGemm& gemm : plan.table) {
    EXPECT_EQ(gemm.first_tile, expected);
    expected += (gemm.m + 127) / 128 * 2;  // 130 channels: 2 tiles
  }
  EXPECT_EQ(plan.workgroups[0], static_cast<unsigned>(expected));
}

TEST(PlanBwdData, ManySubGemmsGoToTheWorkspace) {
  const ConvProblem problem = Problem2d(2, 64, 64, {.in = 28, .filter = 6, .stride = 6},
                                        {.in = 28, .filter = 6, .stride = 6});
  const BwdDataPlan plan = PlanOf(kMedium, problem);
  EXPECT_EQ(plan.table.size(), 36u);
  EXPECT_EQ(plan.workspace_bytes, 36 * static_cast<std::int64_t>(sizeof(SubGemm)));
}

TEST(PlanBwdData, RejectionsNameTheirValues) {
  ConvProblem problem = Problem2d(1, 64, 64, {.in = 8}, {.in = 8});
  EXPECT_EQ(Reject(kMedium, problem), std::nullopt);
  problem.direction = Direction::kForward;
  EXPECT_THAT(Reject(kMedium, problem).value_or(""), HasSubstr("direction is fwd"));
  problem.direction = Direction::kBackwardData;
  problem.type = DataType::kBF16;
  EXPECT_THAT(Reject(kMedium, problem).value_or(""), HasSubstr("type is bf16"));
  problem.type = DataType::kF16;
  problem.dims[1].in = problem.dims[2].in = 30000;
  EXPECT_THAT(Reject(kMedium, problem).value_or(""), HasSubstr("115200000000 of dx"));
}

}  // namespace
}  // namespace gridwise::tile
