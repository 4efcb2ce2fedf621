#pragma once

#include <optional>
#include <string_view>

namespace gridwise::ck {

/// How a row computes a convolution, by the names that users of Composable Kernel know. What an op
/// is made of is in kernels.h.
enum class Op {
  kMultipleABD,  ///< forward: one launch, whose epilogue reads further tensors
  kMultipleD,    ///< backward-data: the same, all sub-GEMMs in one launch
  kCShuffleV3,   ///< backward-weight: one launch, or with K in splits also their sum
  kTwoStage,     ///< backward-weight: f32 sums in the workspace, which a second launch converts
  kExplicit,  ///< backward-weight: a plain batched matrix multiplication of the tensors as they are
  kWavelet,   ///< backward-weight: waves that load, and waves that multiply
};

inline constexpr Op kAllOps[] = {Op::kMultipleABD, Op::kMultipleD, Op::kCShuffleV3,
                                 Op::kTwoStage,    Op::kExplicit,  Op::kWavelet};

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
    case Op::kWavelet:
      return "wavelet";
  }
  return "?";
}

}  // namespace gridwise::ck
