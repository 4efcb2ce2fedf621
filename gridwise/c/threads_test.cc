// SPDX-License-Identifier: MIT
// Threads that call the C API, and with it all of Gridwise, at the same time. The thread sanitizer
// runs this too.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gridwise/c/gridwise.h"
#include "gtest/gtest.h"

namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr char kTarget[] = "gfx942";
constexpr int kThreads = 4, kProblems = 6;
constexpr std::int64_t kGroups = 16, kChannels = 4, kPixels = 9, kTaps = 3;  // of a group; an axis

/// Grouped, 3x3, of `batch` images.
gridwise_conv_problem Problem(int batch) {
  gridwise_conv_problem problem;
  gridwise_conv_problem_init(&problem);
  problem.groups = kGroups;
  problem.batch = batch;
  problem.c = problem.k = kGroups * kChannels;
  for (int axis = 1; axis < 3; ++axis) {
    problem.dims[axis].in = kPixels;
    problem.dims[axis].filter = kTaps;
    problem.dims[axis].pad_begin = problem.dims[axis].pad_end = 1;
  }
  return problem;
}

std::string LineOf(const gridwise_conv_problem& problem) {
  gridwise_plan* plan = nullptr;
  if (gridwise_make_plan(&problem, kTarget, nullptr, &plan) != GRIDWISE_OK)
    return gridwise_message();
  std::string line = gridwise_plan_line(plan);
  gridwise_free_plan(plan);
  return line;
}

/// Calls `work` on kThreads threads, all of which have begun before any of them works.
void AtOnce(const std::function<void(int)>& work) {
  std::atomic<int> begun = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      ++begun;
      while (begun != kThreads) std::this_thread::yield();
      work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Threads, PlanAlike) {
  std::vector<std::vector<std::string>> lines(kThreads, std::vector<std::string>(kProblems));
  AtOnce([&](int thread) {
    for (int i = 0; i < kProblems; ++i) {
      const int number = (i + thread) % kProblems;
      const gridwise_conv_problem problem = Problem(1 + number);
      const std::string line = LineOf(problem);
      gridwise_plan* plan = nullptr;
      ASSERT_EQ(gridwise_parse_plan(line.c_str(), &plan), GRIDWISE_OK) << gridwise_message();
      EXPECT_EQ(gridwise_plan_line(plan), line);
      EXPECT_THAT(gridwise_plan_description(plan), HasSubstr("estimate"));
      gridwise_free_plan(plan);
      gridwise_explanations* explanations = nullptr;
      ASSERT_EQ(gridwise_explain(&problem, kTarget, nullptr, &explanations), GRIDWISE_OK);
      EXPECT_GT(gridwise_explanation_count(explanations), 0);
      gridwise_free_explanations(explanations);
      lines[static_cast<std::size_t>(thread)][static_cast<std::size_t>(number)] = line;
    }
  });
  std::vector<std::string> expected;
  for (int i = 0; i < kProblems; ++i) expected.push_back(LineOf(Problem(1 + i)));
  EXPECT_THAT(lines, Each(expected));
}

TEST(Threads, HaveMessagesOfTheirOwn) {
  AtOnce([](int thread) {
    for (int i = 0; i < 100; ++i) {
      gridwise_conv_problem problem = Problem(1);
      problem.groups = -1 - thread;
      gridwise_plan* plan = nullptr;
      ASSERT_EQ(gridwise_make_plan(&problem, kTarget, nullptr, &plan), GRIDWISE_INVALID_ARGUMENT);
      ASSERT_THAT(gridwise_message(), HasSubstr("groups is " + std::to_string(-1 - thread) + ";"));
    }
  });
}

TEST(Threads, ShareACache) {
  const std::string path = testing::TempDir() + "/threads_test_plans.txt";
  std::remove(path.c_str());
  gridwise_cache* cache = nullptr;
  ASSERT_EQ(gridwise_open_cache(path.c_str(), &cache), GRIDWISE_OK) << gridwise_message();
  AtOnce([&](int thread) {
    for (int i = 0; i < kProblems; ++i) {
      const gridwise_conv_problem problem = Problem(1 + (i + thread) % kProblems);
      gridwise_plan *plan = nullptr, *found = nullptr;
      ASSERT_EQ(gridwise_make_plan(&problem, kTarget, nullptr, &plan), GRIDWISE_OK);
      ASSERT_EQ(gridwise_cache_store(cache, plan), GRIDWISE_OK) << gridwise_message();
      ASSERT_EQ(gridwise_cache_find(cache, &problem, kTarget, &found), GRIDWISE_OK);
      EXPECT_STREQ(gridwise_plan_line(found), gridwise_plan_line(plan));
      gridwise_free_plan(found);
      gridwise_free_plan(plan);
    }
  });
  gridwise_close_cache(cache);
  ASSERT_EQ(gridwise_open_cache(path.c_str(), &cache), GRIDWISE_OK) << gridwise_message();
  EXPECT_EQ(gridwise_cache_skipped(cache, 0), nullptr);
  for (int i = 0; i < kProblems; ++i) {
    const gridwise_conv_problem problem = Problem(1 + i);
    gridwise_plan* found = nullptr;
    ASSERT_EQ(gridwise_cache_find(cache, &problem, kTarget, &found), GRIDWISE_OK);
    gridwise_free_plan(found);
  }
  gridwise_close_cache(cache);
}

/// x and w of small integers, so that any order of summation gives the same. Each of 13 successive
/// seeds gives another x.
struct Conv {
  Conv(int batch, int seed) : pixels(batch * kPixels * kPixels) {
    x.resize(static_cast<std::size_t>(pixels * kGroups * kChannels));
    w.resize(static_cast<std::size_t>(kGroups * kChannels * kTaps * kTaps * kChannels));
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<_Float16>(static_cast<int>((i * 7 + static_cast<std::size_t>(seed)) % 13) -
                                   6);
    for (std::size_t i = 0; i < w.size(); ++i)
      w[i] = static_cast<_Float16>(static_cast<int>(i * 5 % 3) - 1);
  }

  /// y of a pixel, group and channel, by the definition.
  float Expected(std::int64_t n, std::int64_t h, std::int64_t v, std::int64_t g,
                 std::int64_t k) const {
    float sum = 0;
    for (std::int64_t i = 0; i < kTaps; ++i) {
      for (std::int64_t j = 0; j < kTaps; ++j) {
        const std::int64_t row = h + i - 1, column = v + j - 1;
        if (row < 0 || row >= kPixels || column < 0 || column >= kPixels) continue;
        for (std::int64_t c = 0; c < kChannels; ++c) {
          const std::int64_t at =
              (((n * kPixels + row) * kPixels + column) * kGroups + g) * kChannels + c;
          const std::int64_t of_w = (((g * kChannels + k) * kTaps + i) * kTaps + j) * kChannels + c;
          sum += static_cast<float>(x[static_cast<std::size_t>(at)]) *
                 static_cast<float>(w[static_cast<std::size_t>(of_w)]);
        }
      }
    }
    return sum;
  }

  std::int64_t pixels;
  std::vector<_Float16> x, w;
};

/// Launches the executable on new tensors and returns y.
std::vector<_Float16> Launch(const gridwise_executable* executable, const Conv& conv,
                             std::int64_t workspace_bytes) {
  void *x = nullptr, *w = nullptr, *y = nullptr, *workspace = nullptr;
  std::vector<_Float16> out(conv.x.size());
  const auto bytes = [](const auto& values) {
    return static_cast<std::int64_t>(values.size() * 2);
  };
  EXPECT_EQ(gridwise_allocate(bytes(conv.x), &x), GRIDWISE_OK);
  EXPECT_EQ(gridwise_allocate(bytes(conv.w), &w), GRIDWISE_OK);
  EXPECT_EQ(gridwise_allocate(bytes(out), &y), GRIDWISE_OK);
  EXPECT_EQ(gridwise_allocate(workspace_bytes, &workspace), GRIDWISE_OK);
  EXPECT_EQ(gridwise_copy_to_device(x, conv.x.data(), bytes(conv.x)), GRIDWISE_OK);
  EXPECT_EQ(gridwise_copy_to_device(w, conv.w.data(), bytes(conv.w)), GRIDWISE_OK);
  gridwise_tensors tensors = {};
  tensors.size = sizeof(tensors);
  tensors.a = x;
  tensors.b = w;
  tensors.out = y;
  EXPECT_EQ(gridwise_launch(executable, &tensors, workspace, workspace_bytes, nullptr), GRIDWISE_OK)
      << gridwise_message();
  EXPECT_EQ(gridwise_copy_to_host(out.data(), y, bytes(out)), GRIDWISE_OK);
  for (void* memory : {x, w, y, workspace}) gridwise_free(memory);
  return out;
}

void ExpectRight(const std::vector<_Float16>& y, const Conv& conv, int batch) {
  std::size_t at = 0, wrong = 0;
  for (std::int64_t n = 0; n < batch; ++n)
    for (std::int64_t h = 0; h < kPixels; ++h)
      for (std::int64_t v = 0; v < kPixels; ++v)
        for (std::int64_t g = 0; g < kGroups; ++g)
          for (std::int64_t k = 0; k < kChannels; ++k)
            wrong += static_cast<float>(y[at++]) != conv.Expected(n, h, v, g, k) ? 1 : 0;
  EXPECT_EQ(at, y.size());
  EXPECT_EQ(wrong, 0u);
}

/// Each thread loads a plan, and launches its own executable and one that all share.
TEST(Threads, LoadAndLaunch) {
  constexpr int kBatch = 2;
  const gridwise_conv_problem problem = Problem(kBatch);
  gridwise_plan* plan = nullptr;
  gridwise_executable* shared = nullptr;
  ASSERT_EQ(gridwise_use_device(kTarget), GRIDWISE_OK) << gridwise_message();
  ASSERT_EQ(gridwise_make_plan(&problem, nullptr, nullptr, &plan), GRIDWISE_OK);
  ASSERT_EQ(gridwise_load(plan, &shared), GRIDWISE_OK) << gridwise_message();
  const std::int64_t workspace_bytes = gridwise_plan_workspace_bytes(plan);
  AtOnce([&](int thread) {
    ASSERT_EQ(gridwise_use_device(kTarget), GRIDWISE_OK) << gridwise_message();
    for (int i = 0; i < 3; ++i) {
      const Conv conv(kBatch, 3 * thread + i);
      gridwise_executable* own = nullptr;
      ASSERT_EQ(gridwise_load(plan, &own), GRIDWISE_OK) << gridwise_message();
      for (const gridwise_executable* each : {own, shared}) {
        ExpectRight(Launch(each, conv, workspace_bytes), conv, kBatch);
      }
      EXPECT_EQ(gridwise_synchronize(), GRIDWISE_OK);
      gridwise_free_executable(own);
    }
  });
  gridwise_free_executable(shared);
  gridwise_free_plan(plan);
}

}  // namespace
