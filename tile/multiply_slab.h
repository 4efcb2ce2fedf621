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
/// same set. Of merged groups, each one's columns are multiplied by its own k, in turn or by a
/// block of the instruction each.
template <TileConfig kC>
class MultiplySlab {
 public:
  /// Slabs lie in `lds`, one or several: A, and B behind it.
  GRIDWISE_DEVICE explicit MultiplySlab(const char* lds) {
    const char* const lds_b = lds + kC.lds_a().bytes();
    const int lane_group = kC.mma.lane_groups() == 1 ? 0 : Lane<kC>() / kC.mma.m;
    const int block = kC.mma.BlockOf(Lane<kC>()), group = block % kC.groups_at_once();
    const int first_m = WaveM<kC>() + block / kC.groups_at_once() * kC.mma.n;
    const int first_n = WaveN<kC>() + group * kC.n_of_group();
    for (int i = 0; i < kReads; ++i) {
      const int chunk = i / kC.fragment_reads(), part = i % kC.fragment_reads();
      const int k = ((chunk * kC.mma.lane_groups() + lane_group) * kC.fragment_reads() + part) *
                    kC.read_elements();
      const int k_a = group * kC.k_of_group() + k;
      for (int r = 0; r < kBasesA * kRowsA; ++r) {
        const int row = first_m + r / kRowsA * kC.mma_m() + ColOfB(kC.mma, Lane<kC>(), r % kRowsA);
        a_[r / kRowsA][i][r % kRowsA] = lds + OffsetOf(kC.lds_a(), row, k_a);
      }
      if (i >= kReadsOfGroup) continue;
      for (int r = 0; r < kBasesB * kRowsB; ++r) {
        const int row = first_n + r / kRowsB * kC.mma.m + RowOfA(kC.mma, Lane<kC>(), r % kRowsB);
        b_[r / kRowsB][i][r % kRowsB] = lds_b + OffsetOf(kC.lds_b(), row, k);
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
      for (int i = 0; i < kC.reps_m(); ++i) {
        Read(a_[i % kBasesA] + first, slab + i / kBasesA * kBasesA * kC.mma_m(), a[i]);
      }
      for (int i = 0; i < kRepsOfGroup; ++i) {
        const int row = first_n + i / kBasesB * kBasesB;
        Read(b_[i % kBasesB] + first % kReadsOfGroup, slab + row * kC.mma.m, b[i]);
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
  static constexpr int kReads =
      kC.groups_in_turn() * kC.k_of_group() / kC.fragment_k() * kC.fragment_reads();
  static constexpr int kReadsOfGroup = kReads / kC.groups_in_turn();
  static constexpr int kRepsOfGroup = kC.reps_n() / kC.groups_in_turn();
  // Matrix instructions whose first rows are not a constant distance apart, see LdsTile.
  static constexpr int Bases(int rows, int reps) {
    const int bases = rows < LdsTile::kPeriodRows ? LdsTile::kPeriodRows / rows : 1;
    return bases < reps ? bases : reps;
  }
  static constexpr int kBasesA = Bases(kC.mma_m(), kC.reps_m());
  static constexpr int kBasesB = Bases(kC.mma.m, kRepsOfGroup);

  static constexpr int kRowsA = kC.mma.b_cols_of_lane(), kRowsB = kC.mma.a_rows_of_lane();
  static_assert(kPartsOfFragment == 1 || (kRowsA == 1 && kRowsB == 1));

  template <class Operand>
  struct Fragment {
    Operand part[kPartsOfFragment];
  };

  GRIDWISE_DEVICE static int OffsetOf(LdsTile tile, int row, int k) {
    return tile.Offset(row, k / kC.cell()) + k % kC.cell() * SizeOf(kC.type);
  }

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

  // Of the wave's first rows; further ones follow at a constant distance.
  const char* a_[kBasesA][kReads][kRowsA];
  const char* b_[kBasesB][kReadsOfGroup][kRowsB];
};

}  // namespace gridwise::tile
