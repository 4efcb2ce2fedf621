#pragma once

#include "ck/gemm/config.h"
#include "core/arch/device_facts.h"
#include "core/launch/cost.h"
#include "core/launch/part_kernel.h"
#include "core/launch/share_k.h"

namespace gridwise::ck {

/// Workgroups of a compute unit at a time, as far as registers, LDS and waves go.
double ResidentWorkgroups(const GemmConfig& config, const DeviceFacts& device);

/// Estimates a launch of `config` in which `splits` workgroups share the steps of each tile, and
/// the launch that adds these up.
Cost EstimateCost(const GemmConfig& config, const DeviceFacts& device, const Work& work,
                  int splits);

/// ShareK by the estimates of `config`.
Sharing Complete(Sharing sharing, const GemmConfig& config, const DeviceFacts& device,
                 const Work& work);

}  // namespace gridwise::ck
