// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/launch/part_kernel.h"
#include "hopper/config.h"
#include "hopper/halo.h"
#include "hopper/line.h"
#include "hopper/narrow.h"
#include "hopper/phases.h"
#include "hopper/simt.h"

namespace gridwise::hopper {

/// The kernel of an instance, for PartsFamily.
std::shared_ptr<const PartKernel> MakeKernel(const Config& config, KernelCode code);
std::shared_ptr<const PartKernel> MakeKernel(const PhasesConfig& config, KernelCode code);
std::shared_ptr<const PartKernel> MakeKernel(const HaloConfig& config, KernelCode code);
std::shared_ptr<const PartKernel> MakeKernel(const HaloWeightConfig& config, KernelCode code);
std::shared_ptr<const PartKernel> MakeKernel(const HaloDenseConfig& config, KernelCode code);
std::shared_ptr<const PartKernel> MakeKernel(const LineConfig& config, KernelCode code);
std::shared_ptr<const PartKernel> MakeKernel(const NarrowWeightConfig& config, KernelCode code);
std::shared_ptr<const PartKernel> MakeKernel(const SimtConfig& config, KernelCode code);

}  // namespace gridwise::hopper
