// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/types.h"
#include "core/gemm/problem.h"
#include "core/gemm/problem_io.h"
#include "core/gemm/validate.h"
#include "core/reference/gemm_expected.h"
#include "core/text/csv_table.h"
#include "dnnl.hpp"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<float> RandomReals(std::mt19937& random, std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(random()) / 2147483648.0f - 1.0f;
  return values;
}

/// Sizes of a few elements, orders, and lines that are longer than they need be.
GemmProblem RandomGemm(std::mt19937& random) {
  const auto size = [&] { return static_cast<std::int64_t>(random() % 40 + 1); };
  GemmProblem p = {.type = DataType::kF32,
                   .batch = static_cast<std::int64_t>(random() % 3 + 1),
                   .m = size(),
                   .n = size(),
                   .k = size()};
  const auto strides = [&](std::int64_t rows, std::int64_t columns) {
    const MatrixOrder order = kAllMatrixOrders[random() % 2];
    const std::int64_t line = order == MatrixOrder::kRow ? columns : rows;
    return StridesOf(order, rows, columns, line + static_cast<std::int64_t>(random() % 3));
  };
  p.a = strides(p.m, p.k);
  p.b = strides(p.k, p.n);
  p.c = strides(p.m, p.n);
  return p;
}

dnnl::memory::desc DescriptorOf(const MatrixStrides& strides, std::int64_t batch, std::int64_t rows,
                                std::int64_t columns) {
  return {{batch, rows, columns},
          dnnl::memory::data_type::f32,
          {strides.batch, strides.row, strides.column}};
}

/// What is between the elements of C is NaN.
std::vector<float> Dnnl(const GemmProblem& p, std::vector<float> a, std::vector<float> b) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  std::vector<float> out(static_cast<std::size_t>(p.out_elements()), NAN);
  const dnnl::memory::desc da = DescriptorOf(p.a, p.batch, p.m, p.k),
                           db = DescriptorOf(p.b, p.batch, p.k, p.n),
                           dc = DescriptorOf(p.c, p.batch, p.m, p.n);
  dnnl::matmul({engine, da, db, dc})
      .execute(stream, {{DNNL_ARG_SRC, dnnl::memory(da, engine, a.data())},
                        {DNNL_ARG_WEIGHTS, dnnl::memory(db, engine, b.data())},
                        {DNNL_ARG_DST, dnnl::memory(dc, engine, out.data())}});
  stream.wait();
  return out;
}

std::vector<float> Magnitudes(std::vector<float> values) {
  for (float& value : values) value = std::abs(value);
  return values;
}

// A float sum of K products in any order is within (K + 1) 2^-24 sum |a b| of the exact one, to
// first order.
TEST(GemmReference, AgreesWithOneDnn) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const GemmProblem p = RandomGemm(random);
    const std::vector<float> a = RandomReals(random, p.a_elements());
    const std::vector<float> b = RandomReals(random, p.b_elements());
    const absl::StatusOr<Expected> expected = ExpectedOutput(p, a, b);
    ASSERT_TRUE(expected.ok()) << expected.status() << " " << ToString(p);
    const absl::StatusOr<Expected> bound = ExpectedOutput(p, Magnitudes(a), Magnitudes(b));
    ASSERT_TRUE(bound.ok()) << bound.status();
    const std::vector<float> actual = Dnnl(p, a, b);
    ASSERT_EQ(actual.size(), expected->out.size());
    const double relative = static_cast<double>(p.k + 2) * std::ldexp(1.0, -24);
    for (std::size_t i = 0; i < actual.size(); ++i) {
      ASSERT_EQ(std::isnan(actual[i]), std::isnan(expected->out[i])) << i << " " << ToString(p);
      if (std::isnan(actual[i])) continue;
      ASSERT_LE(std::abs(double{actual[i]} - expected->out[i]), relative * bound->out[i])
          << "element " << i << " of " << ToString(p);
    }
  }
}

// By hand: [1 2; 3 4] [5; 6] = [17; 39], then 0.5 * sum + 2 * d of rows 1 and 10, at most 30.
TEST(GemmReference, AppliesTheEpilogue) {
  GemmProblem p = MakeGemm(DataType::kF32, 1, 2, 1, 2);
  p.epilogue = {.alpha = 0.5, .tensors = 1, .d = {}, .high = 30};
  p.epilogue.d[0] = {.scale = 2,
                     .type = DataType::kF32,
                     .stride = PerAxisStrides({.batch = 0, .row = 1, .column = 0})};
  const std::vector<float> a = {1, 2, 3, 4}, b = {5, 6}, d = {1, 10};
  const absl::StatusOr<Expected> expected = ExpectedOutput(p, a, b, {d, {}});
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_THAT(expected->out, ElementsAre(10.5, 30));
}

TEST(GemmReference, TransposedProblemsHaveTheSameResult) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const GemmProblem p = RandomGemm(random);
    const std::vector<float> a = RandomReals(random, p.a_elements());
    const std::vector<float> b = RandomReals(random, p.b_elements());
    EXPECT_EQ(p.Transposed().out_elements(), p.out_elements());
    const auto direct = ExpectedOutput(p, a, b), transposed = ExpectedOutput(p.Transposed(), b, a);
    ASSERT_TRUE(direct.ok() && transposed.ok());
    for (std::size_t i = 0; i < direct->out.size(); ++i) {
      if (std::isnan(direct->out[i])) continue;
      ASSERT_NEAR(direct->out[i], transposed->out[i], 1e-12) << ToString(p);
    }
  }
}

std::string WhyInvalid(const GemmProblem& p) { return std::string(Validate(p).message()); }

TEST(GemmValidate, SaysWhatIsWrong) {
  const GemmProblem good = MakeGemm(DataType::kF16, 2, 3, 4, 5);
  EXPECT_EQ(WhyInvalid(good), "");
  GemmProblem p = good;
  p.m = 0;
  EXPECT_EQ(WhyInvalid(p), "m is 0; must be 1 to 8388608");
  p = good;
  p.a.row = -1;
  EXPECT_EQ(WhyInvalid(p), "a.row is -1; must be 0 to 137438953472");
  p = good;
  p.b = {};
  EXPECT_EQ(WhyInvalid(p), "b's strides are all 0; a single number is no matrix");
  p = good;
  p.c.row = 3;
  EXPECT_EQ(WhyInvalid(p),
            "c's strides are 12, 3 and 1 for 2 matrices of 3 x 4, which lie across one another");
  p = good;
  p.out_type = DataType::kI32;
  EXPECT_EQ(WhyInvalid(p), "out_type is i32, which sums of f16 are not written as");
  p = MakeGemm(DataType::kI8, 1, 1, 1, 200000);
  EXPECT_THAT(WhyInvalid(p), HasSubstr("k is 200000; must be <= 131071"));
  p = good;
  p.epilogue.tensors = 1;
  p.epilogue.d[0].stride = {1, 0, 0, 0, 0, 1};
  EXPECT_THAT(WhyInvalid(p), HasSubstr("epilogue.d[0].stride is not of a matrix"));
}

TEST(GemmProblemSets, AreReadAndPrinted) {
  const absl::StatusOr<std::string> text = ReadText("tests/problems/transformers.csv", "set");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_TRUE(IsGemmSet(*text));
  EXPECT_FALSE(IsGemmSet("name,ndim,G,N,K\n"));
  const auto set = ParseGemms(*text, "transformers");
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->size(), 18u);
  const auto gemms = ParseGemms(
      "name,batch,M,N,K,a,b,c\nx,2,3,4,5,col:8,row,col\ny,1,1,1,1,row,row,row\n", "test");
  ASSERT_TRUE(gemms.ok()) << gemms.status();
  EXPECT_EQ(ToString(gemms->front().problem), "gemm f16 batch 2 m 3 n 4 k 5 a col:8 b row c col");
  EXPECT_EQ(ParseGemms("name,batch,M,N,K,a,b\nx,2,3,4,5,row,diagonal\n", "test").status().message(),
            "test:2: column b: 'diagonal' is no order; must be row or col, or with elements from "
            "line to line as in row:72");
  EXPECT_THAT(std::string(ParseOrder("row:3", 2, 4).status().message()),
              HasSubstr("lines of 4 elements"));
}

}  // namespace
}  // namespace gridwise
