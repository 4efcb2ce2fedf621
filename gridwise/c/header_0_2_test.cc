// SPDX-License-Identifier: MIT
// A program compiled with the header of version 0.2: what later libraries still do for it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gridwise/c/abi/gridwise_0_2.h"
#include "gtest/gtest.h"

namespace {

constexpr std::int64_t kPixels = 8 * 8, kChannels = 64;

gridwise_conv_problem Problem() {
  gridwise_conv_problem problem;
  gridwise_conv_problem_init(&problem);
  problem.type = GRIDWISE_F32;
  problem.c = problem.k = kChannels;
  problem.dims[1].in = problem.dims[2].in = 8;
  return problem;
}

// The library fills in as much of the struct as the program has room for.
TEST(Version02, InitWritesNoFurtherThanItsStructs) {
  struct {
    gridwise_conv_problem problem;
    std::uint64_t behind = 0x1234567890abcdef;
  } here;
  gridwise_conv_problem_init(&here.problem);
  EXPECT_EQ(here.behind, 0x1234567890abcdef);
  EXPECT_EQ(here.problem.size, sizeof(here.problem));
  struct {
    gridwise_plan_options options;
    std::uint64_t behind = 0x1234567890abcdef;
  } there;
  gridwise_plan_options_init(&there.options);
  EXPECT_EQ(there.behind, 0x1234567890abcdef);
  EXPECT_EQ(there.options.size, sizeof(there.options));
}

TEST(Version02, PlansExplainsAndLaunches) {
  ASSERT_EQ(gridwise_use_device("gfx942"), GRIDWISE_OK) << gridwise_message();
  const gridwise_conv_problem problem = Problem();
  gridwise_plan_options options;
  gridwise_plan_options_init(&options);
  options.family = "tile";
  options.workspace_limit = 0;
  gridwise_plan* plan = nullptr;
  ASSERT_EQ(gridwise_make_plan(&problem, nullptr, &options, &plan), GRIDWISE_OK)
      << gridwise_message();

  gridwise_explanations* all = nullptr;
  ASSERT_EQ(gridwise_explain(&problem, nullptr, &options, &all), GRIDWISE_OK);
  gridwise_explanation first = {};
  first.size = sizeof(first);
  ASSERT_GT(gridwise_explanation_count(all), 0);
  ASSERT_EQ(gridwise_explanation_at(all, 0, &first), GRIDWISE_OK);
  EXPECT_STREQ(first.family, "tile");
  gridwise_free_explanations(all);

  // A filter of one tap that is the identity: y is x.
  std::vector<float> x(kPixels * kChannels), w(kChannels * kChannels), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 19) - 9;
  for (std::size_t c = 0; c < kChannels; ++c) w[c * kChannels + c] = 1;
  const auto upload = [](const std::vector<float>& data) {
    const auto bytes = static_cast<std::int64_t>(data.size() * sizeof(float));
    void* memory = nullptr;
    EXPECT_EQ(gridwise_allocate(bytes, &memory), GRIDWISE_OK);
    EXPECT_EQ(gridwise_copy_to_device(memory, data.data(), bytes), GRIDWISE_OK);
    return memory;
  };
  gridwise_tensors tensors = {};
  tensors.size = sizeof(tensors);
  tensors.a = upload(x);
  tensors.b = upload(w);
  tensors.out = upload(y);
  gridwise_executable* conv = nullptr;
  ASSERT_EQ(gridwise_load(plan, &conv), GRIDWISE_OK) << gridwise_message();
  ASSERT_EQ(gridwise_launch(conv, &tensors, nullptr, 0, nullptr), GRIDWISE_OK)
      << gridwise_message();
  ASSERT_EQ(gridwise_synchronize(), GRIDWISE_OK);
  ASSERT_EQ(gridwise_copy_to_host(y.data(), tensors.out,
                                  static_cast<std::int64_t>(y.size() * sizeof(float))),
            GRIDWISE_OK);
  EXPECT_EQ(y, x);
  gridwise_free_executable(conv);
  gridwise_free_plan(plan);
  gridwise_free(const_cast<void*>(tensors.a));
  gridwise_free(const_cast<void*>(tensors.b));
  gridwise_free(tensors.out);
}

}  // namespace
