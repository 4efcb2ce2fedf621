// SPDX-License-Identifier: MIT
#pragma once

#include "ck/gemm/config.h"
#include "core/arch/gpu.h"
#include "core/arch/memory.h"
#include "core/arch/mma.h"
#include "core/arch/sync.h"

namespace gridwise::ck {

/// Index of this thread's lane and wave among those that multiply.
template <GemmConfig kC>
GRIDWISE_DEVICE int LaneId() {
  return ThreadId() % kC.mma.lanes();
}
template <GemmConfig kC>
GRIDWISE_DEVICE int WaveId() {
  return Uniform(ThreadId() / kC.mma.lanes());
}
template <GemmConfig kC>
GRIDWISE_DEVICE bool IsMathWave() {
  return !kC.is_wavelet() || WaveId<kC>() < kC.waves.m * kC.waves.n;
}
/// First row (column) of the tile that this wave computes.
template <GemmConfig kC>
GRIDWISE_DEVICE int FirstRowOfWave(Side side) {
  return side == Side::kA ? WaveId<kC>() / kC.waves.n * kC.wave_m()
                          : WaveId<kC>() % kC.waves.n * kC.wave_n();
}

/// Sums of a wave, [m][n] in matrix instructions. They are transposed: see GemmConfig.
template <GemmConfig kC>
struct WaveSums {
  Acc<kC.mma, kC.type> of[kC.reps_m()][kC.reps_n()] = {};
};

/// The part of an operand that a lane passes to matrix instructions. The k that it holds differ
/// from the instruction's own order, in the same way for A and B, so the sum is over the same
/// products.
template <GemmConfig kC, Side kSide>
class Fragments {
 public:
  static constexpr int kReps = kC.reps(kSide), kProducts = kC.products_per_pack();
  static constexpr int kRows = kC.rows_of_lane(kSide);
  static constexpr int kK = kC.mma.k_per_lane();
  using Operand = Vec<gridwise::Element<kC.type>, kRows * kK>;

  /// The operand's tile is at `lds`, or at a constant distance after it.
  GRIDWISE_DEVICE explicit Fragments(const char* lds) {
    const int lane = LaneId<kC>(), group = lane / (kC.mma.lanes() / kC.mma.lane_groups());
    for (int k_block = 0; k_block < kC.k_blocks(); ++k_block) {
      for (int pack = 0; pack < kPacks; ++pack) {
        const int of_row = (k_block * kC.mma.lane_groups() + group) * kPacks + pack;
        for (int i = 0; i < kRows; ++i) {
          const int row = FirstRowOfWave<kC>(kSide) +
                          (kSide == Side::kA ? ColOfB(kC.mma, lane, i) : RowOfA(kC.mma, lane, i));
          at_[k_block][pack][i] = lds + Opaque(kC.lds(kSide).Offset(row, of_row));
        }
      }
    }
  }

  /// Reads the fragments of a k block from the buffer `behind` bytes after the first.
  GRIDWISE_DEVICE void Read(int k_block, int behind, Operand (&out)[kReps][kProducts]) const {
    for (int rep = 0; rep < kReps; ++rep) {
      const int offset = behind + rep * kC.mma.m * LdsTile::kVectorBytes;
      struct Packs {
        Pack of[kPacks];
      };
      struct Products {
        Operand of[kProducts];
      };
      for (int i = 0; i < kRows; ++i) {
        Packs packs;
        for (int pack = 0; pack < kPacks; ++pack) {
          packs.of[pack] = *reinterpret_cast<const Pack*>(at_[k_block][pack][i] + offset);
        }
        if constexpr (kRows == 1) {
          const Products products = __builtin_bit_cast(Products, packs);
          for (int i = 0; i < kProducts; ++i) out[rep][i] = products.of[i];
        } else {
          for (int k = 0; k < kPacks * kC.k_pack(); ++k) {
            out[rep][k / kK][i * kK + k % kK] = packs.of[k / kC.k_pack()][k % kC.k_pack()];
          }
        }
      }
    }
  }

 private:
  static constexpr int kPacks = kC.packs_per_product();
  using Pack = Vec<gridwise::Element<kC.type>, kC.k_pack()>;

  const char* at_[kC.k_blocks()][kPacks][kRows];
};

/// The same for an operand that lies along its rows: a read transposes 4 lines of LDS, so two reads
/// make a pack.
template <GemmConfig kC, Side kSide>
  requires(kC.operand(kSide).reads_transposed())
class Fragments<kC, kSide> {
 public:
  static constexpr int kReps = kC.reps(kSide), kProducts = 1;
  using Operand = Vec<gridwise::Element<kC.type>, kC.k_pack()>;

  GRIDWISE_DEVICE explicit Fragments(const char* lds) {
    const int lane = LaneId<kC>();
    for (int rep = 0; rep < kReps; ++rep) {
      const int row = FirstRowOfWave<kC>(kSide) + rep * kC.mma.m + RowOfA(kC.mma, lane, 0);
      const int k = lane / kC.mma.m * kC.k_pack();
      at_[rep] = lds + Opaque(kC.lds_lines(kSide).ReadOffset(lane, k, row));
    }
  }

  GRIDWISE_DEVICE void Read(int k_block, int behind, Operand (&out)[kReps][kProducts]) const {
    using Run = Vec<gridwise::Element<kC.type>, LdsLines::kReadLines>;
    struct Halves {
      Run of[kC.k_pack() / LdsLines::kReadLines];
    };
    for (int rep = 0; rep < kReps; ++rep) {
      const char* const from = at_[rep] + behind + k_block * kC.mma.k * kLineBytes;
      Halves halves;
      for (int i = 0; i < kC.k_pack() / LdsLines::kReadLines; ++i) {
        halves.of[i] = ReadTransposed<Run>(from + i * LdsLines::kReadLines * kLineBytes);
      }
      out[rep][0] = __builtin_bit_cast(Operand, halves);
    }
  }

 private:
  static constexpr int kLineBytes = kC.lds_lines(kSide).line_bytes();

  const char* at_[kReps];
};

/// sums += A * B over the k tiles in LDS.
template <GemmConfig kC>
class Multiply {
 public:
  /// A's tile is at `lds`, followed by B's.
  GRIDWISE_DEVICE explicit Multiply(const char* lds)
      : a_(lds), b_(lds + kC.lds(Side::kA).bytes()) {}

  GRIDWISE_DEVICE void operator()(int buffer, WaveSums<kC>& sums) const {
    using A = Fragments<kC, Side::kA>;
    using B = Fragments<kC, Side::kB>;
    for (int k_block = 0; k_block < kC.k_blocks(); ++k_block) {
      typename A::Operand a[A::kReps][A::kProducts];
      typename B::Operand b[B::kReps][B::kProducts];
      a_.Read(k_block, buffer * kC.buffer_bytes(), a);
      b_.Read(k_block, buffer * kC.buffer_bytes(), b);
      for (int i = 0; i < A::kProducts; ++i) {
        for (int m = 0; m < A::kReps; ++m) {
          for (int n = 0; n < B::kReps; ++n) {
            sums.of[m][n] = Mma<kC.mma, kC.type>(b[n][i], a[m][i], sums.of[m][n]);
          }
        }
      }
      // Vector FMAs hold many rows and columns: the fragments of all k blocks would not fit.
      if constexpr (kC.mma.unit == MmaUnit::kFma) SchedulingFence();
    }
  }

 private:
  const Fragments<kC, Side::kA> a_;
  const Fragments<kC, Side::kB> b_;
};

}  // namespace gridwise::ck
