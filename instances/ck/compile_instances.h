// SPDX-License-Identifier: MIT
#pragma once

#include "ck/gemm/args.h"
#include "ck/gemm/functions.h"
#include "ck/gemm/kernel.h"
#include "ck/gemm/reject.h"
#include "core/arch/instance_kernel.h"
#include "core/arch/this_target.h"

/// Compiles the lines of <target>.inc, those of a shard: see gpu_kernel_table.

namespace gridwise::ck {

using enum DataType;
using enum Function;
using enum MmaUnit;
using enum Schedule;
using enum Walk;

}  // namespace gridwise::ck

#define INSTANCE(ops, ...)                                                                       \
  namespace gridwise::ck {                                                                       \
  static_assert(Reject(GemmConfig{__VA_ARGS__}, kThisTarget) == nullptr,                         \
                Sentence(Reject(GemmConfig{__VA_ARGS__}, kThisTarget)));                         \
  extern "C" GRIDWISE_KERNEL                                                                     \
      __attribute__((amdgpu_flat_work_group_size(GemmConfig{__VA_ARGS__}.threads(),              \
                                                 GemmConfig{__VA_ARGS__}.threads()),             \
                     amdgpu_waves_per_eu(WavesPerSimd(GemmConfig{__VA_ARGS__}.occupancy)))) void \
          GRIDWISE_INSTANCE_SYMBOL(ck)(GemmArgs<FunctionsOf<GemmConfig{__VA_ARGS__}>>) {         \
    Gemm<GemmConfig{__VA_ARGS__}, FunctionsOf<GemmConfig{__VA_ARGS__}>>();                       \
  }                                                                                              \
  }
