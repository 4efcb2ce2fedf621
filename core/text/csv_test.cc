// SPDX-License-Identifier: MIT
#include "core/text/csv.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

TEST(Csv, FieldsMayBeQuoted) {
  EXPECT_THAT(SplitCsvLine("a,\"b,c\",,\"d \"\"e\"\"\""),
              Optional(ElementsAre("a", "b,c", "", "d \"e\"")));
  EXPECT_EQ(SplitCsvLine("a,\"b"), std::nullopt);
}

TEST(Csv, JoinedFieldsSplitBack) {
  const std::vector<std::string> fields = {"", "plain", "a, b", "says \"no\"", "\"", ","};
  EXPECT_EQ(JoinCsvLine(std::vector<std::string>{"a", "b,c", "\""}), "a,\"b,c\",\"\"\"\"");
  EXPECT_THAT(SplitCsvLine(JoinCsvLine(fields)), Optional(fields));
}

}  // namespace
}  // namespace gridwise
