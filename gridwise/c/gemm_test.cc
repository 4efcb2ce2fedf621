// SPDX-License-Identifier: MIT
// Matrix multiplications through the C API, against their definition. Operands are small integers,
// so that any order of summation gives the same.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gridwise/c/gridwise_gemm.h"
#include "gtest/gtest.h"

namespace {

using ::testing::HasSubstr;

constexpr char kTarget[] = "gfx942";

/// The message of what must be an invalid argument.
std::string Refusal(gridwise_status status) {
  EXPECT_EQ(status, GRIDWISE_INVALID_ARGUMENT);
  return gridwise_message();
}

gridwise_gemm_problem Problem(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k) {
  gridwise_gemm_problem problem;
  gridwise_gemm_problem_init(&problem);
  problem.type = GRIDWISE_F32;
  problem.batch = batch;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  return problem;
}

gridwise_status Elements(const gridwise_gemm_problem& problem, std::int64_t* out) {
  std::int64_t a = 0, b = 0;
  std::int32_t type = 0;
  return gridwise_gemm_problem_elements(&problem, &a, &b, out, &type);
}

std::vector<float> Integers(std::int64_t count, std::int64_t modulus) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    values[i] = static_cast<float>(index * 7 % modulus - modulus / 2);
  }
  return values;
}

void* Upload(const std::vector<float>& values) {
  const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(float));
  void* memory = nullptr;
  EXPECT_EQ(gridwise_allocate(bytes, &memory), GRIDWISE_OK) << gridwise_message();
  EXPECT_EQ(gridwise_copy_to_device(memory, values.data(), bytes), GRIDWISE_OK);
  return memory;
}

/// Runs the plan on a, b and d0, with C's `elements` set to -1 before.
std::vector<float> Multiply(const gridwise_plan* plan, const std::vector<float>& a,
                            const std::vector<float>& b, const std::vector<float>& d0,
                            std::int64_t elements) {
  std::vector<float> c(static_cast<std::size_t>(elements), -1.0F);
  const std::int64_t workspace_bytes = gridwise_plan_workspace_bytes(plan);
  void* workspace = nullptr;
  EXPECT_EQ(gridwise_allocate(workspace_bytes, &workspace), GRIDWISE_OK);
  gridwise_tensors tensors = {};
  tensors.size = sizeof(tensors);
  void *const memory_a = Upload(a), *const memory_b = Upload(b), *const memory_d0 = Upload(d0);
  tensors.a = memory_a;
  tensors.b = memory_b;
  tensors.d0 = memory_d0;
  tensors.out = Upload(c);
  gridwise_executable* gemm = nullptr;
  EXPECT_EQ(gridwise_load(plan, &gemm), GRIDWISE_OK) << gridwise_message();
  EXPECT_EQ(gridwise_launch(gemm, &tensors, workspace, workspace_bytes, nullptr), GRIDWISE_OK)
      << gridwise_message();
  EXPECT_EQ(gridwise_synchronize(), GRIDWISE_OK) << gridwise_message();
  EXPECT_EQ(gridwise_copy_to_host(c.data(), tensors.out,
                                  static_cast<std::int64_t>(c.size() * sizeof(float))),
            GRIDWISE_OK);
  gridwise_free_executable(gemm);
  for (void* memory : {memory_a, memory_b, memory_d0, tensors.out, workspace})
    gridwise_free(memory);
  return c;
}

/// C by its definition: d0 is added with its scale, and the clamp begins at `low`.
std::vector<float> Expected(const gridwise_gemm_problem& p, const gridwise_matrix_strides& sa,
                            const gridwise_matrix_strides& sb, const gridwise_matrix_strides& sc,
                            const std::vector<float>& a, const std::vector<float>& b,
                            const std::vector<float>& d0, std::int64_t elements) {
  const auto at = [](const gridwise_matrix_strides& s, std::int64_t batch, std::int64_t row,
                     std::int64_t column) {
    return static_cast<std::size_t>(batch * s.batch + row * s.row + column * s.column);
  };
  std::vector<float> c(static_cast<std::size_t>(elements), -1.0F);
  for (std::int64_t batch = 0; batch < p.batch; ++batch) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < p.n; ++j) {
        double sum = 0;
        for (std::int64_t t = 0; t < p.k; ++t) {
          sum += double{a[at(sa, batch, i, t)]} * double{b[at(sb, batch, t, j)]};
        }
        double value = p.alpha * sum;
        if (p.tensors > 0) value += p.d[0].scale * double{d0[at(p.d[0].stride, batch, i, j)]};
        c[at(sc, batch, i, j)] = static_cast<float>(value < p.low ? p.low : value);
      }
    }
  }
  return c;
}

class Gemm : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(gridwise_use_device(kTarget), GRIDWISE_OK) << gridwise_message();
  }
};

TEST_F(Gemm, OfPackedMatricesIsItsDefinition) {
  const gridwise_gemm_problem problem = Problem(2, 33, 21, 18);
  std::int64_t elements = 0;
  ASSERT_EQ(Elements(problem, &elements), GRIDWISE_OK) << gridwise_message();
  EXPECT_EQ(elements, 2 * 33 * 21);
  const std::vector<float> a = Integers(2 * 33 * 18, 5), b = Integers(2 * 18 * 21, 7);
  gridwise_plan* plan = nullptr;
  ASSERT_EQ(gridwise_make_gemm_plan(&problem, nullptr, nullptr, &plan), GRIDWISE_OK)
      << gridwise_message();
  EXPECT_STREQ(gridwise_plan_family(plan), "ck");
  EXPECT_THAT(gridwise_plan_description(plan), HasSubstr("instance"));
  EXPECT_GT(gridwise_plan_estimated_ms(plan), 0);
  EXPECT_EQ(
      Multiply(plan, a, b, {0}, elements),
      Expected(problem, {33 * 18, 18, 1}, {18 * 21, 21, 1}, {33 * 21, 21, 1}, a, b, {}, elements));
  gridwise_free_plan(plan);
}

// A and C by columns, one B for all matrices, rows of B with gaps, and every part of the epilogue.
TEST_F(Gemm, HasStridesAndAnEpilogue) {
  gridwise_gemm_problem problem = Problem(3, 20, 17, 9);
  problem.a = {20 * 9, 1, 20};
  problem.b = {0, 19, 1};
  problem.c = {20 * 17, 1, 20};
  problem.alpha = 2;
  problem.low = -30;
  problem.tensors = 1;
  problem.d[0] = {GRIDWISE_ADD, GRIDWISE_F32, 0.5, {0, 0, 1}};
  std::int64_t elements = 0;
  ASSERT_EQ(Elements(problem, &elements), GRIDWISE_OK) << gridwise_message();
  const std::vector<float> a = Integers(3 * 20 * 9, 5), b = Integers(9 * 19, 7),
                           bias = Integers(17, 11);
  gridwise_plan* plan = nullptr;
  ASSERT_EQ(gridwise_make_gemm_plan(&problem, nullptr, nullptr, &plan), GRIDWISE_OK)
      << gridwise_message();
  const std::vector<float> expected =
      Expected(problem, problem.a, problem.b, problem.c, a, b, bias, elements);
  EXPECT_THAT(expected, ::testing::Contains(-30.0F));
  EXPECT_EQ(Multiply(plan, a, b, bias, elements), expected);
  gridwise_free_plan(plan);
}

// Plans take the options, and explanations are in the order of plans.
TEST_F(Gemm, OptionsChoose) {
  const gridwise_gemm_problem problem = Problem(1, 64, 64, 512);
  gridwise_explanations* all = nullptr;
  ASSERT_EQ(gridwise_explain_gemm(&problem, kTarget, nullptr, &all), GRIDWISE_OK)
      << gridwise_message();
  ASSERT_GT(gridwise_explanation_count(all), 1);
  gridwise_explanation first = {}, second = {};
  first.size = second.size = sizeof(first);
  ASSERT_EQ(gridwise_explanation_at(all, 0, &first), GRIDWISE_OK);
  ASSERT_EQ(gridwise_explanation_at(all, 1, &second), GRIDWISE_OK);
  ASSERT_EQ(second.reason, nullptr);
  EXPECT_LE(first.estimated_ms, second.estimated_ms);

  gridwise_plan* plan = nullptr;
  ASSERT_EQ(gridwise_make_gemm_plan(&problem, kTarget, nullptr, &plan), GRIDWISE_OK);
  EXPECT_STREQ(gridwise_plan_instance(plan), first.instance);
  gridwise_free_plan(plan);
  gridwise_plan_options options;
  gridwise_plan_options_init(&options);
  options.instance = second.instance;
  options.splits = 4;
  ASSERT_EQ(gridwise_make_gemm_plan(&problem, kTarget, &options, &plan), GRIDWISE_OK);
  EXPECT_STREQ(gridwise_plan_instance(plan), second.instance);
  EXPECT_GT(gridwise_plan_workspace_bytes(plan), 0);
  gridwise_free_plan(plan);
  gridwise_free_explanations(all);
}

TEST_F(Gemm, IsRefusedWithASentence) {
  gridwise_plan* plan = nullptr;
  gridwise_explanations* all = nullptr;
  std::int64_t elements = 0;
  const auto plans = [&](const gridwise_gemm_problem& problem) {
    return gridwise_make_gemm_plan(&problem, kTarget, nullptr, &plan);
  };
  EXPECT_THAT(Refusal(Elements(Problem(1, 0, 4, 4), &elements)), HasSubstr("m is 0; must be 1 to"));
  gridwise_gemm_problem problem = Problem(1, 4, 4, 4);
  problem.c = {16, 2, 2};
  EXPECT_THAT(Refusal(plans(problem)), HasSubstr("which lie across one another"));
  problem = Problem(1, 4, 4, 4);
  problem.d[0].op = 2;
  problem.tensors = 1;
  EXPECT_THAT(Refusal(plans(problem)), HasSubstr("d[0].op is 2; must be 0 or 1"));
  problem = Problem(1, 4, 4, 4);
  problem.size += 8;
  EXPECT_THAT(Refusal(plans(problem)), HasSubstr("problem->size is "));
  problem = Problem(1, 4, 4, 4);
  EXPECT_EQ(Refusal(gridwise_make_gemm_plan(&problem, kTarget, nullptr, nullptr)),
            "plan is null; must not be");
  gridwise_plan_options options;
  gridwise_plan_options_init(&options);
  options.splits = 2;
  problem.c = {64, 16, 1};
  for (const gridwise_status status : {gridwise_make_gemm_plan(&problem, kTarget, &options, &plan),
                                       gridwise_explain_gemm(&problem, kTarget, &options, &all)}) {
    EXPECT_THAT(Refusal(status), HasSubstr("gaps between the elements of c"));
  }
  gridwise_plan_options_init(&options);
  options.instance = "best";
  EXPECT_THAT(Refusal(gridwise_explain_gemm(&problem, kTarget, &options, &all)),
              HasSubstr("instance is best; must be one of"));
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(all, nullptr);
}

// Files of plans are of convolutions.
TEST_F(Gemm, PlansHaveNoText) {
  const gridwise_gemm_problem problem = Problem(1, 16, 16, 16);
  gridwise_plan* plan = nullptr;
  ASSERT_EQ(gridwise_make_gemm_plan(&problem, kTarget, nullptr, &plan), GRIDWISE_OK);
  EXPECT_EQ(gridwise_plan_line(plan), nullptr);
  gridwise_cache* cache = nullptr;
  ASSERT_EQ(gridwise_open_cache((::testing::TempDir() + "plans.txt").c_str(), &cache), GRIDWISE_OK);
  EXPECT_THAT(Refusal(gridwise_cache_store(cache, plan)), HasSubstr("not of a convolution"));
  gridwise_close_cache(cache);
  gridwise_free_plan(plan);
}

}  // namespace
