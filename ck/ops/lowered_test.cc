// SPDX-License-Identifier: MIT
#include "ck/ops/lowered.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/conv/problem.h"
#include "core/conv/sub_gemms.h"

namespace gridwise::ck {
namespace {

/// Backward-data of stride 3 along h and 2 along w: six phases, of several sizes.
ConvProblem Strided() {
  return {.direction = Direction::kBackwardData,
          .batch = 2,
          .c = 8,
          .k = 16,
          .dims = {Dim{},
                   {.in = 17, .filter = 4, .stride = 3, .pad_begin = 1, .pad_end = 1},
                   {.in = 12, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 1}}};
}

TEST(Lowered, RangesAreOfConsecutiveSubGemms) {
  const ConvProblem problem = Strided();
  const std::vector<SubGemm> gemms = MakeSubGemms(problem);
  const std::shared_ptr<const Lowered> lowered = LoweredOf(problem);
  ASSERT_EQ(gemms.size(), 6u);
  ASSERT_EQ(lowered->all().count, gemms.size());
  for (std::size_t first = 0; first < gemms.size(); ++first) {
    for (std::size_t count = 1; first + count <= gemms.size(); ++count) {
      const std::span<const GemmSize> sizes = lowered->SizesOf({first, count});
      ASSERT_EQ(sizes.size(), count);
      ASSERT_EQ(lowered->FormsOf({first, count}).size(), count);
      for (std::size_t i = 0; i < count; ++i) {
        const SubGemm& gemm = gemms[first + i];
        EXPECT_EQ(sizes[i].rows, gemm.m) << first << " + " << i;
        EXPECT_EQ(sizes[i].columns, problem.c_per_group());
        EXPECT_EQ(sizes[i].terms, Taps(gemm) * problem.k_per_group()) << first << " + " << i;
      }
    }
  }
}

}  // namespace
}  // namespace gridwise::ck
