// SPDX-License-Identifier: MIT
#include "core/launch/code.h"

#include <optional>

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
