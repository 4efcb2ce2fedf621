// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/dispatch.h"

namespace gridwise::sim {

/// Addresses that hidden arguments carry.
struct HiddenAddresses {
  uint64_t grid_barrier = 0;        // a GridBarrier's
  uint64_t hostcall = 0, heap = 0;  // a Hostcall's
  uint64_t printf_buffer = 0;
};

/// The data of the grid barrier of a cooperative launch (ROCm device libraries, ockl: the
/// multigrid_sync_arg): the number of grids, which is 1 here, and the barrier's counter.
struct GridBarrier {
  uint64_t multi_grid = 0;
  uint32_t grid = 0, grids = 1;
  uint64_t items_before = 0, items = 0;
  uint32_t counter[2] = {0, 0};
  uint32_t workgroups = 0;
};

/// Builds the kernarg segment of a launch without the hidden arguments: the explicit ones are
/// copied from `parameters` (one pointer per argument, as in hipModuleLaunchKernel) or, ready made,
/// from `packed`. The last ones may be missing in `packed`, as in HIP: then they are 0, and a note
/// on stderr says so once. It is an error if all are missing or one is incomplete.
absl::StatusOr<std::vector<std::byte>> CopyExplicitArguments(const KernelInfo& kernel,
                                                             void** parameters,
                                                             std::span<const std::byte> packed);

/// Writes the hidden arguments that the kernel's metadata lists (LLVM AMDGPUUsage, "Code Object V5
/// Kernel Argument Metadata") to a segment of CopyExplicitArguments. Those for
/// features that the simulator lacks (queues, completion actions) are null.
void FillHiddenArguments(const KernelInfo& kernel, const Grid& grid,
                         const HiddenAddresses& addresses, std::span<std::byte> kernarg);

/// Where the explicit arguments are in such a segment, one pointer each.
std::vector<void*> PointersToArguments(const KernelInfo& kernel, std::span<std::byte> kernarg);

}  // namespace gridwise::sim
