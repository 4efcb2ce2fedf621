#pragma once

#include "core/arch/gpu.h"
#include "core/arch/sync.h"
#include "tile/config.h"
#include "tile/load/chunks_of_lane.h"
#include "tile/pipeline/wave_acc.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// acc += A * B for a slab in LDS. Of merged groups, each one's columns are multiplied by its own
/// k, in turn or by a block of the matrix instruction each.
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
      const int turn = i / kReadsOfGroup, read = i % kReadsOfGroup;
      const int k_fragment = read / kC.fragment_reads(), part = read % kC.fragment_reads();
      const int k =
          ((k_fragment * kC.mma.lane_groups() + lane_group) * kC.fragment_reads() + part) *
          kC.read_elements();
      const int k_a = (turn * kC.groups_at_once() + group) * kC.k_of_group() + k;
      for (int r = 0; r < kBasesA * kRowsA; ++r) {
        const int row = first_m + r / kRowsA * kC.mma_m() + ColOfB(kC.mma, Lane<kC>(), r % kRowsA);
        a_[r / kRowsA][i][r % kRowsA] = lds + Opaque(OffsetOf(kC.lds_a(), row, k_a));
      }
      if (i >= kReadsOfGroup) continue;
      for (int r = 0; r < kBasesB * kRowsB; ++r) {
        const int row = first_n + r / kRowsB * kC.mma.m + RowOfA(kC.mma, Lane<kC>(), r % kRowsB);
        b_[r / kRowsB][i][r % kRowsB] = lds_b + Opaque(OffsetOf(kC.lds_b(), row, k));
      }
    }
  }

  /// `buffer` counts slabs from the first on.
  GRIDWISE_DEVICE void operator()(WaveAcc<kC>& acc, int buffer = 0) const {
    constexpr int kFragments = kReads / kC.fragment_reads(), kAhead = kC.fragments_ahead();
    Fragments fragments[1 + kAhead];
    for (int f = 0; f < kFragments + kAhead; ++f) {
      if (f < kFragments) {
        Read(f, buffer * (kC.slab_bytes() / LdsTile::kChunkBytes), fragments[f % (1 + kAhead)]);
        if (kAhead > 0) SchedulingFence();  // reads are not put off among the matrix instructions
      }
      if (f < kAhead) continue;
      const Fragments& next = fragments[(f - kAhead) % (1 + kAhead)];
      Multiply<kC>(next.a, next.b, FirstN(f - kAhead), acc);
    }
  }

 private:
  using Part = Vec<Element<kC.type>, kC.read_elements()>;
  struct Fragments {
    FragmentOfA<kC> a[kC.reps_m()];
    FragmentOfB<kC> b[kC.reps_n_of_group()];
  };
  // Of a row of the slab, and of those, of the columns of one group.
  static constexpr int kReads =
      kC.groups_in_turn() * kC.k_of_group() / kC.fragment_k() * kC.fragment_reads();
  static constexpr int kReadsOfGroup = kReads / kC.groups_in_turn();
  static constexpr int kRepsOfGroup = kC.reps_n_of_group();
  // Matrix instructions whose first rows are not a constant distance apart, see LdsTile.
  static constexpr int Bases(int rows, int reps) {
    const int bases = rows < LdsTile::kPeriodRows ? LdsTile::kPeriodRows / rows : 1;
    return bases < reps ? bases : reps;
  }
  static constexpr int kBasesA = Bases(kC.mma_m(), kC.reps_m());
  static constexpr int kBasesB = Bases(kC.mma.m, kRepsOfGroup);

  static constexpr int kRowsA = kC.mma.b_cols_of_lane(), kRowsB = kC.mma.a_rows_of_lane();
  static_assert(FragmentOfA<kC>::kParts == 1 || (kRowsA == 1 && kRowsB == 1));

  GRIDWISE_DEVICE static int OffsetOf(LdsTile tile, int row, int k) {
    return tile.Offset(row, k / kC.chunk()) + k % kC.chunk() * SizeOf(kC.type);
  }

  /// The first of a wave's matrix instructions along n that the slab's f-th fragments are for.
  GRIDWISE_DEVICE static constexpr int FirstN(int f) {
    return f * kC.fragment_reads() / kReadsOfGroup * kRepsOfGroup;
  }

  /// Reads the slab's f-th fragments; `slab` is where it lies, in chunks.
  GRIDWISE_DEVICE void Read(int f, int slab, Fragments& fragments) const {
    const int first = f * kC.fragment_reads();
    for (int i = 0; i < kC.reps_m(); ++i) {
      Read(a_[i % kBasesA] + first, slab + i / kBasesA * kBasesA * kC.mma_m(), fragments.a[i]);
    }
    for (int i = 0; i < kRepsOfGroup; ++i) {
      const int row = kC.ColumnOf(FirstN(f) + i / kBasesB * kBasesB);
      Read(b_[i % kBasesB] + first % kReadsOfGroup, slab + row, fragments.b[i]);
    }
  }

  /// Reads the lane's rows, `row` rows after the wave's first.
  template <int kRows, class Operand>
  GRIDWISE_DEVICE static void Read(const char* const (*at)[kRows], int row,
                                   Fragment<kC, Operand>& fragment) {
    using Result = Fragment<kC, Operand>;
    struct {
      Part part[kRows][kC.fragment_reads()];
    } read;
    for (int r = 0; r < kRows; ++r) {
      for (int i = 0; i < kC.fragment_reads(); ++i) {
        read.part[r][i] = *reinterpret_cast<const Part*>(at[i][r] + row * LdsTile::kChunkBytes);
      }
    }
    fragment = __builtin_bit_cast(Result, read);
  }

  // Of the wave's first rows; further ones follow at a constant distance.
  const char* a_[kBasesA][kReads][kRowsA];
  const char* b_[kBasesB][kReadsOfGroup][kRowsB];
};

}  // namespace gridwise::tile
