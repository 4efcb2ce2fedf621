// SPDX-License-Identifier: MIT
#pragma once

namespace gridwise {

/// The real speed of a product, beyond the data sheet's peaks, for bounds and estimates of time.
///
/// Sources for AMD: those of the simulator's machines (tools/sim/time/machine/machines.cc), whose
/// values these are, which a test there checks; of other products, Product::source. A compute unit
/// is that of TargetTraits: on RDNA a workgroup processor.
struct MachineFacts {
  double sustained_ghz;        // engine clock in long runs of dense matrix work
  double l2_bytes;             // per XCD
  double l2_bytes_per_clk;     // from an XCD's L2 to its compute units
  double mall_bytes;           // Infinity Cache of the device
  double mall_gb_per_s;        // bandwidth of the Infinity Cache
  double dram_read_gb_per_s;   // measured
  double dram_write_gb_per_s;  //
  double l2_latency_clk;       // of a load that hits L2
  double mall_latency_ns;      // of a load that misses L2
  double lds_read_bytes;       // per clock and compute unit
  double lds_write_bytes;      //
  double lds_granule;          // allocation granularity of LDS
  double registers_of_simd;    // per SIMD, for each lane of its waves
  double register_granule;     // allocation granularity of registers
  double waves_of_simd;        // maximum per SIMD
  double launch_us;            // of the first launch, without its kernel
  double gap_us;               // from the end of a kernel to the start of the next one

  bool operator==(const MachineFacts&) const = default;
};

}  // namespace gridwise
