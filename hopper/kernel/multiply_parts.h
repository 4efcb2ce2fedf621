// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/parts.h"
#include "core/arch/wgmma.h"
#include "hopper/base/args.h"
#include "hopper/kernel/multiply.h"

/// Sums of products of f32 (core/arch/parts.h). A k tile of A is f32 in shared memory, and becomes
/// parts in the registers of the warpgroup that multiplies it. B has been split by a pass, and its
/// parts follow each other. The tensor core truncates addends, the more the larger the sum. It
/// therefore starts again from 0 with each k tile, small products first, and rounding additions add
/// up k tiles.

namespace gridwise::hopper {

/// A thread's part of 64 rows of A in a k tile, and the operands that it passes to
/// WgmmaOfRegisters.
template <Config kC>
struct FloatsOfA {
  Vec<float, 2> pair[kC.k_tile / 16][4];
};
template <Config kC>
struct PartsOfA {
  unsigned part[kC.parts()][kC.k_tile / 16][4];
};

/// The tile's row that the lanes of row `row` of a product load: the four rows that are loaded at
/// once lie on different banks.
template <Config kC>
GRIDWISE_DEVICE int RowOfProduct(int row) {
  if constexpr (!kC.has_parts() || kOrderA<kC> == OperandOrder::kLinesPerK) return row;
  return (row & ~7) | (row & 3) << 1 | (row >> 2 & 1);
}

/// Two elements, adjacent along K, of a row of A, which begins at byte `a` of shared memory.
/// Swizzled as TMA writes it: 128 bytes of K per row, or of 32 rows per line for each k.
template <Config kC>
GRIDWISE_DEVICE Vec<float, 2> LoadPair(int a, int row, int k) {
  // Through a variable: clang assumes an address computed from the array and cast in one expression
  // to be aligned to one byte, and loads byte by byte.
  const char* const from = dynamic_shared_memory + a;
  if constexpr (kOrderA<kC> == OperandOrder::kRunsAlongK) {
    const char* const at = from + row * 128 + ((k / 4 ^ row % 8) * 16) + k % 4 * 4;
    return *reinterpret_cast<const Vec<float, 2>*>(at);
  } else {
    const auto load = [&](int i) {
      const char* const line = from + (row / 32 * kC.k_tile + k + i) * 128;
      const char* const at = line + ((row % 32 / 4 ^ (k + i) % 8) * 16) + row % 4 * 4;
      return *reinterpret_cast<const float*>(at);
    };
    return {load(0), load(1)};
  }
}

template <Config kC>
GRIDWISE_DEVICE FloatsOfA<kC> LoadA(int a) {
  const int lane = ThreadId() % 32, first = ThreadId() % 128 / 32 * 16 + lane / 4;
  FloatsOfA<kC> of;
#pragma unroll
  for (int step = 0; step < kC.k_tile / 16; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = RowOfProduct<kC>(first + i % 2 * 8);
      of.pair[step][i] = LoadPair<kC>(a, row, step * 16 + i / 2 * 8 + lane % 4 * 2);
    }
  }
  return of;
}

template <Config kC>
GRIDWISE_DEVICE PartsOfA<kC> SplitA(const FloatsOfA<kC>& a) {
  PartsOfA<kC> of;
#pragma unroll
  for (int step = 0; step < kC.k_tile / 16; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const PairOfParts parts = PartsOf(a.pair[step][i][0], a.pair[step][i][1]);
#pragma unroll
      for (int p = 0; p < kC.parts(); ++p) of.part[p][step][i] = parts.part[p];
    }
  }
  return of;
}

/// Starts the products of a k tile.
template <Config kC>
GRIDWISE_DEVICE void StartParts(float (&d)[kC.columns / 2], const PartsOfA<kC>& a,
                                SharedAddress b) {
  struct Product {
    int a, b;
  };
  static_assert(kC.parts() == kParts && kMaxParts == kParts);
  constexpr Product kProducts[] = {{2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}, {0, 0}};
  WgmmaFence();
#pragma unroll
  for (int i = 0; i < 6; ++i) {
#pragma unroll
    for (int step = 0; step < kC.k_tile / 16; ++step) {
      const SharedAddress part = b + kProducts[i].b * kC.b_part_bytes();
      MatrixDescriptor descriptor;
      if constexpr (kOrderB<kC> == OperandOrder::kRunsAlongK) {
        descriptor = RunsAlongK<kC.b_run_bytes()>(part + step * 32);
      } else {
        descriptor = LinesPerK(part + step * 2048, kC.k_tile * 128);
      }
      WgmmaOfRegisters<kC.columns, DataType::kBF16, kOrderB<kC>>(d, a.part[kProducts[i].a][step],
                                                                 descriptor, i != 0 || step != 0);
    }
  }
  WgmmaCommit();
}

/// Address of 64 rows of A of the ring's k tile in shared memory.
template <Config kC>
GRIDWISE_DEVICE int AOf(const KTileRing<kC>& ring, int rows) {
  return static_cast<int>(ring.a() - DynamicSharedMemory()) + rows * 64 * kC.k_tile_bytes();
}

/// NaN if `v` is not finite, because parts may have caused it.
GRIDWISE_DEVICE float NanUnlessFinite(float v) { return v + (v - v); }

/// The sums over `k_tiles` k tiles of the ring; NaN if they must be computed from f32 itself.
template <Config kC>
GRIDWISE_DEVICE void MultiplyParts(Sums<kC>& sums, KTileRing<kC>& ring, int k_tiles, int group) {
#pragma unroll
  for (int rep = 0; rep < kC.reps; ++rep) {
#pragma unroll
    for (float& v : sums.d[rep]) v = 0;
  }
  // The next rows of A are loaded while products are in flight. They become parts when these are
  // done: the assembler serializes products if operands of others are made among them.
  ring.WaitFull();
  FloatsOfA<kC> a = LoadA<kC>(AOf(ring, group * kC.reps));
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
    const int stage = ring.stage();
    const SharedAddress b = ring.b(0);
#pragma unroll
    for (int rep = 0; rep < kC.reps; ++rep) {
      float d[kC.columns / 2];
      const PartsOfA<kC> parts = SplitA<kC>(a);
      StartParts<kC>(d, parts, b);
      const bool is_last = rep + 1 == kC.reps;
      if (is_last) ring.Next();
      if (is_last && k_tile + 1 < k_tiles) ring.WaitFull();
      if (!is_last || k_tile + 1 < k_tiles) {
        a = LoadA<kC>(AOf(ring, group * kC.reps + (is_last ? 0 : rep + 1)));
      }
      WgmmaWait<0>();
      Touch(d);
#pragma unroll
      for (int i = 0; i < kC.columns / 2; ++i) sums.d[rep][i] += d[i];
    }
    ring.Release(stage);
  }
#pragma unroll
  for (int rep = 0; rep < kC.reps; ++rep) {
#pragma unroll
    for (float& v : sums.d[rep]) v = NanUnlessFinite(v) * kSumOfPartsFactor;
  }
}

/// How the warpgroup stores its sums: element by element if one of them is NaN because of parts,
/// which recomputes it (Finisher).
template <Config kC, class Sum>
GRIDWISE_DEVICE Stores StoresOfSums(Stores stores, int group, const Sum (&d)[kC.columns / 2]) {
  if constexpr (kC.has_parts()) {
    bool has_nan = false;
#pragma unroll
    for (const Sum v : d) has_nan |= v != v;
    return AnyAt(StoreBarrier(group), 128, has_nan) ? Stores::kElements : stores;
  }
  return stores;
}

}  // namespace gridwise::hopper
