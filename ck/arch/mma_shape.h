#pragma once

#include "ck/base/mnk.h"

namespace gridwise {

/// Shape of one matrix instruction, which adds C to the product.
using MmaShape = Mnk;

struct RowCol {
  int row, col;
};

inline constexpr int kMfmaWave = 64;

/// Lanes of a wave are `groups` groups of `m` lanes; each group holds its own k.
constexpr int LaneGroups(MmaShape mma) { return kMfmaWave / mma.m; }

/// Elements of D that a lane holds.
constexpr int AccPerLane(MmaShape mma) { return mma.m * mma.n / kMfmaWave; }

/// The element of D in accumulator `reg` of `lane`, for f32 results of MFMA with m == n in {16, 32}
/// and one block. Source: AMD matrix instruction calculator, CDNA3; rows come in runs of 4 per lane
/// group.
constexpr RowCol OwnerOfAcc(MmaShape mma, int lane, int reg) {
  return {.row = reg / 4 * 4 * LaneGroups(mma) + lane / mma.n * 4 + reg % 4, .col = lane % mma.n};
}

/// The k of element `e` of the operand that `lane` passes; its row (of A) or column (of B) is lane
/// % m.
constexpr int OwnerOfK(MmaShape mma, int lane, int e) {
  return lane / mma.m * (mma.k / LaneGroups(mma)) + e;
}

namespace mma_proof {

constexpr bool AccCoversOnce(MmaShape mma) {
  bool seen[32 * 32] = {};
  for (int lane = 0; lane < kMfmaWave; ++lane) {
    for (int reg = 0; reg < AccPerLane(mma); ++reg) {
      const RowCol at = OwnerOfAcc(mma, lane, reg);
      if (at.row >= mma.m || at.col >= mma.n || seen[at.row * mma.n + at.col]) return false;
      seen[at.row * mma.n + at.col] = true;
    }
  }
  return true;
}

static_assert(AccCoversOnce({32, 32, 8}), "each of 1024 elements of D has exactly one owner");
static_assert(AccCoversOnce({16, 16, 16}), "each of 256 elements of D has exactly one owner");
static_assert(OwnerOfK({32, 32, 8}, 63, 3) == 7 && OwnerOfK({16, 16, 16}, 63, 3) == 15);

}  // namespace mma_proof

}  // namespace gridwise
