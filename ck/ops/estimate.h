#pragma once

#include "ck/gemm/config.h"
#include "core/arch/device_facts.h"
#include "core/launch/cost.h"
#include "core/launch/part_kernel.h"

namespace gridwise::ck {

/// The size of a launch.
struct Work {
  double tiles = 0;  // of the output, of all matrices
  double steps = 0;  // of the main loop, of all tiles together
  double out_elements = 0;
};

/// Workgroups of a compute unit at a time, as far as registers, LDS and waves go.
double ResidentWorkgroups(const GemmConfig& config, const DeviceFacts& device);

/// Estimates a launch of `config` in which `splits` workgroups share the steps of each tile, and
/// the launch that adds these up.
Cost EstimateCost(const GemmConfig& config, const DeviceFacts& device, const Work& work,
                  int splits);

/// `sharing` with its zeros filled in: the number of splits whose estimate is least, of powers of
/// two whose splits have some steps each.
Sharing Complete(Sharing sharing, const GemmConfig& config, const DeviceFacts& device,
                 const Work& work);

}  // namespace gridwise::ck
