// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/product.h"

namespace gridwise::products {

/// MI210. Nobody has compared the clock with measurements of one.
inline constexpr Product kMi210 = {
    .name = "MI210",
    .full_name = "AMD Instinct MI210",
    .processor = "gfx90a",
    .compute_units = 104,
    .xcds = 1,
    .clock_ghz = 1.7,
    .memory_gb_per_s = 1638,
    .memory_gib = 64,
    .memory_bus_bits = 4096,
    .memory_transfers = 2,
    .machine =
        {
            .sustained_ghz = 1.5,
            .l2_bytes = 8 << 20,
            .l2_bytes_per_clk = 2950,
            .mall_bytes = 0,
            .mall_gb_per_s = 1638,
            .dram_read_gb_per_s = 1310,
            .dram_write_gb_per_s = 1500,
            .l2_latency_clk = 240,
            .mall_latency_ns = 335,
            .lds_read_bytes = 128,
            .lds_write_bytes = 73.6,
            .lds_granule = 512,
            .registers_of_simd = 512,
            .register_granule = 8,
            .waves_of_simd = 8,
            .launch_us = 4.2,
            .gap_us = 2.7,
        },
    .like = "MI300X",
    .source = "[M gpu-benches] rates and latencies of caches and memory",
};

/// Products, the one that the target stands for first. MI250 and MI250X are two devices each.
inline constexpr Product k90a[] = {
    kMi210,
    Like(kMi210, {.name = "MI250", .full_name = "AMD Instinct MI250"}),
    Like(kMi210, {.name = "MI250X", .full_name = "AMD Instinct MI250X", .compute_units = 110}),
};

}  // namespace gridwise::products
