// SPDX-License-Identifier: MIT
#include "gridwise/views.h"

#include <cstdint>
#include <string>

#include "core/base/types.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

// What plans of views refuse; //ck/examples:examples_test computes one on every target.

namespace gridwise {
namespace {

using ::testing::HasSubstr;

/// C[b] = A[b] B[b]; terms of A and B, and columns of C, are adjacent.
ck::GemmDescriptors Matrices(std::int64_t matrices, std::int64_t m, std::int64_t n,
                             std::int64_t k) {
  ck::GemmDescriptors gemm;
  gemm.a.See({gemm.a.Memory(matrices, m * k), gemm.a.Memory(m, k), gemm.a.Memory(k, 1)});
  gemm.b.See({gemm.b.Memory(matrices, n * k), gemm.b.Memory(n, k), gemm.b.Memory(k, 1)});
  gemm.c.See({gemm.c.Memory(matrices, m * n), gemm.c.Memory(m, n), gemm.c.Memory(n, 1)});
  gemm.terms = k;
  return gemm;
}

std::string WhyNot(const ck::GemmDescriptors& gemm, DataType type = DataType::kF16,
                   DataType out_type = DataType::kF32) {
  const absl::StatusOr<InstancePlan> plan = PlanViews(gemm, type, out_type, Gfx::k942);
  return plan.ok() ? "" : std::string(plan.status().message());
}

TEST(PlanViews, IsOneLaunchWithoutAWorkspace) {
  const auto plan = PlanViews(Matrices(3, 100, 70, 64), DataType::kF16, DataType::kF32, Gfx::k942);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->launches(), 1);
  EXPECT_EQ(plan->workspace_bytes(), 0);
  EXPECT_EQ(plan->family(), "ck");
}

TEST(PlanViews, WhatMakesNoSenseIsASentence) {
  ck::GemmDescriptors gemm = Matrices(1, 64, 64, 32);
  gemm.terms = 33;
  EXPECT_THAT(WhyNot(gemm), HasSubstr("A is 1x64x32, B 1x64x32 and C 1x64x64 with 33 terms"));
  EXPECT_THAT(WhyNot(Matrices(1, 64, 64, 32), DataType::kF16, DataType::kI32),
              HasSubstr("the output's type is i32, which sums of f16 are not"));
  gemm = Matrices(1, 64, 64, 32);
  gemm.c = {};
  gemm.c.See({gemm.c.Memory(64, 64), gemm.c.Memory(64, 1)});
  EXPECT_THAT(WhyNot(gemm), HasSubstr("C shows 2 axes; must be 3"));
  gemm = Matrices(1, 64, 64, 32);
  gemm.c.See({gemm.c.Memory(1, 0), gemm.c.Memory(64, 64), gemm.c.Memory(64, 1)});
  EXPECT_THAT(WhyNot(gemm), HasSubstr("C: axes are made before a descriptor is seen"));
}

TEST(PlanViews, WhatIsTooLargeForALaunchIsASentence) {
  EXPECT_EQ(WhyNot(Matrices(65535, 16, 16, 16)), "");
  EXPECT_THAT(WhyNot(Matrices(65536, 16, 16, 16)),
              HasSubstr("there are 65536 matrices; must be at most 65535"));
  EXPECT_THAT(WhyNot(Matrices(std::int64_t{1} << 32, 16, 16, 16)), HasSubstr("4294967296 matri"));
  EXPECT_THAT(WhyNot(Matrices(1, 1 << 20, 1 << 16, 16)), HasSubstr("bytes of C; must be below"));
}

// Views may show an element many times, so that few bytes have many tiles.
TEST(PlanViews, TilesAreCountedToo) {
  constexpr std::int64_t kInstances = 1 << 29;
  ck::GemmDescriptors gemm;
  gemm.a.See({gemm.a.Memory(1, 0), gemm.a.Memory(kInstances, 0), gemm.a.Memory(16, 1)});
  gemm.b.See({gemm.b.Memory(1, 0), gemm.b.Memory(kInstances, 0), gemm.b.Memory(16, 1)});
  gemm.c.See({gemm.c.Memory(1, 0), gemm.c.Memory(kInstances, 0), gemm.c.Memory(kInstances, 0)});
  gemm.terms = 16;
  EXPECT_THAT(WhyNot(gemm), HasSubstr("tiles; must be at most"));
}

}  // namespace
}  // namespace gridwise
