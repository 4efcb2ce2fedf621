// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target_traits.h"

// gfx1170 and later processors of GFX11 are not here: they have the matrix instructions of gfx12.
#if defined(__gfx1100__) || defined(__gfx1101__) || defined(__gfx1102__) || \
    defined(__gfx1103__) || defined(__gfx1150__) || defined(__gfx1151__) || \
    defined(__gfx1152__) || defined(__gfx1153__) || defined(__gfx11_generic__)
#define GRIDWISE_THIS_TARGET k1100
#define GRIDWISE_MMA_TABLE "core/arch/mma/gfx1100.h"
#if !defined(__gfx1100__) && !defined(__gfx1101__) && !defined(__gfx1151__)
#define GRIDWISE_HAS_TWO_THIRDS_OF_REGISTERS  // 1024 of a SIMD, for each lane, in place of 1536
#endif
#endif

namespace gridwise::targets {

/// RDNA3 and 3.5. Sources: AMD RDNA3 ISA (kernel state, LDS, buffer resources). A unit is a
/// workgroup processor. Atomics are done in L2, whatever the bits: "Memory Model gfx11" of LLVM's
/// User Guide for AMDGPU Backend.
inline constexpr TargetTraits k1100 = {
    .name = "gfx1100",
    .wave_size = 32,
    .lds_bytes = 64 << 10,
    .unit_lds_bytes = 128 << 10,
    .lds_banks = 32,
    .vgprs = 256,
    .simds_per_unit = 4,
    .vector_caches = 2,
    .buffer_format = 0x31004000,
    .atomic_policy = 0,
    .mma_unit = MmaUnit::kWmma11,
    .mfma_generation = 0,
    .loads_vectors_to_lds = false,
    .reads_transposed = false,
    .aligned_vectors = false,
};

}  // namespace gridwise::targets
