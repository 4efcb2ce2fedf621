#pragma once

#include "core/arch/row_kernel.h"
#include "core/arch/this_target.h"
#include "direct/kernel/bwd_weight.h"
#include "direct/kernel/gather.h"

/// Compiles the lines of <target>.inc, those of a shard: see gpu_kernel_table.

namespace gridwise::direct {

using enum DataType;

}  // namespace gridwise::direct

#define GRIDWISE_DIRECT_ROW(Kernel, Args, waves, ...)                                           \
  namespace gridwise::direct {                                                                  \
  static_assert(Reject(DirectConfig{__VA_ARGS__}, kThisTarget) == nullptr,                      \
                Sentence(Reject(DirectConfig{__VA_ARGS__}, kThisTarget)));                      \
  extern "C" GRIDWISE_KERNEL                                                                    \
      __attribute__((amdgpu_flat_work_group_size(waves * TraitsOf(kThisTarget).wave_size,       \
                                                 waves* TraitsOf(kThisTarget).wave_size))) void \
      GRIDWISE_ROW_SYMBOL(direct)(Args) {                                                       \
    Kernel<DirectConfig{__VA_ARGS__}, kThisTarget>();                                           \
  }                                                                                             \
  }

#define GATHER(...) \
  GRIDWISE_DIRECT_ROW(DirectGatherTile, DirectGatherArgs, kDirectGatherWaves, __VA_ARGS__)
#define WEIGHT(...) \
  GRIDWISE_DIRECT_ROW(DirectWeightTile, DirectWeightArgs, kDirectWeightWaves, __VA_ARGS__)
