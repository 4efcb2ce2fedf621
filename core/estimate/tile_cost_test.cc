// SPDX-License-Identifier: MIT
#include "core/estimate/tile_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/estimate/split_k.h"
#include "core/estimate/tile_fit.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

/// Steps and work of some instance and problem, by chance.
class Chance {
 public:
  TileSteps Steps() {
    return {.tile_elements = Between(256, 65536),
            .element_bytes = 2,
            .resident = std::floor(Between(1, 8)),
            .matrix_cycles = Between(16, 4096),
            .k_tile_bytes = Between(1024, 65536),
            .line_bytes = Between(1024, 131072),
            .window_bytes = Between(0, 1e6),
            .window_part = Between(0, 1),
            .window_spread = Between(1, 8),
            .read_bytes = Between(1024, 131072),
            .written_bytes = Between(0, 65536),
            .lane_cycles = Between(0, 500),
            .swapped_elements = Between(0, 8192),
            .address_cycles = Between(0, 4096),
            .k_tiles_in_flight = static_cast<int>(Between(1, 5)),
            .of_workgroup = {Between(100, 5000), Between(100, 5000)},
            .of_step = {Between(0, 500), Between(0, 500)},
            .of_tap = {Between(0, 500), Between(0, 500)},
            .factor = Between(1, 1.2)};
  }
  Work SomeWork() {
    const double tiles = std::floor(Exponent(0, 9));
    return {.tiles = tiles,
            .steps = tiles * std::floor(Exponent(0, 14)),
            .max_steps = std::floor(Exponent(0, 16)),
            .out_elements = Exponent(8, 24),
            .tap_steps = tiles * std::floor(Exponent(0, 4))};
  }

 private:
  double Between(double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random_);
  }
  double Exponent(double low, double high) { return std::exp2(Between(low, high)); }

  std::mt19937_64 random_;
};

TEST(TileCost, IsOverItsBound) {
  Chance chance;
  int launches = 0, exceeds = 0, costs = 0, always_exceeds = 0;
  for (int i = 0; i < 2000; ++i) {
    for (const Gfx gfx : {Gfx::k942, Gfx::k1201}) {
      const DeviceFacts device = gfx;
      const Work work = chance.SomeWork();
      const TileCost cost(
          device, i % 2 == 0 ? FindTileFits(gfx).along_pixels : FindTileFits(gfx).along_channels,
          chance.Steps(), work);
      double least = std::numeric_limits<double>::infinity();
      for (int splits = 1; splits <= 1024; splits += (splits + 1) / 2) {
        const double cycles = cost.Of(splits).cycles;
        ASSERT_FALSE(cost.Exceeds(splits, std::pow(cycles, 8) * (1 + 1e-9)))
            << splits << " splits, the " << i;
        exceeds += cost.Exceeds(splits, std::pow(0.8 * cycles, 8));
        least = std::min(least, cycles);
        ++launches;
      }
      ASSERT_FALSE(cost.AlwaysExceeds(std::pow(least, 8) * (1 + 1e-9))) << "the " << i;
      always_exceeds += cost.AlwaysExceeds(std::pow(0.7 * least, 8));
      ++costs;
    }
  }
  EXPECT_GT(exceeds, launches / 2) << "or the bound says little";
  EXPECT_GT(always_exceeds, costs / 3) << "likewise";
}

// An XCD's L2 of 4 MB loses all of a window of 8 MB from tap to tap, of one of 6 MB half, and none
// of one that fits. Two splits of a tile have the same window.
TEST(TileCost, SplitsShareTheWindowOfTheirTile) {
  const DeviceFacts device = Gfx::k942;
  const double units = device.compute_units, mb = 1024.0 * 1024;
  const auto cycles_of_step = [&](double window_mb, int splits, double spread = 1) {
    TileSteps steps;
    steps.tile_elements = 16384;
    steps.element_bytes = 2;
    steps.k_tile_bytes = 16384;
    steps.window_bytes = window_mb * mb * device.xcds / units;
    steps.window_part = 0.5;
    steps.window_spread = spread;
    const Work work = {.tiles = units, .steps = 64 * units, .out_elements = 16384 * units};
    const TileCost cost(device, FindTileFits(Gfx::k942).along_channels, steps, work);
    return cost.Of(splits).memory_cycles / (64.0 / splits);
  };
  ASSERT_EQ(DeviceFacts(Gfx::k942).machine.l2_bytes, 4 * mb);
  EXPECT_DOUBLE_EQ(cycles_of_step(4, 1), cycles_of_step(0, 1));
  EXPECT_GT(cycles_of_step(8, 1), 1.5 * cycles_of_step(4, 1));
  EXPECT_DOUBLE_EQ(cycles_of_step(6, 1), (cycles_of_step(4, 1) + cycles_of_step(8, 1)) / 2);
  EXPECT_DOUBLE_EQ(cycles_of_step(8, 2), cycles_of_step(4, 1));
  EXPECT_DOUBLE_EQ(cycles_of_step(5, 1, 4), cycles_of_step(8, 1)) << "in a quarter of the sets";
  EXPECT_DOUBLE_EQ(cycles_of_step(4, 1, 4), cycles_of_step(4, 1));
}

// Tiles have 10 steps on average, and one of them has 40. If all run at once, it decides the time;
// if units compute many in turn, it does not show.
TEST(TileCost, TheLongestTileDecidesWhereAllRunAtOnce) {
  const DeviceFacts device = Gfx::k942;
  TileSteps steps;
  steps.tile_elements = 16384;
  steps.element_bytes = 2;
  steps.resident = 2;
  steps.matrix_cycles = 256;
  steps.k_tile_bytes = 16384;
  const auto cost_of = [&](double rounds, double mean, double most) {
    const double tiles = rounds * device.compute_units;
    const Work work = {.tiles = tiles, .steps = mean * tiles, .max_steps = most};
    return TileCost(device, FindTileFits(Gfx::k942).along_channels, steps, work).Of(1);
  };
  EXPECT_DOUBLE_EQ(cost_of(1, 10, 40).matrix_cycles, cost_of(1, 40, 40).matrix_cycles);
  EXPECT_DOUBLE_EQ(cost_of(1, 10, 40).alone_cycles, cost_of(1, 40, 40).alone_cycles);
  // Both of a unit's tiles are resident: it waits for the long one's loads, and multiplies for half
  // as many steps as of two such.
  EXPECT_DOUBLE_EQ(cost_of(2, 10, 40).matrix_cycles, cost_of(2, 20, 20).matrix_cycles);
  EXPECT_DOUBLE_EQ(cost_of(2, 10, 40).alone_cycles, cost_of(2, 40, 40).alone_cycles);
  EXPECT_DOUBLE_EQ(cost_of(8, 10, 40).cycles, cost_of(8, 10, 10).cycles);
  // Power is that of all work, whoever has it.
  EXPECT_DOUBLE_EQ(cost_of(1, 10, 40).power_cycles, cost_of(1, 10, 10).power_cycles);
}

// Where half of the units have two workgroups, these get what the others have to spare.
TEST(TileCost, WorkgroupsShareWhatIsBehindL2) {
  const DeviceFacts device = Gfx::k942;
  const MachineFacts machine = DeviceFacts(Gfx::k942).machine;
  TileSteps steps;
  steps.tile_elements = 16384;
  steps.element_bytes = 2;
  steps.k_tile_bytes = 16384;
  steps.window_bytes = 1e9;  // nothing of it stays in L2
  steps.window_part = 1;
  const auto cycles_of_step = [&](double rounds) {
    const double tiles = rounds * device.compute_units;
    const Work work = {.tiles = tiles, .steps = 64 * tiles};
    const Cost cost = TileCost(device, FindTileFits(Gfx::k942).along_channels, steps, work).Of(1);
    return cost.rounds * cost.memory_cycles / 64;
  };
  const double by_l2 =
      steps.k_tile_bytes * device.compute_units / (machine.l2_bytes_per_clk * device.xcds);
  const double by_mall =
      steps.k_tile_bytes * device.compute_units / (machine.mall_gb_per_s / device.clock_ghz);
  EXPECT_NEAR(cycles_of_step(1), by_l2 + by_mall, 1e-6 * by_mall);
  EXPECT_NEAR(cycles_of_step(1.5), 2 * by_l2 + 1.5 * by_mall, 1e-6 * by_mall);
  EXPECT_NEAR(cycles_of_step(2), 2 * by_l2 + 2 * by_mall, 1e-6 * by_mall);
}

TEST(ReadElements, CountsWhatSeveralLanesHoldAsOften) {
  // The lanes of an MFMA, and of a WMMA of RDNA4, hold each element once; those of a WMMA of RDNA3
  // twice, in both halves of the wave.
  EXPECT_EQ(ReadElements({MmaUnit::kMfma, 32, 32, 8}, 256, 128), 256 + 128);
  EXPECT_EQ(ReadElements({MmaUnit::kMfma, 4, 4, 4}, 256, 128), 256 + 128);
  EXPECT_EQ(ReadElements({MmaUnit::kWmma12, 16, 16, 16}, 256, 128), 256 + 128);
  EXPECT_EQ(ReadElements({MmaUnit::kWmma11, 16, 16, 16}, 256, 128), 2 * (256 + 128));
  // With vector FMAs, each of 32 lanes has 4 rows and 2 columns of 16 x 16: 8 lanes read an element
  // of A, and 4 one of B.
  EXPECT_EQ(ReadElements({MmaUnit::kFma, 16, 16, 4}, 256, 128), 8 * 256 + 4 * 128);
}

TEST(ChooseSplitK, ChoosesTheSameWithABound) {
  Chance chance;
  const DeviceFacts device = Gfx::k942;
  int estimates = 0, with_bound = 0, split = 0;
  for (int i = 0; i < 2000; ++i) {
    const Work work = chance.SomeWork();
    const TileCost cost(device, FindTileFits(Gfx::k942).along_pixels, chance.Steps(), work);
    const auto share = [&](int& count, absl::FunctionRef<bool(int, double)> exceeds) {
      const auto time_of = [&](int splits) {
        ++count;
        return EighthPowerOfCycles(cost.TermsOf(splits));
      };
      return ChooseSplitK({}, DataType::kF16, device, work, time_of, exceeds).splits;
    };
    const int splits = share(estimates, NoBound);
    ASSERT_EQ(share(with_bound, [&](int n, double time) { return cost.Exceeds(n, time); }), splits)
        << "the " << i;
    split += splits > 1;
  }
  EXPECT_GT(split, 200) << "or the test says little";
  EXPECT_LT(with_bound, 0.9 * estimates);
}

}  // namespace
}  // namespace gridwise
