// SPDX-License-Identifier: MIT
// The clock says of every layer what <target>_times.csv has.

#include <cstdlib>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "gridwise/conv.h"
#include "gtest/gtest.h"
#include "tests/plans/times.h"
#include "tools/gridwise/run/sim_report.h"

namespace gridwise {
namespace {

TEST(Clock, SaysWhatTheTableHas) {
  constexpr double kTolerance = 0.02;
  const std::optional<Gfx> gfx = ParseGfx(std::getenv("GRIDWISE_TEST_TARGET"));
  ASSERT_TRUE(gfx.has_value());
  const absl::StatusOr<std::vector<Layer>> layers = TimedLayers();
  ASSERT_TRUE(layers.ok()) << layers.status();
  const absl::StatusOr<std::vector<LayerTime>> times = ReadTimes(TimesPath(*gfx));
  ASSERT_TRUE(times.ok()) << times.status();
  int timed = 0;
  for (const Layer& layer : *layers) {
    const LayerTime* const time = FindTime(*times, layer);
    ASSERT_NE(time, nullptr) << layer.name;
    const absl::StatusOr<Plan> plan = MakePlan(layer.problem, *gfx, {.instance = time->instance});
    ASSERT_TRUE(plan.ok()) << plan.status();
    const absl::StatusOr<LayerTime> now = TimeLayer(layer, *plan, SimTiming::kBare);
    ASSERT_TRUE(now.ok()) << now.status();
    EXPECT_NEAR(now->us, time->us, kTolerance * time->us)
        << layer.name << ", " << time->direction << ", " << time->instance;
    ++timed;
  }
  EXPECT_GT(timed, 100);
}

}  // namespace
}  // namespace gridwise
