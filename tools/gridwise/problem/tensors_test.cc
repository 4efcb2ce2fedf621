// SPDX-License-Identifier: MIT
#include "tools/gridwise/problem/tensors.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "core/reference/elements.h"
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

TEST(TensorsTest, RandomTensorsAreUniformAndSeeded) {
  const std::vector<float> tensor = RandomTensor(DataType::kF16, 100000, 7);
  double sum = 0, squares = 0;
  for (const float value : tensor) {
    ASSERT_LE(std::abs(value), 1.0f);
    sum += value;
    squares += value * value;
  }
  // Standard errors of the mean and the mean square: 0.0018 and 0.00094.
  EXPECT_NEAR(sum / 1e5, 0, 0.01);
  EXPECT_NEAR(squares / 1e5, 1.0 / 3, 0.005);
  EXPECT_EQ(RandomTensor(DataType::kF16, 10, 7)[9], tensor[9]);
  EXPECT_NE(RandomTensor(DataType::kF16, 10, 8)[9], tensor[9]);
  EXPECT_NE(RandomTensor(DataType::kF32, 10, 7)[9], tensor[9]) << "not rounded";
}

TEST(TensorsTest, ConvertsFloat32AndBack) {
  const std::vector<float> values = {1.5f, -0.25f};
  const NpyArray array =
      TensorToNpy(DataType::kBF16, Encode(DataType::kBF16, values), {2}, DataType::kF32);
  float second = 0;
  std::memcpy(&second, array.data.data() + 4, 4);
  EXPECT_EQ(second, -0.25f);
  const auto tensor =
      TensorFromNpy("w.npy", array, {.merged = {2}, .split = {1, 2}}, DataType::kF16);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(*tensor, values);
}

TEST(TensorsTest, IntegersStayWhatTheyAre) {
  const std::int32_t sum = (1 << 24) + 1;
  const auto bytes = std::as_bytes(std::span(&sum, 1));
  const NpyArray array = TensorToNpy(DataType::kI32, bytes, {1}, DataType::kI32);
  EXPECT_EQ(std::memcmp(array.data.data(), &sum, sizeof(sum)), 0);
  const std::vector<float> values = {-128, 127, 0.5f};
  const NpyArray file =
      TensorToNpy(DataType::kF32, std::as_bytes(std::span(values)), {3}, DataType::kF32);
  EXPECT_THAT(
      TensorFromNpy("x.npy", file, {.merged = {3}, .split = {3}}, DataType::kI8).status().message(),
      HasSubstr("x.npy: element 2 is 0.5, which i8 cannot hold"));
  for (const float value : RandomTensor(DataType::kI8, 1000, 3)) {
    ASSERT_EQ(value, std::nearbyint(value));
    ASSERT_LE(std::abs(value), 128);
  }
}

TEST(TensorsTest, WrongShapesAndOverflowsAreNamed) {
  NpyArray array{.type = DataType::kF32, .shape = {1}, .data = std::vector<std::byte>(4)};
  EXPECT_THAT(TensorFromNpy("w.npy", array, {.merged = {2}, .split = {1, 2}}, DataType::kF16)
                  .status()
                  .message(),
              HasSubstr("w.npy has the shape [1]; the problem needs [2] or [1, 2]"));
  const float big = 1e6f;
  std::memcpy(array.data.data(), &big, 4);
  EXPECT_THAT(TensorFromNpy("w.npy", array, {.merged = {1}, .split = {1}}, DataType::kF16)
                  .status()
                  .message(),
              HasSubstr("element 0 is 1e+06, which f16 cannot hold"));
  const float infinity = std::numeric_limits<float>::infinity();
  std::memcpy(array.data.data(), &infinity, 4);
  EXPECT_TRUE(TensorFromNpy("w.npy", array, {.merged = {1}, .split = {1}}, DataType::kF16).ok());
}

}  // namespace
}  // namespace gridwise
