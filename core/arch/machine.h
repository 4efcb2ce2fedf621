#pragma once

namespace gridwise {

/// How fast a target's product really is, beyond the data sheet's peaks of TargetTraits: what
/// bounds and estimates of time need.
///
/// Sources of AMD's: those of the simulator's machines (tools/sim/time/machine/machines.cc), whose
/// values these are, by a test of theirs. A compute unit is that of TargetTraits: of RDNA a
/// workgroup processor.
struct MachineFacts {
  double sustained_ghz;        // engine clock of long runs of dense matrix work
  double l2_bytes;             // of an XCD
  double l2_bytes_per_clk;     // that an XCD's L2 gives to its compute units
  double mall_bytes;           // Infinity Cache of the device
  double mall_gb_per_s;        // that it gives
  double dram_read_gb_per_s;   // as achieved
  double dram_write_gb_per_s;  //
  double l2_latency_clk;       // of a load that hits L2
  double mall_latency_ns;      // of one that L2 lacks
  double lds_read_bytes;       // a clock, of a compute unit
  double lds_write_bytes;      //
  double lds_granule;          // bytes that LDS is allocated by
  double registers_of_simd;    // that each lane of its waves shares
  double register_granule;     // that they are allocated by
  double waves_of_simd;        // at most
  double launch_us;            // of the first launch, besides its kernel
  double gap_us;               // from the end of a kernel to the start of the next one
};

}  // namespace gridwise
