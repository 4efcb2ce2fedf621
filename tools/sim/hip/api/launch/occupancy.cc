// SPDX-License-Identifier: MIT
#include "tools/sim/hip/launch/occupancy.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/hip7.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/module/function.h"
#include "tools/sim/hip/module/module.h"

// How many workgroups a compute unit holds.

namespace gridwise::sim {
namespace {

hipError_t ActiveBlocks(int* blocks, hipFunction_t function, int block_size, size_t lds_bytes) {
  if (blocks == nullptr || block_size <= 0) return Report(hipErrorInvalidValue);
  const Device& device = *function->module->device;
  *blocks = WorkgroupsPerMultiprocessor(device, *function->kernel,
                                        static_cast<uint32_t>(block_size), lds_bytes);
  return Report(hipSuccess);
}

// The block size that keeps most work-items on a unit, the largest one of those; and the grid that
// fills the device with it.
hipError_t BestBlock(int* grid_size, int* block_size, hipFunction_t function, size_t lds_bytes,
                     int limit) {
  if (grid_size == nullptr || block_size == nullptr || limit < 0)
    return Report(hipErrorInvalidValue);
  const Device& device = *function->module->device;
  const KernelInfo& kernel = *function->kernel;
  const uint32_t wave = static_cast<uint32_t>(kernel.wave_size);
  uint32_t largest = std::min<uint32_t>(kernel.max_workgroup, 1024);
  if (limit > 0) largest = std::min(largest, static_cast<uint32_t>(limit));
  uint32_t best = largest;
  int best_blocks = WorkgroupsPerMultiprocessor(device, kernel, largest, lds_bytes);
  for (uint32_t items = (largest - 1) / wave * wave; items >= wave; items -= wave) {
    const int blocks = WorkgroupsPerMultiprocessor(device, kernel, items, lds_bytes);
    if (uint64_t{items} * blocks <= uint64_t{best} * best_blocks) continue;
    best = items;
    best_blocks = blocks;
  }
  *block_size = static_cast<int>(best);
  *grid_size = best_blocks * device.properties.multiProcessorCount;
  return Report(hipSuccess);
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, hipFunction_t function,
                                                              int block_size, size_t lds_bytes) {
  if (!IsFunction(function)) return Report(hipErrorInvalidDeviceFunction);
  return ActiveBlocks(blocks, function, block_size, lds_bytes);
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, hipFunction_t function, int block_size, size_t lds_bytes, unsigned int) {
  return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size,
                                                            lds_bytes);
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                        int block_size, size_t lds_bytes) {
  hipFunction_t handle = nullptr;
  if (hipError_t error = CurrentFunction(function, &handle); error != hipSuccess) return error;
  return ActiveBlocks(blocks, handle, block_size, lds_bytes);
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                 int block_size, size_t lds_bytes,
                                                                 unsigned int) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, lds_bytes);
}

hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size,
                                                   hipFunction_t function, size_t lds_bytes,
                                                   int limit) {
  if (!IsFunction(function)) return Report(hipErrorInvalidDeviceFunction);
  return BestBlock(grid_size, block_size, function, lds_bytes, limit);
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* grid_size, int* block_size,
                                                            hipFunction_t function,
                                                            size_t lds_bytes, int limit,
                                                            unsigned int) {
  return hipModuleOccupancyMaxPotentialBlockSize(grid_size, block_size, function, lds_bytes, limit);
}

hipError_t hipOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, const void* function,
                                             size_t lds_bytes, int limit) {
  hipFunction_t handle = nullptr;
  if (hipError_t error = CurrentFunction(function, &handle); error != hipSuccess) return error;
  return BestBlock(grid_size, block_size, handle, lds_bytes, limit);
}

// The most with which as many workgroups fit, which fewer bytes do not make fewer.
hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function,
                                                    int workgroups, int block_size) {
  if (bytes == nullptr || workgroups <= 0 || block_size <= 0) return Report(hipErrorInvalidValue);
  hipFunction_t handle = nullptr;
  if (hipError_t error = CurrentFunction(function, &handle); error != hipSuccess) return error;
  const Device& device = *handle->module->device;
  const KernelInfo& kernel = *handle->kernel;
  const auto fit = [&](uint64_t lds_bytes) {
    return WorkgroupsPerMultiprocessor(device, kernel, static_cast<uint32_t>(block_size),
                                       lds_bytes) >= workgroups;
  };
  const uint64_t lds = device.properties.sharedMemPerBlock;
  if (!fit(0) || kernel.static_lds_bytes > lds) {
    return Report(hipErrorInvalidValue,
                  absl::StrFormat("kernel %s: a compute unit does not hold %d workgroups of %d "
                                  "work-items, whatever their LDS",
                                  kernel.shown_name, workgroups, block_size));
  }
  uint64_t least = 0, too_much = lds - kernel.static_lds_bytes + 1;
  for (; too_much - least > 1;) {
    const uint64_t middle = least + (too_much - least) / 2;
    (fit(middle) ? least : too_much) = middle;
  }
  *bytes = least;
  return Report(hipSuccess);
}

}  // extern "C"
