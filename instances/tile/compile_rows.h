#pragma once

#include "core/arch/this_target.h"
#include "tile/config.h"

/// What the sources of kernel tables share. GRIDWISE_SHARD and GRIDWISE_SHARDS come from
/// gpu_kernel_table.

namespace gridwise::tile {

/// Declares the kernel of `row`, a TileConfig: threads of a workgroup, and waves per SIMD.
#define GRIDWISE_ROW_KERNEL(row)                                                                \
  GRIDWISE_KERNEL __attribute__((amdgpu_flat_work_group_size((row).threads(), (row).threads()), \
                                 amdgpu_waves_per_eu((row).occupancy))) void

/// Calls kernel.operator()<kRow>(), which names and so compiles a kernel, for each row of this
/// shard that suits the target.
template <const auto& kRows, int kRow = GRIDWISE_SHARD, class Kernel>
void CompileRows(Kernel kernel) {
  if constexpr (kRow < static_cast<int>(kRows.size())) {
    if constexpr (Reject(kRows[kRow], kThisTarget) == nullptr) kernel.template operator()<kRow>();
    CompileRows<kRows, kRow + GRIDWISE_SHARDS>(kernel);
  }
}

}  // namespace gridwise::tile
