// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/machine.h"

namespace gridwise::machines {

/// MI300X.
inline constexpr MachineFacts k942 = {
    .sustained_ghz = 1.2,
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
    .lds_granule = 512,
    .registers_of_simd = 512,
    .register_granule = 8,
    .waves_of_simd = 8,
    .launch_us = 2.7,
    .gap_us = 2.7,
};

}  // namespace gridwise::machines
