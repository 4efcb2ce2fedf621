// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/launch/arguments.h"
#include "tools/sim/hip/launch/launch.h"
#include "tools/sim/hip/launch/occupancy.h"
#include "tools/sim/hip/module/module.h"

// Checks and copies that a launch needs before it runs, now or as part of a graph.

namespace gridwise::sim {
namespace {

// `extra` of hipModuleLaunchKernel: a list of keys and values.
absl::StatusOr<std::span<const std::byte>> ReadExtra(void** extra) {
  const void* pointer = nullptr;
  size_t bytes = 0;
  for (; extra != nullptr && *extra != HIP_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == HIP_LAUNCH_PARAM_BUFFER_POINTER) {
      pointer = extra[1];
    } else if (*extra == HIP_LAUNCH_PARAM_BUFFER_SIZE) {
      bytes = *static_cast<const size_t*>(extra[1]);
    } else {
      return absl::InvalidArgumentError("the launch's extra list has a key that is not known");
    }
  }
  if (pointer == nullptr && bytes != 0) {
    return absl::InvalidArgumentError(
        "the launch's extra list has a size and no HIP_LAUNCH_PARAM_BUFFER_POINTER");
  }
  return std::span(static_cast<const std::byte*>(pointer), bytes);
}

absl::Status CheckGrid(const KernelInfo& kernel, const Grid& grid, const hipDeviceProp_t& limits) {
  uint64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (grid.workgroups[axis] == 0 || grid.block[axis] == 0) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "kernel %s: axis %d has %u workgroups of %u work-items; both must be at least 1",
          kernel.shown_name, axis, grid.workgroups[axis], grid.block[axis]));
    }
    const uint64_t items = grid.Items(static_cast<size_t>(axis));
    if (items > std::numeric_limits<uint32_t>::max()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("kernel %s: axis %d has %u work-items; at most 2^32 - 1 can be launched",
                          kernel.shown_name, axis, items));
    }
    threads *= grid.block[axis];
  }
  if (threads > kernel.max_workgroup) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "kernel %s: a workgroup of %u work-items is launched; it was compiled for at most %u",
        kernel.shown_name, threads, kernel.max_workgroup));
  }
  const uint64_t lds_bytes = uint64_t{kernel.static_lds_bytes} + grid.dynamic_lds_bytes;
  if (lds_bytes > limits.sharedMemPerBlock) {
    return absl::InvalidArgumentError(
        absl::StrFormat("kernel %s: %u bytes of LDS are launched; the device has %u",
                        kernel.shown_name, lds_bytes, limits.sharedMemPerBlock));
  }
  return absl::OkStatus();
}

// How many workgroups the device holds at once.
int64_t ResidentWorkgroups(const Device& device, const KernelInfo& kernel, const Grid& grid) {
  const uint32_t items = grid.block[0] * grid.block[1] * grid.block[2];
  return int64_t{device.properties.multiProcessorCount} *
         WorkgroupsPerMultiprocessor(device, kernel, items, grid.dynamic_lds_bytes);
}

}  // namespace

Grid MakeGrid(const dim3& grid, const dim3& block, size_t dynamic_lds_bytes, bool cooperative) {
  return {.workgroups = {grid.x, grid.y, grid.z},
          .block = {block.x, block.y, block.z},
          .dynamic_lds_bytes = static_cast<uint32_t>(std::min<size_t>(dynamic_lds_bytes, ~0u)),
          .cooperative = cooperative};
}

hipError_t CheckCooperative(hipFunction_t function, const Grid& grid) {
  const KernelInfo& kernel = *function->kernel;
  const int64_t workgroups = grid.CountWorkgroups();
  const int64_t resident = ResidentWorkgroups(*function->module->device, kernel, grid);
  if (grid.cooperative && workgroups > resident) {
    return Report(hipErrorCooperativeLaunchTooLarge,
                  absl::StrFormat("kernel %s: a cooperative launch of %u workgroups; the device "
                                  "holds %d of them at once",
                                  kernel.shown_name, workgroups, resident));
  }
  return hipSuccess;
}

hipError_t MakeKernelOperation(hipFunction_t function, const void* named, const Grid& grid,
                               const LaunchArguments& arguments, KernelOperation* operation) {
  const KernelInfo& kernel = *function->kernel;
  const Device& device = *function->module->device;
  if (device.fault != hipSuccess) return Report(device.fault);
  if (absl::Status status = CheckGrid(kernel, grid, device.properties); !status.ok())
    return Report(hipErrorInvalidConfiguration, status);
  if (hipError_t error = CheckCooperative(function, grid); error != hipSuccess) return error;
  const absl::StatusOr<std::span<const std::byte>> packed = ReadExtra(arguments.extra);
  if (!packed.ok()) return Report(hipErrorInvalidValue, packed.status());
  absl::StatusOr<std::vector<std::byte>> copied =
      CopyExplicitArguments(kernel, arguments.parameters, *packed);
  if (!copied.ok()) return Report(hipErrorInvalidValue, copied.status());
  *operation = {
      .function = function, .named = named, .grid = grid, .arguments = *std::move(copied)};
  return hipSuccess;
}

}  // namespace gridwise::sim
