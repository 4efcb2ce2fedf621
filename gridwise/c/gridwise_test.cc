// SPDX-License-Identifier: MIT
// What the C API says to bad input: a status and a sentence, and no crash.

#include "gridwise/c/gridwise.h"

#include <cstdint>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using ::testing::HasSubstr;

constexpr char kTarget[] = "gfx942";

gridwise_conv_problem Problem() {
  gridwise_conv_problem problem;
  gridwise_conv_problem_init(&problem);
  problem.c = problem.k = 64;
  problem.dims[1].in = problem.dims[2].in = 8;
  return problem;
}

/// The message of what must be an invalid argument.
std::string Refusal(gridwise_status status) {
  EXPECT_EQ(status, GRIDWISE_INVALID_ARGUMENT);
  return gridwise_message();
}

gridwise_status Elements(const gridwise_conv_problem* problem) {
  std::int64_t a = 0, b = 0, out = 0;
  std::int32_t type = 0;
  return gridwise_conv_problem_elements(problem, &a, &b, &out, &type);
}

TEST(Problems, OfStridesHaveSizes) {
  gridwise_conv_problem problem = Problem();
  for (int axis = 0; axis < 6; ++axis) problem.x_stride[axis] = 1;
  problem.groups = 0;
  EXPECT_THAT(Refusal(Elements(&problem)), HasSubstr("groups is 0; must be >= 1"));
  problem.groups = 1;
  problem.dims[2].stride = 0;
  EXPECT_THAT(Refusal(Elements(&problem)), HasSubstr("stride (w) is 0; must be >= 1"));
}

TEST(Problems, HaveNumbersOfEnumerators) {
  gridwise_conv_problem problem = Problem();
  problem.type = 1000;
  EXPECT_THAT(Refusal(Elements(&problem)), HasSubstr("a type is 255"));
  problem = Problem();
  problem.tensors = 1;
  problem.d[0].type = -1;
  EXPECT_THAT(Refusal(Elements(&problem)), HasSubstr("d[0].type"));
  problem.tensors = 3;
  EXPECT_THAT(Refusal(Elements(&problem)), HasSubstr("tensors is 3; must be 0 to 2"));
}

TEST(Pointers, AreNamedWhereTheyAreNull) {
  const gridwise_conv_problem problem = Problem();
  gridwise_plan* plan = nullptr;
  int count = 0;
  EXPECT_EQ(Refusal(Elements(nullptr)), "problem is null; must not be");
  EXPECT_EQ(Refusal(gridwise_rank_plans(&problem, kTarget, nullptr, 1, nullptr, &count)),
            "plans is null; must not be");
  EXPECT_EQ(Refusal(gridwise_make_plan(&problem, kTarget, nullptr, nullptr)),
            "plans is null; must not be");
  EXPECT_EQ(Refusal(gridwise_parse_plan(nullptr, &plan)), "line is null; must not be");
  EXPECT_EQ(Refusal(gridwise_use_device(nullptr)), "target is null; must not be");
}

TEST(Options, OfExplanationsAreThoseOfPlans) {
  const gridwise_conv_problem problem = Problem();
  gridwise_plan_options bad[5];
  for (gridwise_plan_options& options : bad) gridwise_plan_options_init(&options);
  bad[0].family = "fast";
  bad[1].instance = "best";
  bad[2].splits = -1;
  bad[3].op = "wavy";
  bad[4].size = sizeof(bad[4]) + 8;
  for (const gridwise_plan_options& options : bad) {
    gridwise_plan* plan = nullptr;
    gridwise_explanations* explanations = nullptr;
    const std::string reason = Refusal(gridwise_make_plan(&problem, kTarget, &options, &plan));
    EXPECT_EQ(Refusal(gridwise_explain(&problem, kTarget, &options, &explanations)), reason);
    EXPECT_EQ(explanations, nullptr) << reason;
  }
}

// The choice of options reaches the planner.
TEST(Options, OpsAndLimitsChoose) {
  gridwise_conv_problem problem = Problem();
  problem.direction = GRIDWISE_BACKWARD_WEIGHT;
  gridwise_plan_options options;
  gridwise_plan_options_init(&options);
  options.family = "ck";
  options.op = "two_stage";
  gridwise_plan* plan = nullptr;
  ASSERT_EQ(gridwise_make_plan(&problem, kTarget, &options, &plan), GRIDWISE_OK)
      << gridwise_message();
  EXPECT_THAT(gridwise_plan_instance(plan), HasSubstr("two_stage"));
  gridwise_free_plan(plan);
  gridwise_plan_options_init(&options);
  options.workspace_limit = 0;
  ASSERT_EQ(gridwise_make_plan(&problem, kTarget, &options, &plan), GRIDWISE_OK)
      << gridwise_message();
  EXPECT_EQ(gridwise_plan_workspace_bytes(plan), 0);
  gridwise_free_plan(plan);
}

TEST(Structs, OfAnUnknownSizeAreRefused) {
  gridwise_conv_problem problem = Problem();
  problem.size += 8;
  EXPECT_THAT(Refusal(Elements(&problem)), HasSubstr("problem->size is "));
  problem.size = 8;
  EXPECT_THAT(Refusal(Elements(&problem)), HasSubstr("problem->size is 8; must be "));
}

TEST(Targets, AreNamed) {
  const gridwise_conv_problem problem = Problem();
  gridwise_plan* plan = nullptr;
  EXPECT_THAT(Refusal(gridwise_make_plan(&problem, "gfx1", nullptr, &plan)),
              HasSubstr("target: the device is 'gfx1'; must be "));
}

TEST(Caches, SayWhatTheyDoNotHave) {
  const std::string path = testing::TempDir() + "/gridwise_test_plans.txt";
  std::ofstream(path) << "a line of something else\n";
  gridwise_cache* cache = nullptr;
  ASSERT_EQ(gridwise_open_cache(path.c_str(), &cache), GRIDWISE_OK) << gridwise_message();
  ASSERT_NE(gridwise_cache_skipped(cache, 0), nullptr);
  EXPECT_THAT(gridwise_cache_skipped(cache, 0), HasSubstr(path + ":1: "));
  EXPECT_EQ(gridwise_cache_skipped(cache, 1), nullptr);
  EXPECT_EQ(gridwise_cache_skipped(cache, -1), nullptr);

  gridwise_conv_problem problem = Problem();
  gridwise_plan *plan = nullptr, *found = nullptr;
  EXPECT_EQ(gridwise_cache_find(cache, &problem, kTarget, &found), GRIDWISE_NOT_FOUND);
  EXPECT_STREQ(gridwise_message(), "the cache has no plan for the problem");
  EXPECT_EQ(found, nullptr);
  ASSERT_EQ(gridwise_make_plan(&problem, kTarget, nullptr, &plan), GRIDWISE_OK);
  ASSERT_EQ(gridwise_cache_store(cache, plan), GRIDWISE_OK) << gridwise_message();
  ASSERT_EQ(gridwise_cache_find(cache, &problem, kTarget, &found), GRIDWISE_OK);
  EXPECT_STREQ(gridwise_plan_line(found), gridwise_plan_line(plan));
  gridwise_free_plan(found);
  EXPECT_EQ(gridwise_cache_find(cache, &problem, "gfx950", &found), GRIDWISE_NOT_FOUND);
  problem.groups = 0;
  EXPECT_THAT(Refusal(gridwise_cache_find(cache, &problem, kTarget, &found)),
              HasSubstr("groups is 0; must be >= 1"));
  gridwise_close_cache(cache);

  EXPECT_EQ(Refusal(gridwise_open_cache(nullptr, &cache)), "path is null; must not be");
  EXPECT_NE(gridwise_open_cache(testing::TempDir().c_str(), &cache), GRIDWISE_OK);
  EXPECT_THAT(gridwise_message(), HasSubstr("cannot read " + testing::TempDir()));
  const std::string nowhere = testing::TempDir() + "/no such folder/plans.txt";
  ASSERT_EQ(gridwise_open_cache(nowhere.c_str(), &cache), GRIDWISE_OK) << gridwise_message();
  EXPECT_NE(gridwise_cache_store(cache, plan), GRIDWISE_OK);
  EXPECT_THAT(gridwise_message(), HasSubstr("cannot open " + nowhere));
  gridwise_close_cache(cache);
  gridwise_free_plan(plan);
}

TEST(Explanations, AreThoseOfTheCount) {
  const gridwise_conv_problem problem = Problem();
  gridwise_explanations* explanations = nullptr;
  ASSERT_EQ(gridwise_explain(&problem, kTarget, nullptr, &explanations), GRIDWISE_OK);
  const int count = gridwise_explanation_count(explanations);
  ASSERT_GT(count, 0);
  gridwise_explanation explanation = {};
  explanation.size = sizeof(explanation);
  EXPECT_EQ(gridwise_explanation_at(explanations, 0, &explanation), GRIDWISE_OK);
  EXPECT_NE(explanation.instance, nullptr);
  EXPECT_THAT(Refusal(gridwise_explanation_at(explanations, -1, &explanation)),
              HasSubstr("index is -1; must be 0 to "));
  EXPECT_THAT(Refusal(gridwise_explanation_at(explanations, count, &explanation)),
              HasSubstr("index is "));
  explanation.size = 0;
  EXPECT_THAT(Refusal(gridwise_explanation_at(explanations, 0, &explanation)),
              HasSubstr("explanation->size is 0; must be "));
  gridwise_free_explanations(explanations);
}

TEST(Copies, HaveBytesAndAddresses) {
  char bytes[4] = {};
  EXPECT_THAT(Refusal(gridwise_copy_to_device(bytes, bytes, -1)), HasSubstr("bytes is -1"));
  EXPECT_THAT(Refusal(gridwise_copy_to_host(bytes, bytes, -1)), HasSubstr("bytes is -1"));
  EXPECT_EQ(Refusal(gridwise_copy_to_device(nullptr, bytes, 4)), "memory is null; must not be");
  EXPECT_EQ(Refusal(gridwise_copy_to_host(nullptr, bytes, 4)), "target is null; must not be");
  EXPECT_EQ(gridwise_copy_to_device(nullptr, nullptr, 0), GRIDWISE_OK);
}

}  // namespace
