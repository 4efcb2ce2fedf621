// SPDX-License-Identifier: MIT
#include "core/reference/expected.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "core/reference/compare.h"
#include "core/reference/elements.h"
#include "core/reference/reference.h"

namespace gridwise {
namespace {

/// Calls visit(element, offset) for the elements in the order of the axes, with their offsets.
template <class Visit>
void ForEachElement(const PerAxis& size, const PerAxis& stride, Visit visit) {
  PerAxis at = {};
  std::int64_t offset = 0;
  const std::int64_t elements = TensorAxes{.size = size, .stride = {}}.Elements();
  for (std::int64_t element = 0; element < elements; ++element) {
    visit(static_cast<std::size_t>(element), static_cast<std::size_t>(offset));
    for (std::size_t axis = 6; axis-- > 0;) {
      offset += stride[axis];
      if (++at[axis] < size[axis]) break;
      offset -= at[axis] * stride[axis];
      at[axis] = 0;
    }
  }
}

/// `memory` in the order of the axes: itself, or a copy in `copy`.
std::span<const float> InOrderOfAxes(const TensorAxes& axes, std::span<const float> memory,
                                     std::vector<float>& copy) {
  if (axes.stride == PackedAxes(axes.size, {0, 1, 2, 3, 4, 5}).stride) return memory;
  copy.resize(memory.size());
  ForEachElement(axes.size, axes.stride,
                 [&](std::size_t element, std::size_t offset) { copy[element] = memory[offset]; });
  return copy;
}

absl::Status CheckSize(const char* name, std::size_t size, std::int64_t expected) {
  if (size == static_cast<std::size_t>(expected)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s has %d elements; the problem needs %d", name, size, expected));
}

/// The sum that replaces an operand: computed in f32 and rounded to the type, as in kernels.
std::vector<float> Summed(DataType type, const OperandSum& sum, std::span<const float> operand,
                          std::span<const float> added) {
  std::vector<float> values(operand.size());
  const auto scale = static_cast<float>(sum.scale);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = RoundTo(type, std::fma(scale, operand[i], added[i]));
  }
  return values;
}

}  // namespace

double LargestValue(Epilogue epilogue, double sum, const std::array<double, 2>& d) {
  epilogue.low = Epilogue{}.low;
  epilogue.high = Epilogue{}.high;
  const Epilogue whole = epilogue;
  epilogue.unary = Unary::kNone;
  double largest = 0;
  for (; epilogue.tensors >= 0; --epilogue.tensors) {
    largest = std::max(largest, std::abs(Apply(epilogue, sum, d)));
  }
  if (whole.unary == Unary::kNone) return largest;
  // No function is steeper than 1.13 (GELU) or its parameter, and some are differences with 1.
  const double steepest = std::max(1.13, std::abs(whole.unary_parameter));
  return std::max({1.0, steepest * largest, std::abs(Apply(whole, sum, d))});
}

absl::StatusOr<Expected> ExpectedOutput(const ConvProblem& problem, std::span<const float> a,
                                        std::span<const float> b,
                                        const std::array<std::span<const float>, 2>& d,
                                        const std::array<std::span<const float>, 2>& added) {
  if (absl::Status s = CheckSize("a", a.size(), problem.a_elements()); !s.ok()) return s;
  if (absl::Status s = CheckSize("b", b.size(), problem.b_elements()); !s.ok()) return s;
  for (int i = 0; i < problem.epilogue.tensors; ++i) {
    absl::Status s = CheckSize(i == 0 ? "d0" : "d1", d[static_cast<std::size_t>(i)].size(),
                               EpilogueElements(problem, i));
    if (!s.ok()) return s;
  }
  std::vector<float> a_sum, b_sum;
  for (auto [i, operand, sum] : {std::tuple(0u, &a, &a_sum), {1u, &b, &b_sum}}) {
    if (!problem.operand_sums[i].adds) continue;
    absl::Status s = CheckSize(i == 0 ? "a1" : "b1", added[i].size(),
                               static_cast<std::int64_t>(operand->size()));
    if (!s.ok()) return s;
    *sum = Summed(problem.type, problem.operand_sums[i], *operand, added[i]);
    *operand = *sum;
  }
  const TensorAxes axes = problem.AxesOf(problem.out());
  std::vector<double> sums(static_cast<std::size_t>(axes.Elements()));
  std::vector<float> a_copy, b_copy;
  absl::Status status = Reference(problem, InOrderOfAxes(problem.AxesOf(problem.a()), a, a_copy),
                                  InOrderOfAxes(problem.AxesOf(problem.b()), b, b_copy), sums);
  if (!status.ok()) return status;

  std::array<std::vector<double>, 2> d_values;  // in the order of the axes
  for (std::size_t i = 0; i < static_cast<std::size_t>(problem.epilogue.tensors); ++i) {
    d_values[i].resize(sums.size());
    ForEachElement(axes.size, problem.epilogue.d[i].stride,
                   [&](std::size_t element, std::size_t offset) {
                     d_values[i][element] = static_cast<double>(d[i][offset]);
                   });
  }
  Expected expected;
  expected.out.resize(sums.size());
  ForEachElement(axes.size, axes.stride, [&](std::size_t element, std::size_t offset) {
    std::array<double, 2> values = {};
    for (std::size_t i = 0; i < 2; ++i) {
      if (!d_values[i].empty()) values[i] = d_values[i][element];
    }
    expected.out[offset] = Apply(problem.epilogue, sums[element], values);
    sums[element] = LargestValue(problem.epilogue, sums[element], values);
  });
  expected.sum_rms = SumRms(sums);
  return expected;
}

}  // namespace gridwise
