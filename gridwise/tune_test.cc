// SPDX-License-Identifier: MIT
/// Tune measures plans on the simulator, by its own time and, in a second target, by its clock.

#include "gridwise/tune.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

/// Tensors of a problem on the device of GRIDWISE_TEST_TARGET.
class TuneTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* const target = std::getenv("GRIDWISE_TEST_TARGET");
    const absl::StatusOr<DeviceInfo> device = FindDevice(target == nullptr ? "" : target);
    ASSERT_TRUE(device.ok()) << device.status();
    ASSERT_TRUE(UseDevice(*device).ok());
    const Dim dim = {.in = 12, .filter = 3, .pad_begin = 1, .pad_end = 1};
    problem_ = {.direction = Direction::kBackwardWeight,
                .batch = 2,
                .c = 64,
                .k = 64,
                .dims = {Dim{}, dim, dim}};
    for (const std::int64_t elements :
         {problem_.a_elements(), problem_.b_elements(), problem_.out_elements()}) {
      absl::StatusOr<DeviceBuffer> buffer =
          DeviceBuffer::Allocate(elements * SizeOf(problem_.type));
      ASSERT_TRUE(buffer.ok()) << buffer.status();
      ASSERT_TRUE(buffer->Fill(0).ok());
      buffers_.push_back(*std::move(buffer));
    }
  }
  ConvTensors Tensors() const {
    return {.a = buffers_[0].data(), .b = buffers_[1].data(), .out = buffers_[2].data()};
  }

  ConvProblem problem_;
  std::vector<DeviceBuffer> buffers_;
};

TEST_F(TuneTest, MeasuresTheFirstPlans) {
  const absl::StatusOr<TuneResult> result = Tune(problem_, Tensors(), {.plans = 3});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(std::string(Name(result->clock)), std::getenv("GRIDWISE_TEST_CLOCK"));
  EXPECT_TRUE(result->is_complete);
  ASSERT_EQ(result->plans.size(), 3u);
  std::set<std::string> instances;
  double last = 0;
  for (const PlanTime& time : result->plans) {
    EXPECT_TRUE(time.status.ok()) << time.status;
    EXPECT_GT(time.milliseconds, 0);
    EXPECT_GE(time.milliseconds, last);
    last = time.milliseconds;
    instances.insert(time.plan.instance());
  }
  const absl::StatusOr<std::vector<Plan>> ranked = RankPlans(problem_, result->best().device(), 3);
  ASSERT_TRUE(ranked.ok());
  for (const Plan& plan : *ranked)
    EXPECT_TRUE(instances.contains(plan.instance())) << plan.instance();
  if (result->clock == EventClock::kSimulated) {
    EXPECT_LT(last, 1) << "milliseconds of a GPU, not of simulating it";
  }
}

TEST_F(TuneTest, KeepsATimeLimit) {
  const absl::StatusOr<TuneResult> result =
      Tune(problem_, Tensors(), {.plans = 3, .time_limit_s = 0});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->plans.size(), 1u);
  EXPECT_FALSE(result->is_complete);
}

TEST_F(TuneTest, ErrorsAreThoseOfPlansAndLaunches) {
  EXPECT_EQ(Tune(problem_, Tensors(), {.plans = 0}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Tune(problem_, Tensors(), {.runs = 0}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Tune(problem_, {}).status().message(),
            "tensor a is null; the plan's tensors must be device memory");
}

}  // namespace
}  // namespace gridwise
