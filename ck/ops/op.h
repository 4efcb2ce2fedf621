// SPDX-License-Identifier: MIT
#pragma once

#include "core/conv/problem.h"

namespace gridwise::ck {

/// How an instance computes a convolution, by the names that users of Composable Kernel know.
/// kernels.h has the instances of an op.
enum class Op {
  kMultipleABD,  ///< forward: one launch, whose epilogue reads additional tensors
  kMultipleD,    ///< backward-data: the same, all sub-GEMMs in one launch
  kCShuffleV3,   ///< backward-weight: one launch, plus one for the sum if K is split
  kTwoStage,     ///< backward-weight: f32 sums in the workspace, which a second launch converts
  kExplicit,   ///< backward-weight: a plain batched matrix multiplication, on columns if necessary
  kWaveletV3,  ///< backward-weight: waves that load, and waves that multiply
  kMultipleDWeight,  ///< backward-weight: CShuffleV3, as it is called with additional tensors
  kBatchedGemm,      ///< matrices
};

inline constexpr Op kAllOps[] = {Op::kMultipleABD,     Op::kMultipleD,  Op::kCShuffleV3,
                                 Op::kTwoStage,        Op::kExplicit,   Op::kWaveletV3,
                                 Op::kMultipleDWeight, Op::kBatchedGemm};

constexpr const char* Name(Op op) {
  switch (op) {
    case Op::kMultipleABD:
      return "multiple_abd";
    case Op::kMultipleD:
      return "multiple_d";
    case Op::kCShuffleV3:
      return "cshuffle_v3";
    case Op::kTwoStage:
      return "two_stage";
    case Op::kExplicit:
      return "explicit";
    case Op::kWaveletV3:
      return "wavelet";
    case Op::kMultipleDWeight:
      return "weight_multiple_d";
    case Op::kBatchedGemm:
      return "batched_gemm";
  }
  return "?";
}

/// The user's name of an op, given the direction. Name() begins the names of its instances.
constexpr const char* KnownAs(Op op) {
  return Name(op == Op::kMultipleDWeight ? Op::kMultipleD : op);
}

/// The direction of an op's convolutions, and the one as which matrices are planned.
constexpr Direction DirectionOf(Op op) {
  if (op == Op::kMultipleABD || op == Op::kBatchedGemm) return Direction::kForward;
  return op == Op::kMultipleD ? Direction::kBackwardData : Direction::kBackwardWeight;
}

/// Ops that one kernel serves: kCShuffleV3 | kTwoStage.
struct OpSet {
  unsigned bits = 0;

  constexpr OpSet() = default;
  constexpr OpSet(Op op) : bits(1u << static_cast<int>(op)) {}  // NOLINT: an op is a set of one
  constexpr bool Has(Op op) const { return (bits >> static_cast<int>(op) & 1) != 0; }
};
constexpr OpSet operator|(OpSet set, Op op) {
  set.bits |= OpSet(op).bits;
  return set;
}
constexpr OpSet operator|(Op a, Op b) { return OpSet(a) | b; }

}  // namespace gridwise::ck
