// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/product.h"

namespace gridwise::products {

/// H100 SXM. Sources: the data sheet, a gap between launches that fits measurements, and 0 for what
/// is not known.
inline constexpr Product kH100Sxm = {
    .name = "H100 SXM",
    .full_name = "NVIDIA H100 80GB HBM3",
    .processor = "sm_90a",
    .compute_units = 132,
    .xcds = 1,
    .clock_ghz = 1.98,
    .memory_gb_per_s = 3350,
    .memory_gib = 80,
    .memory_bus_bits = 5120,
    .memory_transfers = 2,
    .machine =
        {
            .sustained_ghz = 1.98,
            .l2_bytes = 50 << 20,
            .l2_bytes_per_clk = 0,
            .mall_bytes = 0,
            .mall_gb_per_s = 0,
            .dram_read_gb_per_s = 3350,
            .dram_write_gb_per_s = 3350,
            .l2_latency_clk = 0,
            .mall_latency_ns = 0,
            .lds_read_bytes = 128,
            .lds_write_bytes = 128,
            .lds_granule = 128,
            .registers_of_simd = 512,
            .register_granule = 8,
            .waves_of_simd = 16,
            .launch_us = 0,
            .gap_us = 1.54,
        },
};

/// Products, the one that the target stands for first.
inline constexpr Product kSm90a[] = {
    kH100Sxm,
};

}  // namespace gridwise::products
