#pragma once

#include "ck/arch/mma.h"
#include "tile/cells_of_lane.h"
#include "tile/config.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// Accumulators of a wave, transposed: D's rows are the tile's n and its columns the tile's m, so
/// that a lane holds runs of consecutive n of one m.
template <TileConfig kC>
struct WaveAcc {
  Acc<kC.mma> d[kC.reps_m()][kC.reps_n()] = {};
};

/// acc += A * B for a slab in LDS. A fragment is whole LDS cells of a lane's rows, enough for one
/// matrix instruction or several. The instruction's A is the tile's B. Which k a lane holds differs
/// from the instruction's own order, the same way for A and B, so that the sum is the same set.
template <TileConfig kC>
class MultiplySlab {
 public:
  /// Slabs lie in `lds`, one or several: A, and B behind it.
  GRIDWISE_DEVICE explicit MultiplySlab(const char* lds) {
    const char* const lds_b = lds + kC.lds_a().bytes();
    const int group = kC.mma.lane_groups() == 1 ? 0 : Lane<kC>() / kC.mma.m;
    const int wave_m = WaveM<kC>(), wave_n = WaveN<kC>();
    for (int i = 0; i < kCellsOfLane; ++i) {
      const int chunk = i / kC.fragment_cells(), part = i % kC.fragment_cells();
      const int cell = (chunk * kC.mma.lane_groups() + group) * kC.fragment_cells() + part;
      for (int r = 0; r < kRowsA; ++r) {
        const int row = wave_m + ColOfB(kC.mma, Lane<kC>(), r);
        a_[i][r] = reinterpret_cast<const CellVec<kC>*>(lds + kC.lds_a().Offset(row, cell));
      }
      for (int r = 0; r < kRowsB; ++r) {
        const int row = wave_n + RowOfA(kC.mma, Lane<kC>(), r);
        b_[i][r] = reinterpret_cast<const CellVec<kC>*>(lds_b + kC.lds_b().Offset(row, cell));
      }
    }
  }

  /// `buffer` counts slabs from the first on.
  GRIDWISE_DEVICE void operator()(WaveAcc<kC>& acc, int buffer = 0) const {
    const int slab = buffer * (kC.slab_bytes() / LdsTile::kCellBytes);
    for (int first = 0; first < kCellsOfLane; first += kC.fragment_cells()) {
      Fragment<MmaOperandB<kC.mma, kC.type>> a[kC.reps_m()];
      Fragment<MmaOperandA<kC.mma, kC.type>> b[kC.reps_n()];
      for (int i = 0; i < kC.reps_m(); ++i) Read(a_ + first, slab + i * kC.mma.m, a[i]);
      for (int i = 0; i < kC.reps_n(); ++i) Read(b_ + first, slab + i * kC.mma.n, b[i]);
      for (int part = 0; part < kPartsOfFragment; ++part) {
        for (int m = 0; m < kC.reps_m(); ++m) {
          for (int n = 0; n < kC.reps_n(); ++n) {
            acc.d[m][n] = Mma<kC.mma, kC.type>(b[n].part[part], a[m].part[part], acc.d[m][n]);
          }
        }
      }
    }
  }

 private:
  static constexpr int kPartsOfFragment =
      kC.fragment_cells() * kC.cell() / kC.mma.k_per_lane();  // matrix instructions
  static constexpr int kCellsOfLane = kC.tile.k / kC.fragment_k() * kC.fragment_cells();

  static constexpr int kRowsA = kC.mma.b_cols_of_lane(), kRowsB = kC.mma.a_rows_of_lane();
  static_assert(kPartsOfFragment == 1 || (kRowsA == 1 && kRowsB == 1));

  template <class Operand>
  struct Fragment {
    Operand part[kPartsOfFragment];
  };

  /// Reads the lane's rows, `row` rows after the wave's first.
  template <int kRows, class Operand>
  GRIDWISE_DEVICE static void Read(const CellVec<kC>* const (*cells)[kRows], int row,
                                   Fragment<Operand>& fragment) {
    struct {
      CellVec<kC> cell[kRows][kC.fragment_cells()];
    } read;
    for (int r = 0; r < kRows; ++r) {
      for (int i = 0; i < kC.fragment_cells(); ++i) read.cell[r][i] = cells[i][r][row];
    }
    fragment = __builtin_bit_cast(Fragment<Operand>, read);
  }

  // Of the wave's first rows; further ones follow at a constant distance, see LdsTile.
  const CellVec<kC>* a_[kCellsOfLane][kRowsA];
  const CellVec<kC>* b_[kCellsOfLane][kRowsB];
};

}  // namespace gridwise::tile
