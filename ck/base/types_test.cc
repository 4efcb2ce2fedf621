#include "ck/base/types.h"

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
}

}  // namespace
}  // namespace gridwise
