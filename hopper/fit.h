#pragma once

#include "core/arch/device_facts.h"

namespace gridwise::hopper {

/// What estimates need beyond a device's facts: fits to times that were measured on an H200, by
/// //benchmarks:fit. Cycles are those of its highest clock.
struct Fit {
  // Of the tensor core's rate: of one multiprocessor, and of all, which the power limit slows down.
  double efficiency = 0.713, efficiency_of_all = 0.69;
  // Bytes a cycle of L2: to one multiprocessor, and to all. And of device memory, of its peak.
  double l2 = 42.6, l2_of_all = 47.1, dram = 0.784;
  // Of long launches, whose clock falls until power affords them: how much slower products are
  // whose tiles load as many bytes again for each as tiles of 128 x 256 do.
  double power_of_loads = 0.6;
  // Cycles of a line of an operand that is loaded, and more of one that is filled up with zeros; of
  // x in backward-weight (by hand, of 30 layers of other channels on an H100). And more of one
  // that begins within a sector of the cache.
  double line = 1.92, filled_line = 9.6, filled_x = 5.5, unaligned_line = 3.6;
  double first_k_tile = 1500;  // cycles of a tile, from its first load to its first product
  double store = 7.08;         // bytes a cycle
  // Parts of a tile's store and first k tile that are not hidden: of shared tiles, and of those
  // that warpgroups take in turns; of the only tile of a workgroup, more of the store (by hand).
  double shared_store = 0.91, turns_store = 0.227, only_store = 0.37, turns_first_k_tile = 1.95;
  double launch = 11500, split = 640;            // cycles of the launch, and of adding splits up
  double exchange = 2970, exchange_rate = 6.38;  // of a cluster's sums: cycles, bytes a cycle
  // Of halo instances, how much faster than their parts one after the other: with tiles of one
  // product a warpgroup, and stages to spare; of larger tiles that warpgroups share, and that they
  // have alone (the second and the last of RetinaNet's layers on an H100, the others by hand on an
  // H200).
  double halo = 1.21, halo_stages = 1.36, halo_large = 0.943, halo_alone = 1.08;
  // Bytes a cycle of operands that products of few columns have in shared memory.
  double halo_dense = 72;

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [efficiency, efficiency_of_all, l2, l2_of_all, dram, power_of_loads, line, filled_line,
           filled_x, unaligned_line, first_k_tile, store, shared_store, turns_store, only_store,
           turns_first_k_tile, launch, split, exchange, exchange_rate, halo, halo_stages,
           halo_large, halo_alone, halo_dense] = self;
    visit("efficiency", efficiency);
    visit("efficiency_of_all", efficiency_of_all);
    visit("l2", l2);
    visit("l2_of_all", l2_of_all);
    visit("dram", dram);
    visit("power_of_loads", power_of_loads);
    visit("line", line);
    visit("filled_line", filled_line);
    visit("filled_x", filled_x);
    visit("unaligned_line", unaligned_line);
    visit("first_k_tile", first_k_tile);
    visit("store", store);
    visit("shared_store", shared_store);
    visit("turns_store", turns_store);
    visit("only_store", only_store);
    visit("turns_first_k_tile", turns_first_k_tile);
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

const Fit& TheFit();
/// Bytes a cycle of device memory.
double DramBytesPerCycle(const DeviceFacts& device);
/// The same to be changed, by a program that fits it: not while another thread estimates.
Fit& MutableFit();

}  // namespace gridwise::hopper
