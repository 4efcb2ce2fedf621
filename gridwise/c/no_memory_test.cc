// SPDX-License-Identifier: MIT
// Functions of the C API when the host has no memory: they return a status, and throw nothing.

#include <cstddef>
#include <cstdlib>
#include <new>

#include "gridwise/c/gridwise.h"
#include "gridwise/c/gridwise_gemm.h"
#include "gridwise/c/gridwise_views.h"
#include "gtest/gtest.h"

namespace {

constexpr char kTarget[] = "gfx942";

/// The allocations of this thread that succeed before one fails; -1: none fails.
thread_local int allocations_left = -1;

void* Allocate(std::size_t bytes) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return Allocate(bytes); }
void* operator new[](std::size_t bytes) { return Allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

/// Returns the status of call() if its last allocation fails: that of the object that it returns.
/// If an earlier one failed, Abseil could end the program, because it formats text in destructors.
template <class Call>
gridwise_status WithoutLastAllocation(Call call) {
  constexpr int kMany = 1 << 30;
  for (int left = kMany;;) {
    allocations_left = left;
    const gridwise_status status = call();
    const int used = left - allocations_left;
    allocations_left = -1;
    if (left != kMany || status != GRIDWISE_OK) return status;
    EXPECT_GT(used, 0);
    left = used - 1;
  }
}

gridwise_conv_problem Problem() {
  gridwise_conv_problem problem;
  gridwise_conv_problem_init(&problem);
  problem.c = problem.k = 64;
  return problem;
}

TEST(NoMemory, OfPlansIsAStatus) {
  const gridwise_conv_problem problem = Problem();
  gridwise_plan* plan = nullptr;
  const auto call = [&] {
    gridwise_free_plan(plan);
    plan = nullptr;
    return gridwise_make_plan(&problem, kTarget, nullptr, &plan);
  };
  ASSERT_EQ(call(), GRIDWISE_OK) << gridwise_message();  // what the first plan of a process keeps
  EXPECT_EQ(WithoutLastAllocation(call), GRIDWISE_RESOURCE_EXHAUSTED);
  EXPECT_STREQ(gridwise_message(), "there is no memory on the host");
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(call(), GRIDWISE_OK);
  EXPECT_NE(plan, nullptr);
  gridwise_free_plan(plan);
}

TEST(NoMemory, OfMatrixPlansIsAStatus) {
  gridwise_gemm_problem problem;
  gridwise_gemm_problem_init(&problem);
  gridwise_plan* plan = nullptr;
  const auto call = [&] {
    gridwise_free_plan(plan);
    plan = nullptr;
    return gridwise_make_gemm_plan(&problem, kTarget, nullptr, &plan);
  };
  ASSERT_EQ(call(), GRIDWISE_OK) << gridwise_message();
  EXPECT_EQ(WithoutLastAllocation(call), GRIDWISE_RESOURCE_EXHAUSTED);
  EXPECT_EQ(plan, nullptr);
  gridwise_free_plan(plan);
}

TEST(NoMemory, OfViewsIsAStatus) {
  gridwise_view* view = nullptr;
  allocations_left = 0;
  const gridwise_status status = gridwise_make_view(&view);
  allocations_left = -1;
  EXPECT_EQ(status, GRIDWISE_RESOURCE_EXHAUSTED);
  EXPECT_EQ(view, nullptr);
}

TEST(NoMemory, OfTextsIsNull) {
  const gridwise_conv_problem problem = Problem();
  gridwise_plan* plan = nullptr;
  ASSERT_EQ(gridwise_make_plan(&problem, kTarget, nullptr, &plan), GRIDWISE_OK);
  allocations_left = 0;
  EXPECT_EQ(gridwise_plan_line(plan), nullptr);
  allocations_left = -1;
  EXPECT_STREQ(gridwise_message(), "there is no memory on the host");
  EXPECT_NE(gridwise_plan_line(plan), nullptr);
  gridwise_free_plan(plan);
}

}  // namespace
