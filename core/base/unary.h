// SPDX-License-Identifier: MIT
/// Functions of one number. Device-usable.
#pragma once

namespace gridwise {

/// A function of a value v, with a parameter a for some of them.
enum class Unary : unsigned char {
  kNone,       ///< v
  kAbs,        ///< |v|
  kLeakyRelu,  ///< v, below 0 a * v
  kElu,        ///< v, below 0 a * (e^v - 1)
  kSigmoid,    ///< 1 / (1 + e^-v)
  kTanh,       ///< tanh(v)
  kSwish,      ///< v / (1 + e^(-a * v)); a = 1: SiLU
  kSoftplus,   ///< log(1 + e^(a * v)) / a
  kGelu,       ///< v / (1 + e^(-2 * sqrt(2 / pi) * (v + 0.044715 * v^3))), GELU's tanh form
};

inline constexpr Unary kAllUnary[] = {Unary::kNone,  Unary::kAbs,      Unary::kLeakyRelu,
                                      Unary::kElu,   Unary::kSigmoid,  Unary::kTanh,
                                      Unary::kSwish, Unary::kSoftplus, Unary::kGelu};

constexpr const char* Name(Unary unary) {
  switch (unary) {
    case Unary::kNone:
      return "none";
    case Unary::kAbs:
      return "abs";
    case Unary::kLeakyRelu:
      return "leaky_relu";
    case Unary::kElu:
      return "elu";
    case Unary::kSigmoid:
      return "sigmoid";
    case Unary::kTanh:
      return "tanh";
    case Unary::kSwish:
      return "swish";
    case Unary::kSoftplus:
      return "softplus";
    case Unary::kGelu:
      return "gelu";
  }
  return "?";
}

}  // namespace gridwise
