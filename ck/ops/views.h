// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "absl/status/statusor.h"
#include "ck/gemm/config.h"
#include "ck/lowering/conv.h"
#include "core/arch/device_facts.h"
#include "core/base/types.h"
#include "core/launch/launch.h"

namespace gridwise::ck {

/// An available kernel.
struct CompiledKernel {
  GemmConfig config;
  KernelCode code;
};

/// One launch that multiplies views, and the index of its kernel.
struct ViewsLaunch {
  const CompiledKernel* kernel;
  LaunchPlan plan;
};

/// gridwise/views.h, with a choice of kernels.
absl::StatusOr<ViewsLaunch> PlanViews(const GemmDescriptors& gemm, DataType type, DataType out_type,
                                      std::span<const CompiledKernel> kernels,
                                      const DeviceFacts& device);

}  // namespace gridwise::ck
