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

/// acc += A * B for a slab in LDS. A fragment is whole LDS cells of a lane's row, enough for one
/// matrix instruction or several. Which k a lane holds differs from the instruction's own order,
/// the same way for A and B, so that the sum is the same set.
template <TileConfig kC>
class MultiplySlab {
 public:
  /// Slabs lie in `lds`, one or several: A, and B behind it.
  GRIDWISE_DEVICE explicit MultiplySlab(const char* lds) {
    const char* const lds_b = lds + kC.lds_a().bytes();
    const int row = Lane<kC>() % kC.mma.m;
    const int group = kC.mma.lane_groups() == 1 ? 0 : Lane<kC>() / kC.mma.m;
    const int wave_m = WaveM<kC>(), wave_n = WaveN<kC>();
    for (int i = 0; i < kCellsOfLane; ++i) {
      const int chunk = i / kC.fragment_cells(), part = i % kC.fragment_cells();
      const int cell = (chunk * kC.mma.lane_groups() + group) * kC.fragment_cells() + part;
      a_[i] = reinterpret_cast<const CellVec<kC>*>(lds + kC.lds_a().Offset(wave_m + row, cell));
      b_[i] = reinterpret_cast<const CellVec<kC>*>(lds_b + kC.lds_b().Offset(wave_n + row, cell));
    }
  }

  /// `buffer` counts slabs from the first on.
  GRIDWISE_DEVICE void operator()(WaveAcc<kC>& acc, int buffer = 0) const {
    const int slab = buffer * (kC.slab_bytes() / LdsTile::kCellBytes);
    for (int first = 0; first < kCellsOfLane; first += kC.fragment_cells()) {
      Fragment a[kC.reps_m()], b[kC.reps_n()];
      for (int i = 0; i < kC.reps_m(); ++i) a[i] = Read(a_ + first, slab + i * kC.mma.m);
      for (int i = 0; i < kC.reps_n(); ++i) b[i] = Read(b_ + first, slab + i * kC.mma.n);
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

  struct Fragment {
    MmaOperand<kC.mma, kC.type> part[kPartsOfFragment];
  };
  struct Cells {
    CellVec<kC> cell[kC.fragment_cells()];
  };

  GRIDWISE_DEVICE static Fragment Read(const CellVec<kC>* const* cells, int row) {
    Cells read;
    for (int i = 0; i < kC.fragment_cells(); ++i) read.cell[i] = cells[i][row];
    return __builtin_bit_cast(Fragment, read);
  }

  // Of the wave's first rows; further ones follow at a constant distance, see LdsTile.
  const CellVec<kC>* a_[kCellsOfLane];
  const CellVec<kC>* b_[kCellsOfLane];
};

}  // namespace gridwise::tile
