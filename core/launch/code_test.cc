// SPDX-License-Identifier: MIT
#include "core/launch/code.h"

#include <optional>
#include <span>

#include "absl/status/status.h"
#include "core/arch/target.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

/// Two shards of a target, with an instance each that was wanted.
constexpr CodeObject kObjects[] = {{"sm_90a", ".visible .entry gridwise_tile_4a(\n"},
                                   {"sm_90a", ".visible .entry gridwise_tile_5a(\n"}};

TEST(CodeOfInstance, FindsTheShard) {
  EXPECT_EQ(CodeOfInstance(kObjects, Gfx::kSm90a, "tile", {0, "4a"})->object, kObjects[0].data);
  EXPECT_EQ(CodeOfInstance(kObjects, Gfx::kSm90a, "tile", {1, "5a"})->object, kObjects[1].data);
}

TEST(CodeOfInstance, IsNothingOfAnInstanceThatIsLeftOut) {
  EXPECT_EQ(CodeOfInstance(kObjects, Gfx::kSm90a, "tile", {0, "6a"}), std::nullopt);
}

TEST(CodeOfInstance, IsEmptyWithoutKernelsOfTheTarget) {
  const std::optional<KernelCode> code = CodeOfInstance(kObjects, Gfx::k942, "tile", {0, "4a"});
  ASSERT_TRUE(code.has_value());
  EXPECT_EQ(code->object, "");
  EXPECT_EQ(code->symbol, "gridwise_tile_4a");
}

/// Two shards each for a target's own processor, for another one and for their family.
constexpr CodeObject kOfFamily[] = {{"gfx1100", "own 0"},       {"gfx1100", "own 1"},
                                    {"gfx1151", "other 0"},     {"gfx1151", "other 1"},
                                    {"gfx11-generic", "all 0"}, {"gfx11-generic", "all 1"}};

TEST(ObjectFor, IsThatOfTheProcessorRatherThanItsFamilys) {
  const KernelCode code = {.object = {}, .symbol = "k", .objects = kOfFamily, .shard = 1};
  EXPECT_EQ(*ObjectFor(code, "gfx1100"), "own 1");
  EXPECT_EQ(*ObjectFor(code, "gfx1151"), "other 1");
  EXPECT_EQ(*ObjectFor(code, "gfx1102"), "all 1");
}

TEST(ObjectFor, IsNeverThatOfAnotherProcessor) {
  const KernelCode code = {
      .object = {}, .symbol = "k", .objects = std::span(kOfFamily).first(4), .shard = 0};
  EXPECT_EQ(*ObjectFor(code, "gfx1100"), "own 0");
  const absl::Status status = ObjectFor(code, "gfx1102").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(),
            "this program was built without kernels for gfx1102, only for gfx1100, gfx1151; build "
            "it with --//tools/config:targets=gfx11-generic");
  EXPECT_FALSE(ObjectFor(code, "gfx1201").ok()) << "of another family";
  EXPECT_FALSE(ObjectFor(code, "gfx1170").ok()) << "of no family that is known";
}

TEST(ObjectOf, ATargetsKernelsMayBeCompiledForItsFamilyAlone) {
  EXPECT_EQ(ObjectOf(kOfFamily, Gfx::k1100, 1), "own 1");
  EXPECT_EQ(ObjectOf(std::span(kOfFamily).subspan(2), Gfx::k1100, 0), "other 0");
  EXPECT_EQ(ObjectOf(std::span(kOfFamily).subspan(4), Gfx::k1100, 1), "all 1");
  EXPECT_EQ(ObjectOf(std::span(kOfFamily).subspan(4), Gfx::k1201, 0), "");
}

TEST(NeedsOfInstance, AreThoseOfTheListWithOrWithoutTheKernel) {
  constexpr InstanceNeeds kNeeds[] = {{}, {"f16_t64", {80, 10240}}, {"f16_t128", {152, 21504}}};
  const KernelNeeds needs =
      NeedsOfInstance(kNeeds, "f16_t128", {.object = "", .symbol = "gridwise_tile_4a"});
  EXPECT_EQ(needs.registers, 152);
  EXPECT_EQ(needs.lds_bytes, 21504);
  EXPECT_EQ(
      NeedsOfInstance(kNeeds, "f16_t12", {.object = "", .symbol = "gridwise_tile_4a"}).registers,
      0);
}

}  // namespace
}  // namespace gridwise
