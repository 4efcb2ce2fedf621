#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/dispatch.h"

namespace gridwise::sim {

/// Builds the kernarg segment of a launch: the explicit arguments, from `parameters` (one pointer
/// per argument, as in hipModuleLaunchKernel) or ready made in `packed`, and the hidden ones that
/// the kernel's metadata lists (LLVM AMDGPUUsage, "Code Object V5 Kernel Argument Metadata").
/// Hidden arguments for services that there are not (printf, hostcall, heap, queues) are null.
absl::StatusOr<std::vector<std::byte>> BuildKernelArguments(const KernelInfo& kernel,
                                                            const Grid& grid, void** parameters,
                                                            std::span<const std::byte> packed);

}  // namespace gridwise::sim
