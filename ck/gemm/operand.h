// SPDX-License-Identifier: MIT
#pragma once

namespace gridwise::ck {

/// How an operand's coordinates move along K.
enum class Walk : int {
  kEven,    ///< one digit, no checks: all steps have the same distance, which is a scalar
  kTable,   ///< any digits, no checks: offsets come from a table in LDS
  kCheck1,  ///< also checks an index of one padded axis
  kCheck2,  ///< checks two, of less than 2^14 indices each
  kCheck3,  ///< checks three, two of them of less than 2^14 indices
};

constexpr const char* Name(Walk walk) {
  switch (walk) {
    case Walk::kEven:
      return "even";
    case Walk::kTable:
      return "table";
    case Walk::kCheck1:
      return "check1-";
    case Walk::kCheck2:
      return "check2-";
    case Walk::kCheck3:
      return "check3-";
  }
  return "?";
}

constexpr int ChecksOf(Walk walk) {
  return walk == Walk::kCheck1 ? 1 : walk == Walk::kCheck2 ? 2 : walk == Walk::kCheck3 ? 3 : 0;
}

/// The functions of A and B that are multiplied, see functions.h.
enum class Function : int {
  kPassThrough,
  kScaleAdd,  ///< scale * A0 + A1, and the same for B
};

constexpr const char* Name(Function function) {
  switch (function) {
    case Function::kPassThrough:
      return "passthrough";
    case Function::kScaleAdd:
      return "scaleadd";
  }
  return "?";
}

/// The operands: A is [m][k], B is [n][k].
enum class Side { kA, kB };

}  // namespace gridwise::ck
