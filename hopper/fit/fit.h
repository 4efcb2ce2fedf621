// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/device_facts.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"

namespace gridwise::hopper {

/// Constants that estimates need in addition to a device's facts. //benchmarks:fit fitted them to
/// times measured on an H200. Cycles are those of its highest clock.
struct Fit {
  // Fractions of the tensor core's rate: one SM alone, and all SMs, which the power limit slows
  // down.
  double efficiency = 0.713, efficiency_of_all = 0.69;
  // Bytes per cycle of L2, to one SM and to all. For device memory, the fraction of its peak.
  double l2 = 42.6, l2_of_all = 47.1, dram = 0.784;
  // Long launches, in which the clock falls until the power suffices: the slowdown of products
  // whose tiles load twice as many bytes per product as tiles of 128 x 256.
  double power_of_loads = 0.6;
  // Cycles of a loaded line of an operand, and additional cycles: if it does not exist, so that all
  // of it is filled with zeros; if a part of it is (between 3.3 for A of backward-data and 2.2 for
  // both operands of forward, from 50,671 times on an H200); if a part of a line of x in
  // backward-weight is (by hand, from 30 layers of other channels on an H100); and if it begins
  // within a sector of the cache.
  double line = 1.92, filled_line = 9.6, partial_line = 2.8, filled_x = 5.5, unaligned_line = 3.6;
  // Cycles of another box of columns (by hand, from 26 boxes in tiles of 128 x 216 on an H200).
  double box = 27;
  double first_k_tile = 1500;  // from a tile's first load to its first product
  double store = 7.08;         // bytes per cycle
  // Parts of a tile's store and first k tile that are not hidden: for shared tiles, and for tiles
  // that warpgroups take in turns. For the only tile of a workgroup, the additional part of the
  // store (by hand).
  double shared_store = 0.91, pingpong_store = 0.227, only_store = 0.37,
         pingpong_first_k_tile = 1.95;
  double launch = 11500, split = 640;            // cycles of the launch, and of adding splits
  double exchange = 2970, exchange_rate = 6.38;  // sums in a cluster: cycles, bytes per cycle
  // Speedup of halo instances over their parts in sequence: tiles with one product per warpgroup;
  // tiles with stages to spare; larger tiles that warpgroups share; larger tiles that warpgroups
  // have alone. The second and the last are from RetinaNet's layers on an H100, the others by hand
  // on an H200.
  double halo = 1.21, halo_stages = 1.36, halo_large = 0.943, halo_alone = 1.08;
  // Bytes per cycle at which products of few columns read operands from shared memory.
  double halo_dense = 72;

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [efficiency, efficiency_of_all, l2, l2_of_all, dram, power_of_loads, line, filled_line,
           partial_line, filled_x, unaligned_line, box, first_k_tile, store, shared_store,
           pingpong_store, only_store, pingpong_first_k_tile, launch, split, exchange,
           exchange_rate, halo, halo_stages, halo_large, halo_alone, halo_dense] = self;
    visit("efficiency", efficiency);
    visit("efficiency_of_all", efficiency_of_all);
    visit("l2", l2);
    visit("l2_of_all", l2_of_all);
    visit("dram", dram);
    visit("power_of_loads", power_of_loads);
    visit("line", line);
    visit("filled_line", filled_line);
    visit("partial_line", partial_line);
    visit("filled_x", filled_x);
    visit("unaligned_line", unaligned_line);
    visit("box", box);
    visit("first_k_tile", first_k_tile);
    visit("store", store);
    visit("shared_store", shared_store);
    visit("pingpong_store", pingpong_store);
    visit("only_store", only_store);
    visit("pingpong_first_k_tile", pingpong_first_k_tile);
    visit("launch", launch);
    visit("split", split);
    visit("exchange", exchange);
    visit("exchange_rate", exchange_rate);
    visit("halo", halo);
    visit("halo_stages", halo_stages);
    visit("halo_large", halo_large);
    visit("halo_alone", halo_alone);
    visit("halo_dense", halo_dense);
  }
};

/// The constants of kernels whose K is channels, and of those of 16-bit types whose K is pixels
/// (backward-weight).
struct Fits {
  Fit along_channels, along_pixels;

  constexpr const Fit& Of(const ConvProblem& problem) const {
    return IsAlongPixels(problem) ? along_pixels : along_channels;
  }
  static constexpr bool IsAlongPixels(const ConvProblem& problem) {
    return problem.direction == Direction::kBackwardWeight && SizeOf(problem.type) == 2;
  }
};

/// The built-in constants. Those of backward-weight are a fit to 3,883 times of 730 problems on an
/// H200: f32 sums of splits stay in L2, so they are stored faster than outputs; a line of dy or x
/// that is filled up takes little longer; and launches, which are shorter than those of other
/// directions, run at a higher clock.
inline constexpr Fits kFits = {.along_channels = {},
                               .along_pixels = {.efficiency = 0.80,
                                                .efficiency_of_all = 0.80,
                                                .dram = 0.716,
                                                .line = 2.64,
                                                .partial_line = 2.2,
                                                .filled_x = 2.25,
                                                .unaligned_line = 2.6,
                                                .first_k_tile = 1120,
                                                .store = 45,
                                                .launch = 8100,
                                                .split = 1,
                                                .exchange = 2660,
                                                .exchange_rate = 10.5}};
/// The constants of a request's estimates.
inline const Fit& FitOf(const PartRequest& request) {
  const auto* set = request.FindFit<Fits>();
  return (set != nullptr ? *set : kFits).Of(request.problem);
}

/// Returns bytes per cycle of device memory.
inline double DramBytesPerCycle(const DeviceFacts& device, const Fit& fit) {
  return fit.dram * device.memory_gb_per_s / device.clock_ghz;
}

}  // namespace gridwise::hopper
