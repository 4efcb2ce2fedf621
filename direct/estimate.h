#pragma once

#include "core/cost/cost.h"
#include "core/launch/part_kernel.h"
#include "direct/config.h"

namespace gridwise::direct {

/// What a wave does.
struct WaveWork {
  double rows;         // of taps along w, with the lane's pixels
  double stores;       // of the output
  double groups;       // workgroups
  double waves;        // of a workgroup
  double loads;        // of a lane in such a row
  int products;        //
  double conversions;  // of operands to f32
  double runs = 0;     // of pixels, of a wave of forward and backward-data
  double pass_cycles = 0;
  int splits = 1;
  bool along_pixels = false;  // sums of backward-weight
};

/// Vector instructions of all waves at the SIMDs' rate, or bytes at its vector caches' share of L2,
/// or a wave that waits for memory once a row.
Cost EstimateWaves(const DirectConfig& config, const PartRequest& request, const WaveWork& work);
double Conversions(const DirectConfig& config, double loads);

}  // namespace gridwise::direct
