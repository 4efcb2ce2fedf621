#pragma once

#include "core/arch/target_traits.h"

#ifdef __gfx950__
#define GRIDWISE_THIS_TARGET k950
#define GRIDWISE_MMA_TABLE "core/arch/mma/gfx950.h"
#endif

namespace gridwise::targets {

/// MI355X. Sources: AMD CDNA4 ISA (kernel state, LDS, buffer resources) and the data sheet; atomics
/// as on gfx942, by the same document.
inline constexpr TargetTraits k950 = {
    .name = "gfx950",
    .product = "MI355X",
    .wave_size = 64,
    .lds_bytes = 160 << 10,
    .lds_banks = 64,
    .vgprs = 512,
    .compute_units = 256,
    .dies = 8,
    .simds_per_unit = 4,
    .clock_ghz = 2.4,
    .memory_gb_per_s = 8000,
    .memory_transfers = 4,
    .buffer_format = 0x00027000,
    .atomic_policy = 0,
    .mma_unit = MmaUnit::kMfma,
    .mma_double_k = true,
    .loads_chunks_to_lds = true,
    .reads_transposed = true,
    .aligned_vectors = false,
    .machine =
        {
            .sustained_ghz = 1.65,
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
            .gap_us = 2.7,
        },
};

}  // namespace gridwise::targets
