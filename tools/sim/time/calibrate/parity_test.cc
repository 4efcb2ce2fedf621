// SPDX-License-Identifier: MIT
#include "tools/sim/time/calibrate/parity.h"

#include <map>
#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise::sim::time {
namespace {

using Row = std::map<std::string, std::string>;
using testing::HasSubstr;
using testing::Optional;

TEST(Parity, BuildsThatDoNotSpillMayBeTheMeasuredOnes) {
  EXPECT_EQ(Differs(Row{{"notes", "steady"}}, {.registers = 512}), std::nullopt);
  EXPECT_EQ(Differs(Row{}, {.registers = 24}), std::nullopt);
}

TEST(Parity, ABuildThatSpillsIsAnotherUnlessTheMeasuredOneDid) {
  EXPECT_THAT(Differs(Row{{"notes", ""}}, {.scratch_bytes = 8}),
              Optional(HasSubstr("8 bytes of scratch")));
  EXPECT_THAT(Differs(Row{{"notes", ""}}, {.spills = 3}), Optional(HasSubstr("3 spilled")));
  EXPECT_EQ(Differs(Row{{"notes", "133 spills"}}, {.spills = 132}), std::nullopt);
  const Row clean = {{"notes", "no spill"}, {"spills", "0"}};
  EXPECT_THAT(Differs(clean, {.spills = 1}), Optional(HasSubstr("the measured one 0")));
  EXPECT_THAT(Differs(Row{{"spills", "9"}}, {}), Optional(HasSubstr("the measured one 9")));
}

TEST(Parity, RegistersAreTheSameWithinFivePerCent) {
  const Row row = {{"registers", "200"}};
  EXPECT_EQ(Differs(row, {.registers = 209}), std::nullopt);
  EXPECT_THAT(Differs(row, {.registers = 240}), Optional(HasSubstr("240 registers")));
  EXPECT_THAT(Differs(row, {.registers = 180}), Optional(HasSubstr("the measured one 200")));
}

}  // namespace
}  // namespace gridwise::sim::time
