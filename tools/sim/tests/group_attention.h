// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/tests/group_kernels.h"

/// Attention with matrix instructions on every target.

namespace {

/// Fragments of 16x16x16 matrix instructions: what a lane has of a row of A (a column of B) of
/// halves, and of the result. Columns of the result are lane % 16.
#if defined(__GFX9__)
constexpr int kWave = 64, kFragment = 4, kRows = 4;
#elif defined(__GFX11__)
constexpr int kWave = 32, kFragment = 16, kRows = 8;
#else
constexpr int kWave = 32, kFragment = 8, kRows = 8;
#endif
typedef half HalfFragment __attribute__((ext_vector_type(kFragment)));
typedef float FloatFragment __attribute__((ext_vector_type(kRows)));

__attribute__((device)) inline int RowOf(int r) {
#if defined(__GFX11__)
  return 2 * r + Lane() / 16;
#else
  return kRows * (Lane() / 16) + r;
#endif
}

/// The lane's elements of rows of `stride` halves, from column `k` on. Lanes of gfx11 have all 16
/// columns.
__attribute__((device)) inline HalfFragment LoadFragment(const half* rows, int stride, int k) {
  const half* from = rows + stride * (Lane() % 16) + k + Lane() / 16 * (kFragment % 16);
  HalfFragment fragment;
  for (int e = 0; e < kFragment; ++e) fragment[e] = from[e];
  return fragment;
}

__attribute__((device)) inline FloatFragment Multiply(HalfFragment a, HalfFragment b,
                                                      FloatFragment c) {
#if defined(__GFX9__)
  return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
#elif defined(__GFX11__)
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
#else
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
#endif
}

__attribute__((device)) inline float FromLane(float x, int lane) {
  return __builtin_bit_cast(float,
                            __builtin_amdgcn_ds_bpermute(4 * lane, __builtin_bit_cast(int, x)));
}

constexpr int kHead = 64, kKeys = 16;

}  // namespace

/// Attention as flash attention does it, softmax(Q K^T / 8) V: a wave has 16 queries, keys come in
/// tiles of 16 through LDS, and each query keeps a running maximum and sum. `in` has halves: the
/// queries, n keys, n values, all of 64 elements. Blocks have up to 8 waves. out is of floats.
KERNEL void FlashAttention(const half* in, float* out, int n) {
  SHARED half keys[kKeys][kHead + 8], values[kHead][kKeys + 8], weights[8][16][kKeys + 8];
  const int block = __builtin_amdgcn_workgroup_size_x(), wave = Item() / kWave;
  const int queries = __builtin_amdgcn_grid_size_x() / kWave * 16;
  const int first = (Group() * (block / kWave) + wave) * 16, column = Lane() % 16;
  HalfFragment q[kHead / 16];
  for (int d = 0; d < kHead / 16; ++d) q[d] = LoadFragment(in + kHead * first, kHead, 16 * d);
  FloatFragment sums[kHead / 16] = {};
  float greatest[kRows], total[kRows];
  for (int r = 0; r < kRows; ++r) {
    greatest[r] = -__builtin_inff();
    total[r] = 0;
  }
  for (int key = 0; key < n; key += kKeys) {
    Barrier();
    for (int i = Item(); i < kKeys * kHead; i += block) {
      const half* from = in + kHead * (queries + key) + i;
      const bool inside = key + i / kHead < n;
      keys[i / kHead][i % kHead] = inside ? from[0] : half{0};
      values[i % kHead][i / kHead] = inside ? from[kHead * n] : half{0};
    }
    Barrier();
    FloatFragment scores = {};
    for (int d = 0; d < kHead / 16; ++d)
      scores = Multiply(q[d], LoadFragment(keys[0], kHead + 8, 16 * d), scores);
    for (int r = 0; r < kRows; ++r) {
      const float score = key + column < n ? 0.125f * scores[r] : -__builtin_inff();
      float most = __builtin_fmaxf(greatest[r], score);
      for (int step = 1; step < 16; step *= 2)
        most = __builtin_fmaxf(most, FromLane(most, Lane() ^ step));
      const float weight = __builtin_expf(score - most);
      const float kept = __builtin_expf(greatest[r] - most);
      float sum = weight;
      for (int step = 1; step < 16; step *= 2) sum += FromLane(sum, Lane() ^ step);
      total[r] = total[r] * kept + sum;
      greatest[r] = most;
      for (int d = 0; d < kHead / 16; ++d) sums[d][r] *= kept;
      weights[wave][RowOf(r)][column] = static_cast<half>(weight);
    }
    // The wave's own part of LDS: no barrier.
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
    const HalfFragment p = LoadFragment(weights[wave][0], kKeys + 8, 0);
    for (int d = 0; d < kHead / 16; ++d)
      sums[d] = Multiply(p, LoadFragment(values[16 * d], kKeys + 8, 0), sums[d]);
  }
  for (int d = 0; d < kHead / 16; ++d) {
    for (int r = 0; r < kRows; ++r)
      out[kHead * (first + RowOf(r)) + 16 * d + column] = sums[d][r] / total[r];
  }
}
