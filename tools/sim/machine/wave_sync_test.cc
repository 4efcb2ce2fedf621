// SPDX-License-Identifier: MIT
#include "tools/sim/machine/wave_sync.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
namespace {

using enum WaveSyncOperation;

TEST(WaveSync, BarrierOpensWithTheLastWave) {
  WaveSync sync;
  constexpr uint32_t kWaves = 4;
  std::vector<uint32_t> tickets(kWaves);
  uint32_t none = 0;
  EXPECT_TRUE(sync.Do(kInit, 3, kWaves - 1, none));
  for (int barrier = 0; barrier < 3; ++barrier) {
    for (uint32_t w = 0; w + 1 < kWaves; ++w) {
      EXPECT_FALSE(sync.Do(kBarrier, 3, kWaves - 1, tickets[w]));
      EXPECT_FALSE(sync.Do(kBarrier, 3, kWaves - 1, tickets[w])) << "asking again is no arrival";
    }
    EXPECT_TRUE(sync.Do(kBarrier, 3, kWaves - 1, tickets[kWaves - 1]));
    // A wave may come to the next barrier before the others have left this one.
    EXPECT_TRUE(sync.Do(kBarrier, 3, kWaves - 1, tickets[0]));
    if (barrier == 2) EXPECT_FALSE(sync.Do(kBarrier, 3, kWaves - 1, tickets[0]));
    for (uint32_t w = 1; w + 1 < kWaves; ++w)
      EXPECT_TRUE(sync.Do(kBarrier, 3, kWaves - 1, tickets[w]));
  }
}

TEST(WaveSync, SemaphoreLetsAsManyInAsWereGiven) {
  WaveSync sync;
  uint32_t a = 0, b = 0, c = 0, none = 0;
  EXPECT_FALSE(sync.Do(kTake, 5, 0, a));
  EXPECT_FALSE(sync.Do(kTake, 5, 0, b));
  EXPECT_TRUE(sync.Do(kGive, 5, 0, none));
  EXPECT_FALSE(sync.Do(kTake, 6, 0, c)) << "another resource";
  EXPECT_TRUE(sync.Do(kTake, 5, 0, b));
  EXPECT_FALSE(sync.Do(kTake, 5, 0, a));
  EXPECT_TRUE(sync.Do(kGiveMany, 5 + WaveSync::kResources, 2, none));
  EXPECT_TRUE(sync.Do(kTake, 5, 0, a));
  EXPECT_TRUE(sync.Do(kTake, 5, 0, a));
  EXPECT_FALSE(sync.Do(kTake, 5, 0, a));
  EXPECT_FALSE(sync.Do(kTake, 5, 0, b));
  EXPECT_TRUE(sync.Do(kReleaseAll, 5, 0, none));
  EXPECT_TRUE(sync.Do(kTake, 5, 0, a));
  EXPECT_TRUE(sync.Do(kTake, 5, 0, b));
  EXPECT_FALSE(sync.Do(kTake, 5, 0, none)) << "all are two";
}

}  // namespace
}  // namespace gridwise::sim
