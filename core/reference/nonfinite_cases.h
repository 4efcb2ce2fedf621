// SPDX-License-Identifier: MIT
/// Small problems with an infinity in every place of an operand, and what their sums must be: for
/// tests of the rule of docs/non-finite.md.
#pragma once

#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/conv/problem.h"

namespace gridwise {

/// The rule itself, written as loops and apart from the reference: each term of each sum is added,
/// in double, and an element of padding is a zero like any other. Operands and output are in the
/// first layouts, whatever the problem's. Without epilogue.
std::vector<double> PaddedSums(const ConvProblem& problem, std::span<const float> a,
                               std::span<const float> b);

/// Whether two sums have the same value or are both NaN.
bool AreEqual(double sum, double other);

struct NonFiniteCase {
  ConvProblem problem;      // f16, in the first layouts
  Tensor planted;           // the operand that has infinities
  std::vector<float> a, b;  // f16 has their values
  std::vector<double> sums;
};

/// Calls `test` for each case of a direction:
///
///   - Every valid axis of up to 3 pixels, 3 taps, stride 4, dilation 2 and 2 pixels of padding at
///     either end, alone, with one group and with two.
///   - The same axes in pairs and in threes, a fixed choice of them, half without padding.
///
/// Each operand in turn has infinities: each of its pixels, or taps, has one in an image and a
/// channel of its own, so that hardly a sum has two. Finite sums are exact, in f32 too.
void ForEachNonFiniteCase(Direction direction, absl::FunctionRef<void(const NonFiniteCase&)> test);

}  // namespace gridwise
