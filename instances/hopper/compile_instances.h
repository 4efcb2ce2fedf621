// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/instance_kernel.h"
#include "hopper/base/reject.h"
#include "hopper/dense_halo/kernel.h"
#include "hopper/depthwise/kernel.h"
#include "hopper/gather/kernel.h"
#include "hopper/halo/kernel.h"
#include "hopper/halo_weight/kernel.h"
#include "hopper/line/kernel.h"
#include "hopper/narrow/kernel.h"
#include "hopper/phases/kernel.h"
#include "hopper/simt/kernel.h"
#include "hopper/weight/kernel.h"

/// Compiles the lines of <target>.inc, those of a shard: see gpu_kernel_table.

namespace gridwise::hopper {

using enum DataType;

}  // namespace gridwise::hopper

#define GRIDWISE_HOPPER_KERNEL(Args, run, kConfig)                                     \
  namespace gridwise::hopper {                                                         \
  static_assert(Reject(kConfig) == nullptr, Sentence(Reject(kConfig)));                \
  extern "C" GRIDWISE_KERNEL __attribute__((launch_bounds(kConfig.threads(), 1))) void \
  GRIDWISE_INSTANCE_SYMBOL(hopper)(const GRIDWISE_GRID_CONSTANT Args args) {           \
    run(args);                                                                         \
  }                                                                                    \
  }
#define GRIDWISE_HOPPER_INSTANCE(Roles, Args, kConfig) \
  GRIDWISE_HOPPER_KERNEL(Args, (RunRoles<kConfig.warpgroups(), Roles<kConfig>, Args>), kConfig)

#define FORWARD(...)                                \
  GRIDWISE_HOPPER_INSTANCE(GatherRoles, GatherArgs, \
                           (Config{.direction = Direction::kForward, __VA_ARGS__}))
#define BACKWARD_DATA(...)                          \
  GRIDWISE_HOPPER_INSTANCE(GatherRoles, GatherArgs, \
                           (Config{.direction = Direction::kBackwardData, __VA_ARGS__}))
#define WEIGHT(...)                                 \
  GRIDWISE_HOPPER_INSTANCE(WeightRoles, WeightArgs, \
                           (Config{.direction = Direction::kBackwardWeight, __VA_ARGS__}))
#define HALO_FORWARD(...)                       \
  GRIDWISE_HOPPER_INSTANCE(HaloRoles, HaloArgs, \
                           (HaloConfig{.direction = Direction::kForward, __VA_ARGS__}))
#define HALO_BACKWARD_DATA(...)                 \
  GRIDWISE_HOPPER_INSTANCE(HaloRoles, HaloArgs, \
                           (HaloConfig{.direction = Direction::kBackwardData, __VA_ARGS__}))
#define HALO_DENSE(...) \
  GRIDWISE_HOPPER_INSTANCE(HaloDenseRoles, HaloArgs, (HaloDenseConfig{__VA_ARGS__}))
#define PHASES(...) GRIDWISE_HOPPER_INSTANCE(PhasesRoles, GatherArgs, (PhasesConfig{__VA_ARGS__}))
#define LINE(...) GRIDWISE_HOPPER_INSTANCE(LineRoles, HaloArgs, (LineConfig{__VA_ARGS__}))
#define HALO_WEIGHT(...) \
  GRIDWISE_HOPPER_INSTANCE(HaloWeightRoles, HaloArgs, (HaloWeightConfig{__VA_ARGS__}))
#define NARROW_WEIGHT(...)                                                                      \
  GRIDWISE_HOPPER_KERNEL(                                                                       \
      HaloArgs, (RunWarpRoles<NarrowWeightRoles<(NarrowWeightConfig{__VA_ARGS__})>, HaloArgs>), \
      (NarrowWeightConfig{__VA_ARGS__}))
#define DEPTHWISE_WEIGHT(...)                                                                      \
  GRIDWISE_HOPPER_KERNEL(DepthwiseWeightArgs,                                                      \
                         (RunWarpRoles<DepthwiseWeightRoles<(DepthwiseWeightConfig{__VA_ARGS__})>, \
                                       DepthwiseWeightArgs>),                                      \
                         (DepthwiseWeightConfig{__VA_ARGS__}))
#define SIMT(...)                                                          \
  GRIDWISE_HOPPER_KERNEL(SimtArgs, (SimtTiles<(SimtConfig{__VA_ARGS__})>), \
                         (SimtConfig{__VA_ARGS__}))
