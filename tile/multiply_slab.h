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
  Acc<kC.mma, kC.type> d[kC.reps_m()][kC.reps_n()] = {};
};

/// acc += A * B for a slab in LDS. A fragment is what lanes read of their rows for one matrix
/// instruction or several, see TileConfig. The instruction's A is the tile's B. Which k a lane
/// holds differs from the instruction's own order, the same way for A and B, so that the sum is the
/// same set. Of merged groups, each one's columns are multiplied by its own k.
template <TileConfig kC>
class MultiplySlab {
 public:
  /// Slabs lie in `lds`, one or several: A, and B behind it.
  GRIDWISE_DEVICE explicit MultiplySlab(const char* lds) {
    const char* const lds_b = lds + kC.lds_a().bytes();
    const int group = kC.mma.lane_groups() == 1 ? 0 : Lane<kC>() / kC.mma.m;
    const int wave_m = WaveM<kC>(), wave_n = WaveN<kC>();
    for (int i = 0; i < kReads; ++i) {
      const int chunk = i / kC.fragment_reads(), part = i % kC.fragment_reads();
      const int k = ((chunk * kC.mma.lane_groups() + group) * kC.fragment_reads() + part) *
                    kC.read_elements();
      const int cell = k / kC.cell(), in_cell = k % kC.cell() * SizeOf(kC.type);
      for (int r = 0; r < kRowsA; ++r) {
        const int row = wave_m + ColOfB(kC.mma, Lane<kC>(), r);
        a_[i][r] = lds + kC.lds_a().Offset(row, cell) + in_cell;
      }
      if (i >= kReadsOfGroup) continue;
      for (int r = 0; r < kRowsB; ++r) {
        const int row = wave_n + RowOfA(kC.mma, Lane<kC>(), r);
        b_[i][r] = lds_b + kC.lds_b().Offset(row, cell) + in_cell;
      }
    }
  }

  /// `buffer` counts slabs from the first on.
  GRIDWISE_DEVICE void operator()(WaveAcc<kC>& acc, int buffer = 0) const {
    const int slab = buffer * (kC.slab_bytes() / LdsTile::kCellBytes);
    for (int first = 0; first < kReads; first += kC.fragment_reads()) {
      const int first_n = first / kReadsOfGroup * kRepsOfGroup;
      Fragment<MmaOperandB<kC.mma, kC.type>> a[kC.reps_m()];
      Fragment<MmaOperandA<kC.mma, kC.type>> b[kRepsOfGroup];
      for (int i = 0; i < kC.reps_m(); ++i) Read(a_ + first, slab + i * kC.mma.m, a[i]);
      for (int i = 0; i < kRepsOfGroup; ++i) {
        Read(b_ + first % kReadsOfGroup, slab + (first_n + i) * kC.mma.n, b[i]);
      }
      for (int part = 0; part < kPartsOfFragment; ++part) {
        for (int m = 0; m < kC.reps_m(); ++m) {
          for (int n = 0; n < kRepsOfGroup; ++n) {
            Acc<kC.mma, kC.type>& d = acc.d[m][first_n + n];
            d = Mma<kC.mma, kC.type>(b[n].part[part], a[m].part[part], d);
          }
        }
      }
    }
  }

 private:
  using Part = Vec<Element<kC.type>, kC.read_elements()>;
  static constexpr int kPartsOfFragment =
      kC.fragment_reads() * kC.read_elements() / kC.mma.k_per_lane();  // matrix instructions
  // Of a row of the slab, and of those, of the columns of one group.
  static constexpr int kReads = kC.tile.k / kC.fragment_k() * kC.fragment_reads();
  static constexpr int kReadsOfGroup = kReads / kC.merge.groups;
  static constexpr int kRepsOfGroup = kC.reps_n() / kC.merge.groups;

  static constexpr int kRowsA = kC.mma.b_cols_of_lane(), kRowsB = kC.mma.a_rows_of_lane();
  static_assert(kPartsOfFragment == 1 || (kRowsA == 1 && kRowsB == 1));

  template <class Operand>
  struct Fragment {
    Operand part[kPartsOfFragment];
  };

  /// Reads the lane's rows, `row` rows after the wave's first.
  template <int kRows, class Operand>
  GRIDWISE_DEVICE static void Read(const char* const (*at)[kRows], int row,
                                   Fragment<Operand>& fragment) {
    struct {
      Part part[kRows][kC.fragment_reads()];
    } read;
    for (int r = 0; r < kRows; ++r) {
      for (int i = 0; i < kC.fragment_reads(); ++i) {
        read.part[r][i] = *reinterpret_cast<const Part*>(at[i][r] + row * LdsTile::kCellBytes);
      }
    }
    fragment = __builtin_bit_cast(Fragment<Operand>, read);
  }

  // Of the wave's first rows; further ones follow at a constant distance, see LdsTile.
  const char* a_[kReads][kRowsA];
  const char* b_[kReadsOfGroup][kRowsB];
};

}  // namespace gridwise::tile
