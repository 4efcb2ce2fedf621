// SPDX-License-Identifier: MIT
#include "core/arch/infinity_cache.h"

#include <cmath>

#include "core/arch/device_facts.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

TEST(InfinityCache, KeepsWhatIsNotReplacedBeforeItsNextUse) {
  for (const double fits : {0.0, 0.5, 1.0}) EXPECT_EQ(FractionCached(fits, 1), 1);
  double last = 1;
  for (const double x : {1.0001, 1.02, 1.1, 1.5, 2.0, 4.0, 16.0}) {
    const double cached = FractionCached(x * 256e6, 256e6);
    EXPECT_NEAR(cached, std::exp(-(1 - cached) * x), 1e-6) << x;
    EXPECT_LT(cached, last) << "1 is a solution too, of what does not fit a wrong one";
    last = cached;
  }
  EXPECT_NEAR(FractionCached(2, 1), 0.2032, 1e-4);
  EXPECT_EQ(FractionCached(1, 0), 0);
}

TEST(InfinityCache, MemoryLimitsOnceEnoughOfItIsGone) {
  const MachineFacts machine = DeviceFacts(Gfx::k942).machine;
  const double size = machine.mall_bytes, by_cache = 1 / machine.mall_gb_per_s;
  EXPECT_DOUBLE_EQ(MemoryNs(machine, size, 0), size * by_cache);
  EXPECT_DOUBLE_EQ(MemoryNs(machine, 1.02 * size, 0), 1.02 * size * by_cache);
  EXPECT_NEAR(MemoryNs(machine, 16 * size, 0), 16 * size / machine.dram_read_gb_per_s, 1);
  EXPECT_NEAR(MemoryNs(machine, 0, 16 * size), 16 * size / machine.dram_write_gb_per_s, 1);
  const MachineFacts hopper = DeviceFacts(Gfx::kSm90a).machine;
  EXPECT_EQ(MemoryNs(hopper, 1e6, 0), 1e6 / hopper.dram_read_gb_per_s);
}

}  // namespace
}  // namespace gridwise
