// SPDX-License-Identifier: MIT
// Structs that have grown since a program was compiled.

#include "gridwise/c/conversions.h"

#include <cstddef>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

/// A struct of a library's header, and what it was in an earlier header.
struct Old {
  std::size_t size;
  int first;
  double second;
};
struct New {
  std::size_t size;
  int first;
  double second;
  double third;
};
constexpr std::size_t kMin = sizeof(Old);
constexpr New kDefaults = {.size = sizeof(New), .first = 1, .second = 2, .third = 3};

TEST(Grown, OldProgramsHaveDefaultsOfNewFields) {
  const Old old = {.size = sizeof(Old), .first = 10, .second = 20};
  const auto known = Grown("it", reinterpret_cast<const New*>(&old), kMin, kDefaults);
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_EQ(known->size, sizeof(New));
  EXPECT_EQ(known->first, 10);
  EXPECT_EQ(known->second, 20);
  EXPECT_EQ(known->third, 3);
}

TEST(Grown, NewProgramsHaveTheirFields) {
  const New value = {.size = sizeof(New), .first = 10, .second = 20, .third = 30};
  const auto known = Grown("it", &value, kMin, kDefaults);
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_EQ(known->third, 30);
}

TEST(Grown, OtherSizesAreRefused) {
  for (const std::size_t size : {std::size_t{0}, kMin - 1, sizeof(New) + 1}) {
    New value = kDefaults;
    value.size = size;
    EXPECT_THAT(Grown("it", &value, kMin, kDefaults).status().message(),
                testing::HasSubstr("it->size is "))
        << size;
  }
  EXPECT_EQ(Grown<New>("it", nullptr, kMin, kDefaults).status().message(),
            "it is null; must not be");
}

TEST(Initialize, WritesAsMuchAsTheProgramHas) {
  struct {
    Old old = {};
    double next = 4;
  } here;
  Initialize(kDefaults, reinterpret_cast<New*>(&here.old), sizeof(Old));
  EXPECT_EQ(here.old.size, sizeof(Old));
  EXPECT_EQ(here.old.first, 1);
  EXPECT_EQ(here.old.second, 2);
  EXPECT_EQ(here.next, 4);
}

}  // namespace
}  // namespace gridwise
