#pragma once

#include "core/arch/mma.h"
#include "tile/bwd_weight_args.h"
#include "tile/config.h"
#include "tile/load/position_walk.h"
#include "tile/pipeline/wave_acc.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// acc += dy^T * x for a block of channels of each, through the taps of a row of the filter: lanes
/// hold two channels of a run of cells, which they transpose, and of x those of its neighbours, so
/// that all taps have theirs in registers. A matrix instruction has every other channel.
template <TileConfig kC>
class MultiplyBlocks {
  static constexpr int kRun = kC.kRunCells, kTaps = kC.kTapsOfWave;
  static constexpr int kPair = TileConfig::kBlock / kC.mma.m;
  static_assert(kPair == 2 && kRun * (kC.mma.lanes() / kC.mma.m) == kC.kStepCells);
  using Pair = Vec<Element<kC.type>, kPair>;
  using Run = Vec<Element<kC.type>, kRun>;
  static constexpr int kParts = kRun / kC.mma.k_per_lane();  // matrix instructions of a run

 public:
  /// `lds`: see LoadPositions.
  GRIDWISE_DEVICE MultiplyBlocks(const CellPositions& positions, const char* lds)
      : to_first_tap_((WaveN<kC>() / kC.wave_n() - (kTaps - 1)) * positions.pitch - (kTaps - 1)),
        lane_(lds + Opaque(FirstCell() * kC.cell_bytes() +
                           (WaveM<kC>() + Lane<kC>() % kC.mma.m * kPair) * SizeOf(kC.type))) {}

  /// The step whose cells of dy begin at `dy_walk`, which moves on, and of x, those that it has
  /// loaded, in cell `at` of the ring. At positions that are no cells dy is zero, and x is masked
  /// because it could be infinite; without masks `dy_walk` is not needed.
  template <bool kMasked>
  GRIDWISE_DEVICE void Step(PositionWalk& dy_walk, int at, WaveAcc<kC>& acc) const {
    for (int cell = 0; cell < kC.tile.k; cell += kC.kStepCells) {
      Pair dy[kRun], x[kRun + kTaps - 1];
      Read(lane_ + kC.bytes_of_ring(), cell, dy);
      int from = at + cell + to_first_tap_;
      from += from < 0 ? kC.halo.cells : 0;
      from -= from >= kC.halo.cells ? kC.halo.cells : 0;
      Read(lane_, from, x);
      unsigned cells = ~0u;
      if constexpr (kMasked) {
        cells = dy_walk.Cells();
        dy_walk.Advance(kC.kStepCells);
      }
      Multiply<kMasked>(cells, dy, x, acc);
    }
  }

 private:
  using Bits = Vec<unsigned, kRun / kPair>;

  GRIDWISE_DEVICE static int FirstCell() { return Lane<kC>() / kC.mma.m * kRun; }

  template <int kCount>
  GRIDWISE_DEVICE static void Read(const char* lds, int first, Pair (&cells)[kCount]) {
    for (int i = 0; i < kCount; ++i) {
      cells[i] =
          *reinterpret_cast<const Pair*>(lds + first * kC.cell_bytes() + i * kC.cell_bytes());
    }
  }

  /// All bits of the lane's cells, of such a step.
  GRIDWISE_DEVICE static Bits BitsOf(unsigned cells) {
    const int of_lane = static_cast<int>(cells >> FirstCell());
    Bits bits;
    for (int i = 0; i < kRun / kPair; ++i) {
      const unsigned first = of_lane << (31 - kPair * i) >> 31;
      const unsigned second = of_lane << (30 - kPair * i) >> 31;
      bits[i] = (first & 0xffff) | (second & 0xffff0000);
    }
    return bits;
  }

  template <bool kMasked>
  GRIDWISE_DEVICE void Multiply(unsigned cells, const Pair (&dy)[kRun],
                                const Pair (&x)[kRun + kTaps - 1], WaveAcc<kC>& acc) const {
    struct Parts {
      MmaOperandA<kC.mma, kC.type> part[kParts];
    };
    Bits bits = {};
    if constexpr (kMasked) bits = BitsOf(cells);
    const auto run_of = [&](const auto& cells, int from, int channel)
                            __attribute__((always_inline)) {
                              Run run;
                              for (int e = 0; e < kRun; ++e) run[e] = cells[from + e][channel];
                              return run;
                            };
    Parts rows[kC.reps_m()];
    for (int m = 0; m < kC.reps_m(); ++m) {
      rows[m] = __builtin_bit_cast(Parts, run_of(dy, 0, m));
    }
    for (int n = 0; n < kC.reps_n(); ++n) {
      Run run = run_of(x, n / kPair, n % kPair);
      if constexpr (kMasked) {
        run = __builtin_bit_cast(Run, __builtin_bit_cast(Bits, run) & bits);
      }
      const Parts column = __builtin_bit_cast(Parts, run);
      for (int part = 0; part < kParts; ++part) {
        for (int m = 0; m < kC.reps_m(); ++m) {
          Acc<kC.mma, kC.type>& d = acc.d[m][n];
          d = Mma<kC.mma, kC.type>(column.part[part], rows[m].part[part], d);
        }
      }
    }
  }

  // Cells from the first that a step loads, which the last tap of its first cell meets, to the
  // first tap's of the wave's row.
  const int to_first_tap_;
  const char* const lane_;  // the lane's part of cell 0 of the ring
};

}  // namespace gridwise::tile
