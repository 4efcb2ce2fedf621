#pragma once

#include <memory>

#include "core/launch/part_kernel.h"
#include "hopper/config.h"

namespace gridwise::hopper {

/// The kernel of a row, for PartsFamily.
std::shared_ptr<const PartKernel> MakeKernel(const Config& config, KernelCode code);

}  // namespace gridwise::hopper
