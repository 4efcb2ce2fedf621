#include "core/launch/code.h"

#include <optional>

#include "core/arch/target.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

/// Two shards of a target, whose rows 0 and 1 were wanted, and row 2 was not.
constexpr CodeObject kObjects[] = {{"sm_90a", ".visible .entry row_4(\n"},
                                   {"sm_90a", ".visible .entry row_5(\n"}};

TEST(CodeOfRow, FindsTheShard) {
  EXPECT_EQ(CodeOfRow(kObjects, Gfx::kSm90a, 0, "row_4")->object, kObjects[0].data);
  EXPECT_EQ(CodeOfRow(kObjects, Gfx::kSm90a, 1, "row_5")->object, kObjects[1].data);
}

TEST(CodeOfRow, IsNothingOfARowThatIsLeftOut) {
  EXPECT_EQ(CodeOfRow(kObjects, Gfx::kSm90a, 2, "row_6"), std::nullopt);
}

TEST(CodeOfRow, IsEmptyWithoutKernelsOfTheTarget) {
  const std::optional<KernelCode> code = CodeOfRow(kObjects, Gfx::k942, 0, "row_4");
  ASSERT_TRUE(code.has_value());
  EXPECT_EQ(code->object, "");
  EXPECT_EQ(code->symbol, "row_4");
}

TEST(NeedsOfRow, AreThoseOfTheListWithOrWithoutTheKernel) {
  constexpr RowNeeds kNeeds[] = {{}, {"f16_t64", {80, 10240}}, {"f16_t128", {152, 21504}}};
  const KernelNeeds needs = NeedsOfRow(kNeeds, "f16_t128", {.object = "", .symbol = "row_4"});
  EXPECT_EQ(needs.registers, 152);
  EXPECT_EQ(needs.lds_bytes, 21504);
  EXPECT_EQ(NeedsOfRow(kNeeds, "f16_t12", {.object = "", .symbol = "row_4"}).registers, 0);
}

}  // namespace
}  // namespace gridwise
