// SPDX-License-Identifier: MIT
#include "core/passes/plan_padding.h"

#include <cstddef>

namespace gridwise {
namespace {

/// The codes of a type that are infinities or NaN: those that equal `code` under a mask.
struct Codes {
  unsigned mask, code;
};

Codes NotFinite(DataType type) {
  switch (type) {
    case DataType::kF16:
      return {0x7c00, 0x7c00};
    case DataType::kBF16:
      return {0x7f80, 0x7f80};
    case DataType::kF32:
    case DataType::kTF32:
      return {0x7f800000, 0x7f800000};
    case DataType::kF8E4M3:
      return {0x7f, 0x7f};
    case DataType::kF8E5M2:
      return {0x7c, 0x7c};
    case DataType::kF8E4M3Fnuz:
    case DataType::kF8E5M2Fnuz:
      return {0xff, 0x80};
    case DataType::kI8:
    case DataType::kI32:
      break;
  }
  return {0, 1};  // none
}

}  // namespace

PaddingArgs PlanPadding(const ConvProblem& problem, DataType type) {
  const bool forward = problem.direction == Direction::kForward;
  const PerAxis w = problem.AxesOf(Tensor::kW).stride;  // g, k, z, y, x, c
  const auto& [mask, code] = NotFinite(type);
  PaddingArgs args = {.w = nullptr,
                      .element_bytes = SizeOf(type),
                      .code_mask = mask,
                      .not_finite = code,
                      .forward = forward,
                      .axis = {},
                      .terms = static_cast<int>(forward ? problem.c : problem.k),
                      .term = forward ? w[5] : w[1],
                      .channel = forward ? w[1] : w[5]};
  for (std::size_t i = 0; i < 3; ++i) {
    const Dim& dim = problem.dims[i];
    args.axis[i] = {.out = static_cast<int>(forward ? dim.out() : dim.in),
                    .source = static_cast<int>(forward ? dim.in : dim.out()),
                    .stride = static_cast<int>(dim.stride),
                    .dilation = static_cast<int>(dim.dilation),
                    .pad = static_cast<int>(dim.pad_begin),
                    .taps = static_cast<int>(dim.filter),
                    .tap = w[i + 2]};
  }
  return args;
}

}  // namespace gridwise
