// SPDX-License-Identifier: MIT
#include "tools/sim/elf/kernel_name.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise::sim {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

TEST(ShownName, HasNoParameters) {
  EXPECT_EQ(ShownName("Scale"), "Scale");
  EXPECT_EQ(ShownName("_Z5scalePfi"), "scale");
  EXPECT_EQ(ShownName("_ZN2ns5scaleIfLi4EEEvPT_i"), "ns::scale<float, 4>");
  EXPECT_EQ(ShownName("Cijk_Ailk_Bljk_SB_MT128x128x16"), "Cijk_Ailk_Bljk_SB_MT128x128x16");
  EXPECT_EQ(ShownName("_Z"), "_Z") << "what is not a mangled name stays";
}

TEST(ShownName, IsShort) {
  // run<pair<pair<int, int>, pair<int, int>>, ...>, several times over.
  std::string arguments;
  for (int i = 0; i < 4; ++i)
    arguments += "N7example16a_long_type_nameINS0_16a_long_type_nameIiiEEiEE";
  EXPECT_EQ(ShownName("_Z3runI" + arguments + "EvPi"),
            "run<example::a_long_type_name<...>, example::a_long_type_name<...>, "
            "example::a_long_type_name<...>, example::a_long_type...");
  const std::string longer = ShownName("_Z200" + std::string(200, 'x') + "v");
  EXPECT_THAT(longer, StartsWith("xxx"));
  EXPECT_THAT(longer, EndsWith("..."));
  EXPECT_LT(longer.size(), 130u);
}

}  // namespace
}  // namespace gridwise::sim
