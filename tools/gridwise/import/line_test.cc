// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/line.h"

#include <string_view>

#include "gtest/gtest.h"

namespace gridwise {
namespace {

TEST(FindClosing, SkipsBracketsInside) {
  EXPECT_EQ(FindClosing("(a(b)c)d)"), 6u);
  EXPECT_EQ(FindClosing("([)"), 2u);  // only parentheses count
  EXPECT_EQ(FindClosing("<a[1](b)>c", "([<", ")]>"), 8u);
}

TEST(FindClosing, IsNposWithoutOne) {
  EXPECT_EQ(FindClosing(""), std::string_view::npos);
  EXPECT_EQ(FindClosing("("), std::string_view::npos);
  EXPECT_EQ(FindClosing("(a(b)"), std::string_view::npos);
}

}  // namespace
}  // namespace gridwise
