// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"
#include "core/base/types.h"

namespace gridwise {

/// Matrix units, which differ in how lanes share operands and results.
enum class MmaUnit : unsigned char {
  kMfma,    ///< CDNA: waves of 64 lanes
  kWmma11,  ///< RDNA3: waves of 32; both halves of a wave hold the same operands
  kWmma12,  ///< RDNA4: waves of 32
  kWgmma,   ///< Hopper: 128 threads; operands in shared memory, see wgmma.h
  kFma,     ///< vector FMAs of waves of 32, for types that the matrix unit lacks
};

constexpr const char* Name(MmaUnit unit) {
  switch (unit) {
    case MmaUnit::kMfma:
      return "mfma";
    case MmaUnit::kWmma11:
      return "wmma11-";
    case MmaUnit::kWmma12:
      return "wmma12-";
    case MmaUnit::kWgmma:
      return "wgmma";
    case MmaUnit::kFma:
      return "fma";
  }
  return "?";
}

/// One matrix instruction, D = A * B + C with f32 or i32 results; for vector FMAs, as many of them
/// as do the same. MFMA 4x4 has 16 independent blocks of that shape, with 4 lanes each.
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
  /// Products that it computes at once, and the one to which `lane` belongs.
  constexpr int blocks() const { return unit == MmaUnit::kMfma && m == 4 ? 16 : 1; }
  constexpr int BlockOf(int lane) const { return lane / (lanes() / blocks()); }
  /// Groups of lanes of a block that hold different k.
  constexpr int lane_groups() const {
    return unit == MmaUnit::kWmma11 || unit == MmaUnit::kFma ? 1 : lanes() / blocks() / m;
  }
  /// Consecutive k that a lane passes of a row of A, and of a column of B.
  constexpr int k_per_lane() const { return k / lane_groups(); }
  /// Rows of A and columns of B that a lane passes. Vector FMAs multiply their own lane's elements,
  /// so a lane holds enough to keep it busy for longer than reading them takes.
  constexpr int a_rows_of_lane() const { return unit == MmaUnit::kFma ? 4 : 1; }
  constexpr int b_cols_of_lane() const { return unit == MmaUnit::kFma ? 2 : 1; }
  /// Elements of D that a lane holds, and how many of them are consecutive rows of one column.
  constexpr int acc_per_lane() const { return m * n * blocks() / lanes(); }
  constexpr int acc_run() const {
    switch (unit) {
      case MmaUnit::kMfma:
      case MmaUnit::kFma:
        return 4;
      case MmaUnit::kWmma12:
        return 8;
      case MmaUnit::kWmma11:
      case MmaUnit::kWgmma:
        break;
    }
    return 1;
  }
};

struct RowCol {
  int row, col;
};

/// The `i`-th row of A that `lane` passes. Matrix instructions: row lane % m. Vector FMAs: the wave
/// is a grid of 4 x 8 lanes, which hold runs of 4 rows. All lanes of a grid row read the same LDS
/// words, which is one access, and those of the 4 grid rows lie on different banks (LdsTile).
constexpr int RowOfA(MmaShape mma, int lane, int i) {
  return mma.unit == MmaUnit::kFma ? lane / 8 * mma.a_rows_of_lane() + i : lane % mma.m;
}

/// The `i`-th column of B that `lane` passes. Vector FMAs: 8 lanes hold 8 adjacent columns, whose
/// LDS words fill the 32 banks.
constexpr int ColOfB(MmaShape mma, int lane, int i) {
  return mma.unit == MmaUnit::kFma ? lane % 8 + 8 * i : lane % mma.n;
}

/// The element of its block's D in accumulator `reg` of `lane`. Source: AMD matrix instruction
/// calculator. MFMA (m == n) gives a lane runs of 4 rows, the lane groups taking turns; WMMA on
/// RDNA4 8 rows; on RDNA3 every other row. Vector FMAs: the products of the lane's own rows and
/// columns.
constexpr RowCol OwnerOfAcc(MmaShape mma, int lane, int reg) {
  if (mma.unit == MmaUnit::kFma) {
    const int rows = mma.a_rows_of_lane();
    return {.row = RowOfA(mma, lane, reg % rows), .col = ColOfB(mma, lane, reg / rows)};
  }
  const int lanes = mma.lanes() / mma.blocks();  // per block
  const int run = mma.acc_run(), group = lane % lanes / mma.n, groups = lanes / mma.n;
  return {.row = (reg / run * groups + group) * run + reg % run, .col = lane % mma.n};
}

/// MFMA of CDNA `generation` 2 to 4, which differ in k: each has i8 with twice the k of the one
/// before; CDNA4 also f16 and bf16, and the OCP's f8 with four times that of CDNA3's FNUZ.
constexpr int MfmaK(int m, DataType type, int generation) {
  switch (type) {
    case DataType::kF32:
      return 64 / m;
    case DataType::kF16:
    case DataType::kBF16:
      return (generation == 4 ? 512 : 256) / m;
    case DataType::kI8:
      return (64 << generation) / m;
    case DataType::kF8E4M3:
    case DataType::kF8E5M2:
      return generation == 4 ? 2048 / m : 0;
    case DataType::kF8E4M3Fnuz:
    case DataType::kF8E5M2Fnuz:
      return generation == 3 ? 512 / m : 0;
    case DataType::kI32:
    case DataType::kTF32:
      break;
  }
  return 0;
}

/// Whether a type is an operand of WMMA, which is 16x16x16.
constexpr bool IsWmmaType(MmaUnit unit, DataType type) {
  return type == DataType::kF16 || type == DataType::kBF16 || type == DataType::kI8 ||
         (unit == MmaUnit::kWmma12 && (type == DataType::kF8E4M3 || type == DataType::kF8E5M2));
}

/// Hopper's instruction: its operands have 32 bytes of k.
constexpr int WgmmaK(DataType type) {
  switch (type) {
    case DataType::kF16:
    case DataType::kBF16:
      return 16;
    case DataType::kI8:
    case DataType::kF8E4M3:
    case DataType::kF8E5M2:
      return 32;
    case DataType::kTF32:
      return 8;
    default:
      return 0;
  }
}

/// The largest k of the unit's m x m instructions for operands of `type`; 0 if there is none.
/// `mfma_generation` is that of TargetTraits.
constexpr int MmaK(MmaUnit unit, int m, DataType type, int mfma_generation) {
  switch (unit) {
    case MmaUnit::kMfma:
      if (m == 4) return type == DataType::kF16 || type == DataType::kBF16 ? 4 : 0;
      return m == 16 || m == 32 ? MfmaK(m, type, mfma_generation) : 0;
    case MmaUnit::kWmma11:
    case MmaUnit::kWmma12:
      return m == 16 && IsWmmaType(unit, type) ? 16 : 0;
    case MmaUnit::kWgmma:
      return m == 64 ? WgmmaK(type) : 0;
    case MmaUnit::kFma:
      return m == 16 && type == DataType::kF32 ? 4 : 0;
  }
  return 0;
}

/// Whether the target has this instruction.
constexpr bool HasMma(MmaShape mma, DataType type, int mfma_generation) {
  return mma.m == mma.n && mma.k > 0 && mma.k == MmaK(mma.unit, mma.m, type, mfma_generation);
}

/// Cycles for which the unit of a SIMD is busy. Source: AMD matrix instruction calculator; CDNA4's
/// double-k instructions take the same time as CDNA3's, its f8 twice that; of CDNA2 all types take
/// as long as f32. Vector FMAs: 32 per wave, most of which are dual.
constexpr int MmaCycles(MmaShape mma, DataType type, int mfma_generation) {
  const bool f8 = IsFloat8(type);
  switch (mma.unit) {
    case MmaUnit::kMfma:
      break;
    case MmaUnit::kWmma11:
      return 32;
    case MmaUnit::kWmma12:
      return SizeOf(type) == 1 ? 8 : 16;
    case MmaUnit::kWgmma:
      return 64;  // m64n128 and 32 bytes of k, shared by all units of an SM
    case MmaUnit::kFma:
      return 16;
  }
  if (mma.blocks() > 1) return 8;
  const bool slow = mfma_generation == 2 || type == DataType::kF32 || (f8 && mma.k == 2048 / mma.m);
  return (mma.m == 32 ? 32 : 16) * (slow ? 2 : 1);
}

}  // namespace gridwise
