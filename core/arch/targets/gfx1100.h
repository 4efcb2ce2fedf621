// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target_traits.h"

#ifdef __gfx1100__
#define GRIDWISE_THIS_TARGET k1100
#define GRIDWISE_MMA_TABLE "core/arch/mma/gfx1100.h"
#endif

namespace gridwise::targets {

/// RX 7900 XTX. Sources: AMD RDNA3 ISA (kernel state, LDS, buffer resources) and the data sheet.
/// Its unit is a compute unit, half of a workgroup processor. Atomics are done in L2, whatever the
/// bits: "Memory Model gfx11" of LLVM's User Guide for AMDGPU Backend.
inline constexpr TargetTraits k1100 = {
    .name = "gfx1100",
    .product = "RX 7900 XTX",
    .wave_size = 32,
    .lds_bytes = 64 << 10,
    .unit_lds_bytes = 128 << 10,
    .lds_banks = 32,
    .vgprs = 256,
    .compute_units = 48,
    .xcds = 1,
    .simds_per_unit = 4,
    .vector_caches = 2,
    .clock_ghz = 2.5,
    .memory_gb_per_s = 960,
    .memory_gib = 24,
    .memory_transfers = 16,
    .buffer_format = 0x31004000,
    .atomic_policy = 0,
    .mma_unit = MmaUnit::kWmma11,
    .mma_double_k = false,
    .loads_vectors_to_lds = false,
    .reads_transposed = false,
    .aligned_vectors = false,
};

}  // namespace gridwise::targets
