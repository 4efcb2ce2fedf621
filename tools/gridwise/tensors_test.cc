#include "tools/gridwise/tensors.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ConvProblem Grouped() {
  ConvProblem problem{
      .direction = Direction::kBackwardData, .rank = 2, .groups = 2, .batch = 3, .c = 8, .k = 12};
  problem.dims[1] = {.in = 7, .filter = 3, .stride = 2};
  problem.dims[2] = {.in = 9, .filter = 2, .stride = 1};
  return problem;
}

TEST(TensorsTest, ShapesAreTheDocumentedLayouts) {
  EXPECT_THAT(InputShape(Grouped()).merged, ElementsAre(3, 7, 9, 8));
  EXPECT_THAT(InputShape(Grouped()).split, ElementsAre(3, 7, 9, 2, 4));
  EXPECT_THAT(WeightsShape(Grouped()).merged, ElementsAre(12, 3, 2, 4));
  EXPECT_THAT(WeightsShape(Grouped()).split, ElementsAre(2, 6, 3, 2, 4));
  EXPECT_THAT(OutputShape(Grouped()).merged, ElementsAre(3, 3, 8, 12));
  EXPECT_THAT(OutputShape(Grouped()).split, ElementsAre(3, 3, 8, 2, 6));
}

TEST(TensorsTest, HalfIsBinary16) {
  EXPECT_EQ(Half(1.0f).bits, 0x3c00);
  EXPECT_EQ(Half(-2.0f).bits, 0xc000);
  EXPECT_EQ(Half(65504.0f).bits, 0x7bff);
  EXPECT_EQ(Half(65520.0f).bits, 0x7c00);         // rounds to infinity
  EXPECT_EQ(Half(0x1p-24f).bits, 0x0001);         // smallest subnormal
  EXPECT_EQ(Half(0x1p-25f).bits, 0x0000);         // a tie goes to the even neighbour
  EXPECT_EQ(Half(1.0f + 0x1p-11f).bits, 0x3c00);  // likewise
  EXPECT_EQ(Half(1.0f + 3 * 0x1p-11f).bits, 0x3c02);
  EXPECT_EQ(Half(0.333251953125f).ToFloat(), 0.333251953125f);
}

TEST(TensorsTest, RandomTensorsAreUniformAndSeeded) {
  const std::vector<Half> tensor = RandomTensor(100000, 7);
  double sum = 0, squares = 0;
  for (Half half : tensor) {
    ASSERT_LE(std::abs(half.ToFloat()), 1.0f);
    sum += half.ToFloat();
    squares += half.ToFloat() * half.ToFloat();
  }
  // Standard errors of the mean and the mean square: 0.0018 and 0.00094.
  EXPECT_NEAR(sum / 1e5, 0, 0.01);
  EXPECT_NEAR(squares / 1e5, 1.0 / 3, 0.005);
  EXPECT_EQ(RandomTensor(10, 7)[9].bits, tensor[9].bits);
  EXPECT_NE(RandomTensor(10, 8)[9].bits, tensor[9].bits);
}

TEST(TensorsTest, ConvertsFloat32AndBack) {
  const std::vector<Half> halves = {Half(1.5f), Half(-0.25f)};
  const NpyArray array = TensorToNpy(halves, {2}, DataType::kF32);
  float second = 0;
  std::memcpy(&second, array.data.data() + 4, 4);
  EXPECT_EQ(second, -0.25f);
  const auto tensor = TensorFromNpy("w.npy", array, {.merged = {2}, .split = {1, 2}});
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ((*tensor)[0].bits, halves[0].bits);
  EXPECT_EQ((*tensor)[1].bits, halves[1].bits);
}

TEST(TensorsTest, WrongShapesAndOverflowsAreNamed) {
  NpyArray array{.type = DataType::kF32, .shape = {1}, .data = std::vector<std::byte>(4)};
  EXPECT_THAT(TensorFromNpy("w.npy", array, {.merged = {2}, .split = {1, 2}}).status().message(),
              HasSubstr("w.npy has the shape [1]; the problem needs [2] or [1, 2]"));
  const float big = 1e6f;
  std::memcpy(array.data.data(), &big, 4);
  EXPECT_THAT(TensorFromNpy("w.npy", array, {.merged = {1}, .split = {1}}).status().message(),
              HasSubstr("element 0 is 1e+06, which float16 cannot hold"));
  const float infinity = std::numeric_limits<float>::infinity();
  std::memcpy(array.data.data(), &infinity, 4);
  EXPECT_TRUE(TensorFromNpy("w.npy", array, {.merged = {1}, .split = {1}}).ok());
}

}  // namespace
}  // namespace gridwise
