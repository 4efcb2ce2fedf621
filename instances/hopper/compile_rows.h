#pragma once

#include "core/arch/row_kernel.h"
#include "hopper/kernel/gather.h"
#include "hopper/kernel/weight.h"

/// Compiles the lines of <target>.inc, those of a shard: see gpu_kernel_table.

namespace gridwise::hopper {

using enum DataType;

}  // namespace gridwise::hopper

#define GRIDWISE_HOPPER_ROW(Roles, Args, kConfig)                                        \
  namespace gridwise::hopper {                                                           \
  static_assert(Reject(kConfig) == nullptr, Sentence(Reject(kConfig)));                  \
  extern "C" GRIDWISE_KERNEL __attribute__((launch_bounds((kConfig).threads(), 1))) void \
  GRIDWISE_ROW_SYMBOL(hopper)(const GRIDWISE_GRID_CONSTANT Args args) {                  \
    RunRoles<kConfig, Roles<kConfig>>(args);                                             \
  }                                                                                      \
  }
#define GRIDWISE_HOPPER_CONFIG(way, ...) (Config{.direction = Direction::way, __VA_ARGS__})

#define FORWARD(...) \
  GRIDWISE_HOPPER_ROW(GatherRoles, GatherArgs, GRIDWISE_HOPPER_CONFIG(kForward, __VA_ARGS__))
#define BACKWARD_DATA(...) \
  GRIDWISE_HOPPER_ROW(GatherRoles, GatherArgs, GRIDWISE_HOPPER_CONFIG(kBackwardData, __VA_ARGS__))
#define WEIGHT(...) \
  GRIDWISE_HOPPER_ROW(WeightRoles, WeightArgs, GRIDWISE_HOPPER_CONFIG(kBackwardWeight, __VA_ARGS__))
