#pragma once

#include "ck/base/types.h"

namespace gridwise {

/// Matrix units, which differ in how lanes share operands and results.
enum class MmaUnit : unsigned char {
  kMfma,    ///< CDNA: waves of 64 lanes
  kWmma11,  ///< RDNA3: waves of 32; both halves of a wave hold the same operands
  kWmma12,  ///< RDNA4: waves of 32
};

constexpr const char* Name(MmaUnit unit) {
  switch (unit) {
    case MmaUnit::kMfma:
      return "mfma";
    case MmaUnit::kWmma11:
      return "wmma11-";
    case MmaUnit::kWmma12:
      return "wmma12-";
  }
  return "?";
}

/// One matrix instruction, D = A * B + C with f32 results and one block.
struct MmaShape {
  MmaUnit unit = MmaUnit::kMfma;
  int m = 0, n = 0, k = 0;
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [unit, m, n, k] = self;
    visit("", unit);
    visit("", m);
    visit("", n);
    visit("", k);
  }
  bool operator==(const MmaShape&) const = default;

  /// Lanes of a wave.
  constexpr int lanes() const { return unit == MmaUnit::kMfma ? 64 : 32; }
  /// Groups of m lanes that hold different k: a wave's m rows times this are its lanes, but on
  /// RDNA3, where the groups hold the same.
  constexpr int lane_groups() const { return unit == MmaUnit::kWmma11 ? 1 : lanes() / m; }
  /// Elements of A that a lane passes: consecutive k of one row. The same of B and a column.
  constexpr int k_per_lane() const { return k / lane_groups(); }
  /// Elements of D that a lane holds, and how many of them are consecutive rows of one column.
  constexpr int acc_per_lane() const { return m * n / lanes(); }
  constexpr int acc_run() const {
    return unit == MmaUnit::kMfma ? 4 : unit == MmaUnit::kWmma12 ? 8 : 1;
  }
};

struct RowCol {
  int row, col;
};

/// The element of D in accumulator `reg` of `lane`. Source: AMD matrix instruction calculator. MFMA
/// (m == n, 16 or 32) gives a lane runs of 4 rows, the lane groups taking turns; WMMA on RDNA4 8
/// rows; on RDNA3 every other row.
constexpr RowCol OwnerOfAcc(MmaShape mma, int lane, int reg) {
  const int run = mma.acc_run(), group = lane / mma.n, groups = mma.lanes() / mma.n;
  return {.row = (reg / run * groups + group) * run + reg % run, .col = lane % mma.n};
}

namespace mma_proof {

constexpr bool AccCoversOnce(MmaShape mma) {
  bool seen[32 * 32] = {};
  for (int lane = 0; lane < mma.lanes(); ++lane) {
    for (int reg = 0; reg < mma.acc_per_lane(); ++reg) {
      const RowCol at = OwnerOfAcc(mma, lane, reg);
      if (at.row >= mma.m || at.col >= mma.n || seen[at.row * mma.n + at.col]) return false;
      seen[at.row * mma.n + at.col] = true;
    }
  }
  return true;
}

static_assert(AccCoversOnce({MmaUnit::kMfma, 32, 32, 8}), "1024 elements of D, one owner each");
static_assert(AccCoversOnce({MmaUnit::kMfma, 16, 16, 16}), "256 elements of D, one owner each");
static_assert(AccCoversOnce({MmaUnit::kWmma11, 16, 16, 16}), "256 elements of D, one owner each");
static_assert(AccCoversOnce({MmaUnit::kWmma12, 16, 16, 16}), "256 elements of D, one owner each");
static_assert(OwnerOfAcc({MmaUnit::kMfma, 32, 32, 8}, 63, 5).row == 13);
static_assert(OwnerOfAcc({MmaUnit::kWmma11, 16, 16, 16}, 16, 3).row == 7);
static_assert(OwnerOfAcc({MmaUnit::kWmma12, 16, 16, 16}, 16, 3).row == 11);

}  // namespace mma_proof

/// Whether the unit of a target has a matrix instruction of this shape for operands of `type`, and
/// none of twice the k. `double_k` is CDNA4's, see TargetTraits.
constexpr bool HasMma(MmaShape mma, DataType type, bool double_k) {
  if (mma.m != mma.n || (mma.m != 16 && mma.m != 32)) return false;
  if (mma.unit != MmaUnit::kMfma) return type != DataType::kF32 && mma.m == 16 && mma.k == 16;
  const int k = (type == DataType::kF32 ? 64 : 256) / mma.m;
  return mma.k == (double_k && type != DataType::kF32 ? 2 * k : k);
}

/// Cycles that the unit of a SIMD is busy. Source: AMD matrix instruction calculator; CDNA4's
/// double-k instructions take the same time.
constexpr int MmaCycles(MmaShape mma, DataType type) {
  if (mma.unit == MmaUnit::kWmma11) return 32;
  if (mma.unit == MmaUnit::kWmma12) return 16;
  return (mma.m == 32 ? 32 : 16) * (type == DataType::kF32 ? 2 : 1);
}

}  // namespace gridwise
