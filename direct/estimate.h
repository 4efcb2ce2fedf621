// SPDX-License-Identifier: MIT
#pragma once

#include "core/cost/cost.h"
#include "core/launch/part_kernel.h"
#include "direct/config.h"

namespace gridwise::direct {

/// The work of a wave.
struct WaveWork {
  double rows;         // of taps along w, for the lane's pixels
  double stores;       // of the output
  double groups;       // workgroups
  double waves;        // per workgroup
  double loads;        // of a lane in such a row
  int products;        //
  double conversions;  // of operands to f32
  double runs = 0;     // of pixels, per wave of forward and backward-data
  double pass_cycles = 0;
  int splits = 1;
  bool along_pixels = false;  // sums of backward-weight
};

/// The larger of three times: vector instructions of all waves at the SIMDs' rate; bytes at the
/// vector caches' share of L2; a wave that waits for memory once per row.
Cost EstimateWaves(const DirectConfig& config, const PartRequest& request, const WaveWork& work);
double Conversions(const DirectConfig& config, double loads);

}  // namespace gridwise::direct
