// SPDX-License-Identifier: MIT
/// Random valid problems for tests: small, and unusual in every way that a problem may be.
#pragma once

#include <cstdint>
#include <random>

#include "core/conv/problem.h"

namespace gridwise {

struct RandomProblemOptions {
  int64_t max_in = 12;     ///< pixels per axis
  int64_t max_filter = 4;  ///< taps per axis
  int64_t max_stride = 4;
  int64_t max_dilation = 3;
  int64_t max_pad = 3;  ///< at either end, independently
  int64_t max_batch = 3;
  int64_t max_groups = 3;
  int64_t max_channels = 20;  ///< c / groups and k / groups
};

/// A valid problem drawn uniformly over the options' ranges, of any rank and direction, type f16.
/// The same generator state gives the same problem on every platform.
ConvProblem RandomProblem(std::mt19937& random, const RandomProblemOptions& options = {});

}  // namespace gridwise
