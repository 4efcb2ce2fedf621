// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/arch/sync.h"
#include "tile/config.h"
#include "tile/load/vectors_of_lane.h"
#include "tile/pipeline/wave_acc.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// acc += A * B for a k tile in LDS. The columns of each merged group are multiplied by its own k,
/// in turn or in one block of the matrix instruction each.
template <TileConfig kC>
class MultiplyKTile {
  using Part = Vec<Element<kC.type>, kC.read_elements()>;
  // Reads of a row of the k tile for the columns of one group.
  static constexpr int kReads =
      kC.groups_in_turn() * kC.k_of_group() / kC.fragment_k() * kC.fragment_reads();
  static constexpr int kReadsOfGroup = kReads / kC.groups_in_turn();
  static constexpr int kRepsOfGroup = kC.reps_n_of_group();
  // Number of matrix instructions whose first rows are not a constant distance apart, see LdsTile.
  static constexpr int Bases(int rows, int reps, int period) {
    const int bases = rows < period ? period / rows : 1;
    return bases < reps ? bases : reps;
  }
  static constexpr int kBasesA = Bases(kC.mma_m(), kC.reps_m(), LdsTile::kPeriodRows);
  static constexpr int kBasesB = Bases(kC.mma.m, kRepsOfGroup, LdsTile::kPeriodRows);

  // Fragments that a wave reads before it multiplies the first ones. Used where several workgroups
  // take turns and there are enough registers (RDNA's spill). Waves read in bursts; if one
  // workgroup fills the unit, its bursts come at the same time.
  static constexpr int kMaxAccumulators = 64;
  static constexpr bool kHasRegisters =
      kC.mma.unit == MmaUnit::kMfma &&
      kC.reps_m() * kC.reps_n() * kC.mma.acc_per_lane() <= kMaxAccumulators;
  static constexpr int kAhead = kC.pipeline.schedule == Schedule::kSingle && kHasRegisters ? 1 : 0;

  static constexpr int kRowsA = kC.mma.b_cols_of_lane(), kRowsB = kC.mma.a_rows_of_lane();
  static_assert(FragmentOfA<kC>::kParts == 1 || (kRowsA == 1 && kRowsB == 1));

 public:
  /// `lds` has one or several k tiles: A, followed by B.
  GRIDWISE_DEVICE explicit MultiplyKTile(const char* lds)
      : MultiplyKTile(lds, lds + kC.lds_a().bytes()) {}

  /// The same for A and B at separate addresses.
  GRIDWISE_DEVICE MultiplyKTile(const char* lds_a, const char* lds_b) {
    const int first_m = WaveM<kC>() + kC.mma.BlockOf(Lane<kC>()) / kC.groups_at_once() * kC.mma.n;
    for (int i = 0; i < kReads; ++i) {
      const int turn = i / kReadsOfGroup;
      const int group = WaveGroup<kC>() + turn * kC.groups_at_once() + Group();
      const int k = group * kC.k_of_group() + FirstK(i);
      for (int r = 0; r < kBasesA * kRowsA; ++r) {
        const int row = first_m + r / kRowsA * kC.mma_m() + ColOfB(kC.mma, Lane<kC>(), r % kRowsA);
        a_[r / kRowsA][i][r % kRowsA] =
            lds_a + Opaque(kC.lds_a().Offset(row, k / kC.vector()) + InVector(k));
      }
    }
    const int first_n = WaveN<kC>() + Group() * kC.n_of_group();
    for (int i = 0; i < kReadsOfGroup; ++i) {
      for (int r = 0; r < kBasesB * kRowsB; ++r) {
        const int row = first_n + r / kRowsB * kC.mma.m + RowOfA(kC.mma, Lane<kC>(), r % kRowsB);
        const int k = FirstK(i);
        b_[r / kRowsB][i][r % kRowsB] =
            lds_b + Opaque(kC.lds_b().Offset(row, k / kC.vector()) + InVector(k));
      }
    }
  }

  /// `buffer` is the index of the k tile.
  GRIDWISE_DEVICE void operator()(WaveAcc<kC>& acc, int buffer = 0) const {
    const int k_tile = buffer * kC.k_tile_bytes();
    OfA a[1 + kAhead];
    OfB b[1 + kAhead];
    for (int f = 0; f < kFragments + kAhead; ++f) {
      if (f < kFragments) {
        ReadA(f, k_tile, a[f % (1 + kAhead)]);
        ReadB(f, k_tile, b[f % (1 + kAhead)]);
        if (kAhead > 0) SchedulingFence();  // reads are not delayed into the matrix instructions
      }
      if (f < kAhead) continue;
      const int next = (f - kAhead) % (1 + kAhead);
      Multiply<kC>(a[next].rep, b[next].rep, FirstN(f - kAhead), acc);
    }
  }

  /// A lane's part of the rows and columns of a k tile's `kFragments` fragments.
  static constexpr int kFragments = kReads / kC.fragment_reads();
  struct OfA {
    FragmentOfA<kC> rep[kC.reps_m()];
  };
  struct OfB {
    FragmentOfB<kC> rep[kRepsOfGroup];
  };

  /// Reads the lane's part of the f-th fragment, `offset` bytes after the first k tile.
  GRIDWISE_DEVICE void ReadA(int f, int offset, OfA& a) const {
    for (int i = 0; i < kC.reps_m(); ++i) {
      const int row = i / kBasesA * kBasesA * kC.mma_m();
      Read(a_[i % kBasesA] + f * kC.fragment_reads(), offset + row * LdsTile::kVectorBytes,
           a.rep[i]);
    }
  }
  GRIDWISE_DEVICE void ReadB(int f, int offset, OfB& b) const {
    for (int i = 0; i < kRepsOfGroup; ++i) {
      const int row = kC.FirstColumn(FirstN(f) + i / kBasesB * kBasesB);
      Read(b_[i % kBasesB] + f * kC.fragment_reads() % kReadsOfGroup,
           offset + row * LdsTile::kVectorBytes, b.rep[i]);
    }
  }

  /// The first of a wave's matrix instructions along n that use the f-th fragments of a k tile.
  GRIDWISE_DEVICE static constexpr int FirstN(int f) {
    return f * kC.fragment_reads() / kReadsOfGroup * kRepsOfGroup;
  }

 private:
  /// The lane's group, among those that a matrix instruction multiplies.
  GRIDWISE_DEVICE static int Group() { return kC.mma.BlockOf(Lane<kC>()) % kC.groups_at_once(); }
  /// The k in its group at which the lane's i-th read begins, and its offset in the vector.
  GRIDWISE_DEVICE static int FirstK(int i) {
    const int lane_group = kC.mma.lane_groups() == 1 ? 0 : Lane<kC>() / kC.mma.m;
    const int read = i % kReadsOfGroup;
    const int k_fragment = read / kC.fragment_reads(), part = read % kC.fragment_reads();
    return ((k_fragment * kC.mma.lane_groups() + lane_group) * kC.fragment_reads() + part) *
           kC.read_elements();
  }
  GRIDWISE_DEVICE static int InVector(int k) { return k % kC.vector() * SizeOf(kC.type); }

  /// Reads the lane's rows, `offset` bytes after the wave's first.
  template <int kRows, class Operand>
  GRIDWISE_DEVICE static void Read(const char* const (*at)[kRows], int offset,
                                   Fragment<kC, Operand>& fragment) {
    using Result = Fragment<kC, Operand>;
    struct {
      Part part[kRows][kC.fragment_reads()];
    } read;
    for (int r = 0; r < kRows; ++r) {
      for (int i = 0; i < kC.fragment_reads(); ++i) {
        read.part[r][i] = *reinterpret_cast<const Part*>(at[i][r] + offset);
      }
    }
    fragment = __builtin_bit_cast(Result, read);
  }

  // For the wave's first rows and columns; the others follow at a constant distance.
  const char* a_[kBasesA][kReads][kRowsA];
  const char* b_[kBasesB][kReadsOfGroup][kRowsB];
};

}  // namespace gridwise::tile
