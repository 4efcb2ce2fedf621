// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/machine.h"

namespace gridwise::machines {

/// RX 7900 XTX.
inline constexpr MachineFacts k1100 = {
    .sustained_ghz = 2.4,
    .l2_bytes = 6 << 20,
    .l2_bytes_per_clk = 2848,
    .mall_bytes = 96 << 20,
    .mall_gb_per_s = 4240,
    .dram_read_gb_per_s = 732,
    .dram_write_gb_per_s = 732,
    .l2_latency_clk = 227,
    .mall_latency_ns = 150,
    .lds_read_bytes = 256,
    .lds_write_bytes = 256,
    .lds_granule = 1024,
    .registers_of_simd = 1536,
    .register_granule = 24,
    .waves_of_simd = 16,
    .launch_us = 4,
    .gap_us = 4,
};

}  // namespace gridwise::machines
