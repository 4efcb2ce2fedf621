// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/instance_kernel.h"
#include "core/arch/this_target.h"
#include "direct/kernel/bwd_weight.h"
#include "direct/kernel/gather.h"

/// Compiles the lines of <target>.inc, those of a shard: see gpu_kernel_table.

namespace gridwise::direct {

using enum DataType;

}  // namespace gridwise::direct

#if defined(__NVPTX__)
#define GRIDWISE_DIRECT_KERNEL(Kernel, Args, threads, kConfig)                               \
  extern "C" GRIDWISE_KERNEL __attribute__((launch_bounds(threads, +kConfig.resident))) void \
  GRIDWISE_INSTANCE_SYMBOL(direct)(const __attribute__((grid_constant)) Args args) {         \
    Kernel<kConfig, kThisTarget>(args);                                                      \
  }
#else
#define GRIDWISE_DIRECT_KERNEL(Kernel, Args, threads, kConfig)                                   \
  extern "C" GRIDWISE_KERNEL                                                                     \
      __attribute__((amdgpu_flat_work_group_size(threads, threads),                              \
                     amdgpu_waves_per_eu(WavesPerSimd(FewestWaves(kConfig, kThisTarget))))) void \
      GRIDWISE_INSTANCE_SYMBOL(direct)(Args) {                                                   \
    Kernel<kConfig, kThisTarget>(KernelArgs<Args>());                                            \
  }
#endif

#define GRIDWISE_DIRECT_INSTANCE(Kernel, Args, waves, ...)                     \
  namespace gridwise::direct {                                                 \
  static_assert(Reject(DirectConfig{__VA_ARGS__}, kThisTarget) == nullptr,     \
                Sentence(Reject(DirectConfig{__VA_ARGS__}, kThisTarget)));     \
  GRIDWISE_DIRECT_KERNEL(Kernel, Args, waves* TraitsOf(kThisTarget).wave_size, \
                         (DirectConfig{__VA_ARGS__}))                          \
  }

#define GATHER(...) \
  GRIDWISE_DIRECT_INSTANCE(DirectGatherTile, DirectGatherArgs, kDirectGatherWaves, __VA_ARGS__)
#define WEIGHT(...) \
  GRIDWISE_DIRECT_INSTANCE(DirectWeightTile, DirectWeightArgs, kDirectWeightWaves, __VA_ARGS__)
