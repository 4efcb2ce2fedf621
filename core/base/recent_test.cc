// SPDX-License-Identifier: MIT
#include "core/base/recent.h"

#include <string>
#include <tuple>

#include "gtest/gtest.h"

namespace gridwise {
namespace {

TEST(Recent, MakesWhatItDoesNotKnow) {
  Recent<int, int, 2> recent;
  int made = 0;
  const auto get = [&](int key) {
    return recent.Get(key, [&] {
      ++made;
      return key * 10;
    });
  };
  EXPECT_EQ(get(1), 10);
  EXPECT_EQ(get(2), 20);
  EXPECT_EQ(get(1), 10);
  EXPECT_EQ(made, 2);
  EXPECT_EQ(get(3), 30);  // in the place of 1
  EXPECT_EQ(get(2), 20);
  EXPECT_EQ(made, 3);
  EXPECT_EQ(get(1), 10);
  EXPECT_EQ(made, 4);
}

TEST(Recent, TakesReferencesForKeys) {
  Recent<std::tuple<std::string, int>, int> recent;
  std::string name = "a";
  const auto get = [&](int number, int value) {
    return recent.Get(std::tie(name, number), [&] { return value; });
  };
  EXPECT_EQ(get(1, 10), 10);
  name = "b";  // the key keeps its value
  EXPECT_EQ(get(1, 20), 20);
  name = "a";
  EXPECT_EQ(get(1, 30), 10);
}

}  // namespace
}  // namespace gridwise
