// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/launch/part_kernel.h"
#include "hopper/base/config.h"
#include "hopper/dense_halo/config.h"
#include "hopper/depthwise/config.h"
#include "hopper/halo/config.h"
#include "hopper/halo_weight/config.h"
#include "hopper/line/config.h"
#include "hopper/narrow/config.h"
#include "hopper/phases/config.h"
#include "hopper/simt/config.h"

namespace gridwise::hopper {

/// The kernel of an instance, for PartsFamily.
std::shared_ptr<const PartKernel> MakeKernel(const Config& config, KernelCode code);
std::shared_ptr<const PartKernel> MakeKernel(const PhasesConfig& config, KernelCode code);
std::shared_ptr<const PartKernel> MakeKernel(const HaloConfig& config, KernelCode code);
std::shared_ptr<const PartKernel> MakeKernel(const HaloWeightConfig& config, KernelCode code);
std::shared_ptr<const PartKernel> MakeKernel(const HaloDenseConfig& config, KernelCode code);
std::shared_ptr<const PartKernel> MakeKernel(const DepthwiseWeightConfig& config, KernelCode code);
std::shared_ptr<const PartKernel> MakeKernel(const LineConfig& config, KernelCode code);
std::shared_ptr<const PartKernel> MakeKernel(const NarrowWeightConfig& config, KernelCode code);
std::shared_ptr<const PartKernel> MakeKernel(const SimtConfig& config, KernelCode code);

}  // namespace gridwise::hopper
