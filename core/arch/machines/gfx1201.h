// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/machine.h"

namespace gridwise::machines {

/// RX 9070 XT.
inline constexpr MachineFacts k1201 = {
    .sustained_ghz = 2.85,
    .l2_bytes = 8 << 20,
    .l2_bytes_per_clk = 1933,
    .mall_bytes = 64 << 20,
    .mall_gb_per_s = 2940,
    .dram_read_gb_per_s = 464,
    .dram_write_gb_per_s = 464,
    .l2_latency_clk = 205,
    .mall_latency_ns = 160,
    .lds_read_bytes = 128,
    .lds_write_bytes = 128,
    .lds_granule = 1024,
    .registers_of_simd = 1536,
    .register_granule = 24,
    .waves_of_simd = 16,
    .launch_us = 4,
    .gap_us = 4,
};

}  // namespace gridwise::machines
