#pragma once

#include "core/arch/device_facts.h"
#include "core/arch/target.h"

namespace gridwise {

/// How fast a target's product really is, beyond the data sheet's peaks of TargetTraits: what
/// bounds and estimates of time need. Host only.
struct MachineFacts {
  double sustained_ghz;        // engine clock of long runs of dense matrix work
  double l2_bytes;             // of a die
  double l2_bytes_per_clk;     // that a die's L2 gives to its compute units
  double mall_bytes;           // Infinity Cache of the device
  double mall_gb_per_s;        // that it gives
  double dram_read_gb_per_s;   // as achieved
  double dram_write_gb_per_s;  //
  double l2_latency_clk;       // of a load that hits L2
  double mall_latency_ns;      // of one that L2 lacks
  double lds_read_bytes;       // a clock, of a compute unit
  double lds_write_bytes;      //
  double launch_us;            // of the first launch, besides its kernel
  double gap_us;               // from the end of a kernel to the start of the next one
};

/// Sources: those of the simulator's machines (tools/sim/time/machine/machines.cc), whose values
/// these are, by a test of theirs; RDNA's compute units have half of a workgroup processor's LDS
/// each. Hopper: the data sheet, a gap that fits measurements, and 0 for what is not known.
constexpr MachineFacts MachineFactsOf(Gfx gfx) {
  switch (gfx) {
    case Gfx::k942:
      return {.sustained_ghz = 1.2,
              .l2_bytes = 4 << 20,
              .l2_bytes_per_clk = 1697,
              .mall_bytes = 256 << 20,
              .mall_gb_per_s = 6420,
              .dram_read_gb_per_s = 3960,
              .dram_write_gb_per_s = 4420,
              .l2_latency_clk = 288,
              .mall_latency_ns = 234,
              .lds_read_bytes = 128,
              .lds_write_bytes = 73.6,
              .launch_us = 2.7,
              .gap_us = 2.7};
    case Gfx::k950:
      return {.sustained_ghz = 1.65,
              .l2_bytes = 4 << 20,
              .l2_bytes_per_clk = 1600,
              .mall_bytes = 256 << 20,
              .mall_gb_per_s = 8500,
              .dram_read_gb_per_s = 6000,
              .dram_write_gb_per_s = 5160,
              .l2_latency_clk = 256,
              .mall_latency_ns = 202,
              .lds_read_bytes = 220,
              .lds_write_bytes = 75.1,
              .launch_us = 2.7,
              .gap_us = 2.7};
    case Gfx::k1100:
      return {.sustained_ghz = 2.4,
              .l2_bytes = 6 << 20,
              .l2_bytes_per_clk = 2848,
              .mall_bytes = 96 << 20,
              .mall_gb_per_s = 4240,
              .dram_read_gb_per_s = 732,
              .dram_write_gb_per_s = 732,
              .l2_latency_clk = 227,
              .mall_latency_ns = 150,
              .lds_read_bytes = 128,
              .lds_write_bytes = 128,
              .launch_us = 4,
              .gap_us = 4};
    case Gfx::k1201:
      return {.sustained_ghz = 2.85,
              .l2_bytes = 8 << 20,
              .l2_bytes_per_clk = 1933,
              .mall_bytes = 64 << 20,
              .mall_gb_per_s = 2940,
              .dram_read_gb_per_s = 464,
              .dram_write_gb_per_s = 464,
              .l2_latency_clk = 205,
              .mall_latency_ns = 160,
              .lds_read_bytes = 64,
              .lds_write_bytes = 64,
              .launch_us = 4,
              .gap_us = 4};
    case Gfx::kSm90a: {
      const TargetTraits target = TraitsOf(gfx);
      return {.sustained_ghz = target.clock_ghz,
              .l2_bytes = 50 << 20,
              .l2_bytes_per_clk = 0,
              .mall_bytes = 0,
              .mall_gb_per_s = 0,
              .dram_read_gb_per_s = target.memory_gb_per_s,
              .dram_write_gb_per_s = target.memory_gb_per_s,
              .l2_latency_clk = 0,
              .mall_latency_ns = 0,
              .lds_read_bytes = 128,
              .lds_write_bytes = 128,
              .launch_us = 0,
              .gap_us = 1.54};
    }
  }
  return {};
}

/// The clock in GHz that estimates count cycles of: the one of long runs, as much below the
/// device's peak as the product's.
constexpr double EstimateGhz(const DeviceFacts& device) {
  return MachineFactsOf(device.gfx).sustained_ghz * device.clock_ghz /
         TraitsOf(device.gfx).clock_ghz;
}

}  // namespace gridwise
