// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/base/unary.h"

namespace gridwise {

inline constexpr float kLog2E = 1.44269504f, kLn2 = 0.693147181f;

/// 1 / (1 + e^-v): 0 for a large -v, because e^-v is infinite.
GRIDWISE_DEVICE float Sigmoid(float v) { return Reciprocal(1 + Exp2(-kLog2E * v)); }

/// Calls visit(f) for the function f of `unary` (core/base/unary.h) with its parameter, unless it
/// is none: the choice is made once for all values. Errors are some f32 ulps of the largest of v,
/// f(v) and 1.
template <class Visit>
GRIDWISE_DEVICE void WithUnary(Unary unary, float a, Visit visit) {
  switch (unary) {
    case Unary::kNone:
      return;
    case Unary::kAbs:
      return visit([](float v) { return __builtin_fabsf(v); });
    case Unary::kLeakyRelu:
      return visit([=](float v) { return v < 0 ? a * v : v; });
    case Unary::kElu:
      return visit([=](float v) { return v < 0 ? a * (Exp2(kLog2E * v) - 1) : v; });
    case Unary::kSigmoid:
      return visit([](float v) { return Sigmoid(v); });
    case Unary::kTanh:
      return visit([](float v) { return 1 - 2 * Reciprocal(1 + Exp2(2 * kLog2E * v)); });
    case Unary::kSwish:
      return visit([=](float v) { return v * Sigmoid(a * v); });
    case Unary::kSoftplus: {
      const float over_a = 1 / a;
      return visit([=](float v) {
        const float x = a * v, positive = x < 0 ? 0 : x;
        return over_a * (positive + kLn2 * Log2(1 + Exp2(-kLog2E * __builtin_fabsf(x))));
      });
    }
    case Unary::kGelu:
      return visit([](float v) {
        constexpr float kTwice = 1.59576912f;  // 2 sqrt(2 / pi)
        return v * Sigmoid(kTwice * (v + 0.044715f * v * v * v));
      });
  }
}

}  // namespace gridwise
