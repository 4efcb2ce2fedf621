// SPDX-License-Identifier: MIT
#include "core/reference/random_problem.h"

#include <cstdint>
#include <random>

#include "core/conv/problem.h"

namespace gridwise {
namespace {

/// Standard distributions differ between libraries; the generator does not.
int64_t Pick(std::mt19937& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

Dim RandomDim(std::mt19937& random, const RandomProblemOptions& options) {
  Dim dim;
  do {
    dim.in = Pick(random, 1, options.max_in);
    dim.filter = Pick(random, 1, options.max_filter);
    dim.stride = Pick(random, 1, options.max_stride);
    dim.dilation = Pick(random, 1, options.max_dilation);
    dim.pad_begin = Pick(random, 0, options.max_pad);
    dim.pad_end = Pick(random, 0, options.max_pad);
  } while (dim.out() < 1);
  return dim;
}

}  // namespace

ConvProblem RandomProblem(std::mt19937& random, const RandomProblemOptions& options) {
  ConvProblem problem;
  problem.direction = kAllDirections[Pick(random, 0, 2)];
  problem.rank = static_cast<int>(Pick(random, 1, 3));
  problem.groups = Pick(random, 1, options.max_groups);
  problem.batch = Pick(random, 1, options.max_batch);
  problem.c = problem.groups * Pick(random, 1, options.max_channels);
  problem.k = problem.groups * Pick(random, 1, options.max_channels);
  for (int axis = 3 - problem.rank; axis < 3; ++axis) {
    problem.dims[axis] = RandomDim(random, options);
  }
  return problem;
}

}  // namespace gridwise
