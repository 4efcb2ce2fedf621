// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/mma_shape.h"

namespace gridwise {

/// Facts of a target: what its kernels are compiled for. In what its products differ, see Product
/// (core/arch/product.h). A compute unit is the hardware that a workgroup runs on, which HIP calls
/// a multiprocessor: on RDNA a workgroup processor, which data sheets count as two.
struct TargetTraits {
  const char* name;           // in the compiler's spelling
  int wave_size;              // lanes
  int lds_bytes;              // per workgroup
  int unit_lds_bytes;         // shared by the workgroups of a compute unit
  int lds_banks;              // 4 bytes each
  int vgprs;                  // maximum 32-bit registers per lane, including accumulation registers
  int simds_per_unit;         //
  int vector_caches;          // per compute unit, each with an address unit
  unsigned buffer_format;     // word 3 of an untyped buffer resource
  int atomic_policy;          // cache policy of atomics that are visible to the whole device
  MmaUnit mma_unit;           // its matrix unit
  int mfma_generation;        // of CDNA, 2 to 4; 0 without MFMA
  bool loads_vectors_to_lds;  // 16 bytes per lane by buffer loads, straight to LDS
  bool reads_transposed;      // from LDS: 4 x 16 elements of 2 bytes
  bool aligned_vectors;       // loads and stores of vectors must be aligned to their size

  /// Every target has vector FMAs; their layout is made for waves of 32 lanes. Hopper's kernels do
  /// not use them.
  constexpr bool Has(MmaUnit unit) const {
    return unit == mma_unit ||
           (unit == MmaUnit::kFma && wave_size == 32 && mma_unit != MmaUnit::kWgmma);
  }
};

}  // namespace gridwise
