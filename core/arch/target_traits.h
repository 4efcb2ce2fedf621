#pragma once

#include "core/arch/mma_shape.h"

namespace gridwise {

/// Facts of a target. A compute unit is what a workgroup runs on, which HIP calls a multiprocessor:
/// of RDNA a workgroup processor, which its data sheets count as two.
struct TargetTraits {
  const char* name;        // as the compiler spells it
  const char* product;     // a GPU that has it
  int wave_size;           // lanes
  int lds_bytes;           // per workgroup
  int unit_lds_bytes;      // that the workgroups of a compute unit share
  int lds_banks;           // 4 bytes each
  int vgprs;               // 32-bit registers that a lane can have, accumulation registers included
  int compute_units;       // of `product`: of RDNA workgroup processors, as HIP counts them
  int xcds;                // of `product` that have compute units, and an L2 each
  int simds_per_unit;      //
  int vector_caches;       // of a compute unit, each with an address unit
  double clock_ghz;        // peak engine clock of `product`
  double memory_gb_per_s;  // peak, of `product`
  int memory_gib;          // of `product`
  int memory_transfers;    // bits of a line of the memory's bus per clock, as HIP gives the clock
  unsigned buffer_format;  // word 3 of an untyped buffer resource
  int atomic_policy;       // cache policy of atomics that all of the device sees
  MmaUnit mma_unit;        // its matrix unit
  bool mma_double_k;       // f16 and bf16 MFMA with twice the k
  bool loads_chunks_to_lds;  // buffer loads of 16 bytes a lane, straight to LDS
  bool reads_transposed;     // of LDS: 4 x 16 elements of 2 bytes
  bool aligned_vectors;      // loads and stores of vectors must be aligned to their size

  /// Vector FMAs every target has; their layout is made for waves of 32 lanes. Hopper's kernels do
  /// without.
  constexpr bool Has(MmaUnit unit) const {
    return unit == mma_unit ||
           (unit == MmaUnit::kFma && wave_size == 32 && mma_unit != MmaUnit::kWgmma);
  }
};

}  // namespace gridwise
