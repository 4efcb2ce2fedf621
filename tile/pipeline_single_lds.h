#pragma once

#include "ck/arch/mma.h"
#include "ck/arch/sync.h"
#include "tile/cells_of_lane.h"
#include "tile/config.h"

namespace gridwise::tile {

/// Accumulators of a wave, transposed: D's rows are the tile's n and its columns the tile's m, so
/// that a lane holds runs of consecutive n of one m.
template <TileConfig kC>
struct WaveAcc {
  Acc<kC.mma> d[kC.reps_m()][kC.reps_n()] = {};
};

/// First row of the wave in the tile, first column of the wave in the tile.
template <TileConfig kC>
GRIDWISE_DEVICE int WaveM() {
  return Uniform(ThreadId() / kC.mma.lanes()) / kC.waves.n * kC.wave_m();
}
template <TileConfig kC>
GRIDWISE_DEVICE int WaveN() {
  return Uniform(ThreadId() / kC.mma.lanes()) % kC.waves.n * kC.wave_n();
}
template <TileConfig kC>
GRIDWISE_DEVICE int Lane() {
  return ThreadId() % kC.mma.lanes();
}

/// acc += A * B for the slab in LDS. A fragment is whole LDS cells of a lane's row, enough for one
/// matrix instruction or several. Which k a lane holds differs from the instruction's own order,
/// the same way for A and B, so that the sum is the same set.
template <TileConfig kC>
class MultiplySlab {
 public:
  GRIDWISE_DEVICE explicit MultiplySlab(const char* lds_a, const char* lds_b) {
    const int row = Lane<kC>() % kC.mma.m;
    const int group = kC.mma.lane_groups() == 1 ? 0 : Lane<kC>() / kC.mma.m;
    const int wave_m = WaveM<kC>(), wave_n = WaveN<kC>();
    for (int i = 0; i < kCellsOfLane; ++i) {
      const int chunk = i / kC.fragment_cells(), part = i % kC.fragment_cells();
      const int cell = (chunk * kC.mma.lane_groups() + group) * kC.fragment_cells() + part;
      a_[i] = reinterpret_cast<const CellVec<kC>*>(lds_a + kC.lds_a().Offset(wave_m + row, cell));
      b_[i] = reinterpret_cast<const CellVec<kC>*>(lds_b + kC.lds_b().Offset(wave_n + row, cell));
    }
  }

  GRIDWISE_DEVICE void operator()(WaveAcc<kC>& acc) const {
    for (int first = 0; first < kCellsOfLane; first += kC.fragment_cells()) {
      Fragment a[kC.reps_m()], b[kC.reps_n()];
      for (int i = 0; i < kC.reps_m(); ++i) a[i] = Read(a_ + first, i * kC.mma.m);
      for (int i = 0; i < kC.reps_n(); ++i) b[i] = Read(b_ + first, i * kC.mma.n);
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

/// The main loop with one LDS buffer: while a slab is multiplied, the next one is on its way into
/// registers.
///
///   load 0 | store 0 | barrier | load 1, multiply 0 | barrier | store 1 | barrier | load 2,
///   multiply 1 | ...
///
/// LoadA and LoadB have Load(walk), which starts the loads of a step, and Store(lds), which waits
/// for them.
template <TileConfig kC, class LoadA, class LoadB, class Walk>
GRIDWISE_DEVICE void MainLoop(LoadA& a, LoadB& b, Walk& walk, int steps, char* lds,
                              WaveAcc<kC>& acc) {
  if (steps == 0) return;
  char* const lds_a = lds;
  char* const lds_b = lds + kC.lds_a().bytes();
  const MultiplySlab<kC> multiply(lds_a, lds_b);
  a.Load(walk);
  b.Load(walk);
  a.Store(lds_a);
  b.Store(lds_b);
  for (int step = 1; step < steps; ++step) {
    BarrierLds();
    walk.Advance();
    a.Load(walk);
    b.Load(walk);
    multiply(acc);
    SchedulingFence();  // nothing that waits for the loads moves up among the matrix instructions
    BarrierLds();
    a.Store(lds_a);
    b.Store(lds_b);
  }
  BarrierLds();
  multiply(acc);
}

}  // namespace gridwise::tile
