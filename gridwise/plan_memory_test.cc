// SPDX-License-Identifier: MIT
/// Planning keeps no memory: what a process holds does not grow with the plans that it has made.

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "gridwise/conv.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

/// No two numbers give the same problem. Each run of 192 has every direction with every number of
/// channels, and differs from the other runs only in its batch.
ConvProblem MakeProblem(int number) {
  const Dim dim = {.in = 16, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const int channels = 8 + 8 * (number / 3 % 64);
  return {.direction = kAllDirections[number % 3],
          .batch = 1 + number / 192,
          .c = channels,
          .k = channels,
          .dims = {Dim{}, dim, dim}};
}

/// For each tenth of the plans, the most bytes in use while they were made. A peak, because
/// planning remembers a limited number of earlier problems, and forgets them again.
std::vector<std::size_t> MeasurePeaks(int plans) {
  std::vector<std::size_t> peaks(10);
  for (int i = 0; i < plans; ++i) {
    const absl::StatusOr<Plan> plan = MakePlan(MakeProblem(i), Gfx::k942);
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::size_t& peak = peaks[static_cast<std::size_t>(i) * 10 / static_cast<std::size_t>(plans)];
    if (i % 16 == 0) peak = std::max(peak, static_cast<std::size_t>(mallinfo2().uordblks));
  }
  return peaks;
}

TEST(Memory, DoesNotGrowWithPlans) {
  const char* const text = std::getenv("GRIDWISE_TEST_PLANS");
  int plans = 0;
  ASSERT_TRUE(text != nullptr && absl::SimpleAtoi(text, &plans) && plans >= 10'000);
  const std::vector<std::size_t> peaks = MeasurePeaks(plans);
  // Four bytes for each plan in between would be more than this.
  const std::size_t allowed = peaks[2] + static_cast<std::size_t>(plans) * 7 / 10 * 4;
  EXPECT_LE(peaks.back(), allowed) << "a tenth of the plans: " << testing::PrintToString(peaks);
}

}  // namespace
}  // namespace gridwise
