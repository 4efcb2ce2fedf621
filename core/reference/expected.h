/// What a kernel must write, in the order that it is in memory: the reference with the problem's
/// layouts and epilogue.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/conv/problem.h"
#include "core/conv/tensor_bytes.h"  // IWYU pragma: export

namespace gridwise {

/// The largest magnitude of what the epilogue computes from `sum` before it clamps: what rounding
/// errors are relative to.
double LargestValue(Epilogue epilogue, double sum, const std::array<double, 2>& d);

struct Expected {
  std::vector<double> out;
  /// SumRms() of the elements' LargestValue().
  double sum_rms = 0;
};

/// The output from operands in the problem's layouts and the epilogue's tensors, of which it has
/// problem.epilogue.tensors; `added` are the tensors that operands are sums with. Errors: those of
/// Reference().
absl::StatusOr<Expected> ExpectedOutput(const ConvProblem& problem, std::span<const float> a,
                                        std::span<const float> b,
                                        const std::array<std::span<const float>, 2>& d = {},
                                        const std::array<std::span<const float>, 2>& added = {});

}  // namespace gridwise
