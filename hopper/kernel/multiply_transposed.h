// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/wgmma.h"
#include "hopper/kernel/multiply.h"

/// Sums of products of tf32 in backward-weight. Both operands lie across K in memory: a line of
/// shared memory is 32 rows of A or 32 columns of B at a pixel. The tensor core multiplies tf32
/// from shared memory only along K. Lanes therefore load A into registers, and warps transpose B
/// where it is, 32 columns by 32 pixels at a time, while the products of the k tile before are in
/// flight.
///
/// K has its pixels in any order that is the same for both operands. Element i of the p-th piece of
/// 16 bytes of a transposed column is pixel 8 i + (p ^ 2 i) of the k tile. What a warp loads or
/// stores at once then lies on different banks.

namespace gridwise::hopper {

/// Bytes of a line, and of 32 columns in a k tile.
inline constexpr int kLineBytes = 128, kTransposedBytes = 32 * kLineBytes;

/// A thread's part of 64 rows of A in a k tile, as WgmmaOfRegisters takes it.
template <Config kC>
struct RowsOfA {
  unsigned word[kC.k_tile / 8][4];
};

/// Loads 64 rows, which begin at byte `a` of shared memory.
template <Config kC>
GRIDWISE_DEVICE RowsOfA<kC> LoadRows(int a) {
  // Here: addresses take no registers while products are in flight.
  const int thread = Here(ThreadId()), lane = thread % 32, i = lane % 4;
  const int row = thread % 128 / 32 * 16 + lane / 4;
  // TMA puts piece q of line l at q ^ l % 8. The pieces of K change bits of the line's number and
  // of its pieces' places, and rows that are 8 apart those of the places only.
  const int mine =
      (row / 32 * 32 + 8 * i + 2 * i) * kLineBytes + (row % 32 / 4 ^ 2 * i) * 16 + row % 4 * 4;
  const char* const from = dynamic_shared_memory + a;
  RowsOfA<kC> of;
#pragma unroll
  for (int step = 0; step < kC.k_tile / 8; ++step) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int piece = step * 2 + e / 2;
      const char* const at = from + (mine ^ piece * (kLineBytes + 16) ^ e % 2 * 32);
      of.word[step][e] = *reinterpret_cast<const unsigned*>(at);
    }
  }
  return of;
}

/// A warp transposes 32 columns, which begin at byte `b` of shared memory.
GRIDWISE_DEVICE void TransposeColumns(int b) {
  using Four = Vec<unsigned, 4>;
  const int lane = Here(ThreadId()) % 32, p = lane % 8;
  char* const block = dynamic_shared_memory + b;
  Four of_pixel[2][4];  // columns 4 q to 4 q + 3
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int q = lane / 8 + half * 4;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int pixel = 8 * i + (p ^ 2 * i);
      const char* const at = block + pixel * kLineBytes + (q ^ pixel % 8) * 16;
      of_pixel[half][i] = *reinterpret_cast<const Four*>(at);
    }
  }
  SyncWarp();
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int column = (lane / 8 + half * 4) * 4 + j;
      char* const at = block + column * kLineBytes + (p ^ column % 8) * 16;
      const Four(&v)[4] = of_pixel[half];
      *reinterpret_cast<Four*>(at) = Four{v[0][j], v[1][j], v[2][j], v[3][j]};
    }
  }
}

/// Waits until the stage of the ring has arrived, and transposes this warp's columns of it.
template <Config kC>
GRIDWISE_DEVICE void TransposeB(const KTileRing<kC>& ring) {
  constexpr int kBlocks = kC.b_columns() / 32, kWarps = 4 * kC.consumers;
  const int b = static_cast<int>(ring.b(0) - DynamicSharedMemory());
  ring.WaitFull();
#pragma unroll
  for (int first = 0; first < kBlocks; first += kWarps) {
    const int block = first + WarpId();
    if (block < kBlocks) TransposeColumns(b + block * kTransposedBytes);
  }
  FenceAsyncProxy();
  SyncWarp();
  if (ThreadId() % 32 == 0) ring.transposed().Arrive();
}

/// Starts the products of 64 rows with a k tile; the first k tile of a tile starts the sums.
template <Config kC, bool kFirst>
GRIDWISE_DEVICE void StartTransposed(float (&d)[kC.columns / 2], const RowsOfA<kC>& a,
                                     SharedAddress b) {
  WgmmaFence();
#pragma unroll
  for (int step = 0; step < kC.k_tile / 8; ++step) {
    WgmmaOfRegisters<kC.columns, kC.type, OperandOrder::kRunsAlongK>(
        d, a.word[step], RunsAlongK<kLineBytes>(b + step * 32), !kFirst || step != 0);
  }
  WgmmaCommit();
}

/// The sums over `k_tiles` k tiles of the ring, at least one. A's registers are loaded while other
/// products are in flight: those of a second 64 rows, or all of a k tile. (The assembler serializes
/// products if it may move what defines their registers among others.)
template <Config kC>
GRIDWISE_DEVICE void MultiplyTransposed(Sums<kC>& sums, KTileRing<kC>& ring, int k_tiles,
                                        int group) {
  const auto load = [&](int rep) __attribute__((always_inline)) {
    const int a = static_cast<int>(ring.a() - DynamicSharedMemory());
    return LoadRows<kC>(a + (group * kC.reps + rep) * 64 * kC.k_tile_bytes());
  };
  TransposeB(ring);
  RowsOfA<kC> a = load(0);
  int before = 0;
  const auto multiply = [&]<bool kFirst>(bool is_last) __attribute__((always_inline)) {
    const int stage = ring.stage();
    const SharedAddress b = ring.b(0);
    ring.WaitTransposed();
    StartTransposed<kC, kFirst>(sums.d[0], a, b);
    if constexpr (kC.reps == 2) {
      if constexpr (!kFirst) {
        WgmmaWait<1>();
        ring.Release(before);
      }
      StartTransposed<kC, kFirst>(sums.d[1], load(1), b);
      before = stage;
    }
    ring.Next();
    RowsOfA<kC> next;
    if (!is_last) {
      TransposeB(ring);
      if constexpr (kC.reps == 2) WgmmaWait<1>();
      next = load(0);
    }
    if constexpr (kC.reps == 1) {
      WgmmaWait<0>();
      Touch(sums.d[0]);
      ring.Release(stage);
    }
    if (!is_last) a = next;
  };
  multiply.template operator()<true>(k_tiles == 1);
  for (int k_tile = 1; k_tile < k_tiles; ++k_tile) {
    multiply.template operator()<false>(k_tile + 1 == k_tiles);
  }
  if constexpr (kC.reps == 2) {
    WgmmaWait<0>();
    Touch(sums.d[0]);
    Touch(sums.d[1]);
    ring.Release(before);
  }
}

}  // namespace gridwise::hopper
