// SPDX-License-Identifier: MIT
#include "core/base/types.h"

#include <set>
#include <string_view>

#include "gtest/gtest.h"

namespace gridwise {
namespace {

TEST(DataType, NamesAndSizes) {
  EXPECT_STREQ(Name(DataType::kF16), "f16");
  EXPECT_STREQ(Name(DataType::kBF16), "bf16");
  EXPECT_STREQ(Name(DataType::kF32), "f32");
  EXPECT_EQ(SizeOf(DataType::kF16), 2);
  EXPECT_EQ(SizeOf(DataType::kBF16), 2);
  EXPECT_EQ(SizeOf(DataType::kF32), 4);
  EXPECT_EQ(SizeOf(DataType::kI32), 4);
  EXPECT_EQ(SizeOf(DataType::kTF32), 4);
  EXPECT_EQ(SizeOf(DataType::kI8), 1);
  EXPECT_EQ(SizeOf(DataType::kF8E4M3Fnuz), 1);
  EXPECT_EQ(SizeOf(DataType::kF8E5M2), 1);
  std::set<std::string_view> names;
  for (const DataType type : kAllDataTypes) EXPECT_TRUE(names.insert(Name(type)).second);
  EXPECT_EQ(names.size(), 10u);
  EXPECT_FALSE(names.contains("?"));
}

TEST(DataType, TF32IsF32InMemory) {
  for (const DataType type : kAllDataTypes) {
    EXPECT_EQ(StoredType(type), type == DataType::kTF32 ? DataType::kF32 : type);
    EXPECT_FALSE(CanOutput(type, DataType::kTF32));
  }
  EXPECT_TRUE(CanOutput(DataType::kTF32, DataType::kF32));
  EXPECT_FALSE(CanOutput(DataType::kTF32, DataType::kF16));
}

}  // namespace
}  // namespace gridwise
