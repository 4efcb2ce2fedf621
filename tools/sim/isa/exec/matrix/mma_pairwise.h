// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/isa/exec/formats.h"
#include "tools/sim/isa/exec/matrix/matrix.h"

/// The arithmetic of CDNA2's matrix cores on halves and bf16, as it was measured on MI200 (MMA-Sim,
/// arXiv 2511.10909). Each product of a group of consecutive k is rounded to f32; they are added in
/// pairs, then the sums of pairs, and that sum to C: the C of the next group. A group has 4
/// products; 2 with the bf16 instructions that CDNA1 has as well. All rounding is to nearest even.
/// Denormals of A, B and C are +0; a product or sum that is denormal becomes a zero of its sign.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

constexpr f32 LowestNormal(Format f) { return f == Format::kF16 ? 0x1p-14f : 0x1p-126f; }

/// Denormals, and zeros, become +0.
GRIDWISE_SIM_INLINE void ClearDenormals(f32 lowest_normal, int count, f32* values) {
  for (int i = 0; i < count; ++i)
    values[i] = (Bits<u32>(values[i]) & 0x7fffffff) < Bits<u32>(lowest_normal) ? 0 : values[i];
}

/// A result: denormals become zeros of their sign.
GRIDWISE_SIM_INLINE f32 Flushed(f32 x) {
  const u32 bits = Bits<u32>(x);
  return Bits<f32>((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}

/// Adds groups of products to `kSpan` lanes of a row of D. Column j of B at depth k is b[p.b[k] +
/// j]; the row of A is a[p.a[k]], but with 4x4 blocks each four columns have a row of their own.
template <int kDim, int kGroup, int kSpan>
GRIDWISE_SIM_INLINE void AddPairwise(const MatrixPlan& p, const f32* a, const f32* b, f32* sum) {
  for (int first = 0; first < p.depth; first += kGroup) {
    f32 part[kGroup][kSpan];
    for (int i = 0; i < kGroup; ++i) {
      const f32* const row = a + p.a[first + i];
      const f32* const column = b + p.b[first + i];
      for (int j = 0; j < kSpan; ++j)
        part[i][j] = Flushed(row[kDim == 4 ? j / 4 * 4 : 0] * column[j]);
    }
    for (int left = kGroup / 2; left > 0; left /= 2) {
      for (int i = 0; i < left; ++i) {
        for (int j = 0; j < kSpan; ++j) part[i][j] = Flushed(part[2 * i][j] + part[2 * i + 1][j]);
      }
    }
    for (int j = 0; j < kSpan; ++j) sum[j] = Flushed(sum[j] + part[0][j]);
  }
}

/// By any plan of kDim x kDim, in groups of `kGroup`.
template <int kDim, int kGroup>
[[gnu::noinline]] void MultiplyPairwise(const MatrixPlan& p, const Operands<f32>& o) {
  constexpr int kSpan = kDim == 4 ? kLanes : kDim, kMaxRows = 32;
  const int rows = kDim == 4 ? p.registers : p.registers * p.blocks;
  alignas(64) f32 sums[kMaxRows * kLanes];  // rows of C may be among those of D
  for (int r = 0; r < rows; ++r)
    __builtin_memcpy(sums + r * kLanes, o.c + r * o.c_stride * kLanes, kRowBytes);
  ClearDenormals(0x1p-126f, rows * kLanes, sums);
  for (int r = 0; r < rows; ++r) {
    if constexpr (kDim == 4) {
      AddPairwise<kDim, kGroup, kSpan>(p, o.a + r, o.b, sums + r * kLanes);
    } else {
      const int block = r / p.registers * kDim;
      for (int g = 0; g < p.groups; ++g) {
        AddPairwise<kDim, kGroup, kSpan>(p, o.a + block + p.row[r % p.registers][g], o.b + block,
                                         sums + r * kLanes + g * kSpan);
      }
    }
  }
  __builtin_memcpy(o.d, sums, static_cast<size_t>(rows) * kRowBytes);
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
