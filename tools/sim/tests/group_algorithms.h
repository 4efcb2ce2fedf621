// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/tests/group_kernels.h"

/// Reductions, scans, sorts, products of matrices: LDS, barriers, atomics, matrix instructions.

/// out[block] = sum of the block's words, by a tree in LDS.
KERNEL void ReduceTree(const u32* in, u32* out, int) {
  SHARED u32 sums[256];
  sums[Item()] = in[256 * Group() + Item()];
  for (int half = 128; half > 0; half /= 2) {
    Barrier();
    if (Item() < half) sums[Item()] += sums[Item() + half];
  }
  if (Item() == 0) out[Group()] = sums[0];
}

/// Inclusive prefix sums within each block.
KERNEL void Scan(const u32* in, u32* out, int) {
  SHARED u32 sums[2][256];
  int from = 0;
  sums[0][Item()] = in[256 * Group() + Item()];
  for (int step = 1; step < 256; step *= 2) {
    Barrier();
    sums[1 - from][Item()] = sums[from][Item()] + (Item() >= step ? sums[from][Item() - step] : 0);
    from = 1 - from;
  }
  out[256 * Group() + Item()] = sums[from][Item()];
}

/// Softmax of each block's floats.
KERNEL void Softmax(const float* in, float* out, int) {
  SHARED float values[256];
  const float x = in[256 * Group() + Item()];
  values[Item()] = x;
  Barrier();
  float greatest = values[0];
  for (int k = 1; k < 256; ++k) greatest = __builtin_fmaxf(greatest, values[k]);
  Barrier();
  values[Item()] = __builtin_expf(x - greatest);
  Barrier();
  float sum = 0;
  for (int k = 0; k < 256; ++k) sum += values[k];
  out[256 * Group() + Item()] = values[Item()] / sum;
}

/// Sorts each block's words.
KERNEL void BitonicSort(const u32* in, u32* out, int) {
  SHARED u32 values[256];
  values[Item()] = in[256 * Group() + Item()];
  for (int size = 2; size <= 256; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      Barrier();
      const int other = Item() ^ stride;
      if (other > Item()) {
        const u32 a = values[Item()], b = values[other];
        const u32 low = a < b ? a : b, high = a < b ? b : a;
        const bool ascends = (Item() & size) == 0;
        values[Item()] = ascends ? low : high;
        values[other] = ascends ? high : low;
      }
    }
  }
  Barrier();
  out[256 * Group() + Item()] = values[Item()];
}

/// out[b] += how often b is the low byte of a word: LDS atomics, then global ones.
KERNEL void Histogram(const u32* in, u32* out, int n) {
  SHARED u32 counts[256];
  counts[Item()] = 0;
  Barrier();
  const int i = 256 * Group() + Item();
  if (i < n)
    __hip_atomic_fetch_add(&counts[in[i] & 255], 1u, __ATOMIC_RELAXED,
                           __HIP_MEMORY_SCOPE_WORKGROUP);
  Barrier();
  __hip_atomic_fetch_add(&out[Item()], counts[Item()], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// 32x32 transpose through padded LDS; one block of 256 per tile of 1024 words.
KERNEL void TransposeTile(const u32* in, u32* out, int) {
  SHARED u32 tile[32][33];
  for (int r = Item() / 32; r < 32; r += 8)
    tile[r][Item() % 32] = in[1024 * Group() + 32 * r + Item() % 32];
  Barrier();
  for (int r = Item() / 32; r < 32; r += 8)
    out[1024 * Group() + 32 * r + Item() % 32] = tile[Item() % 32][r];
}

/// 64x64x64 f32 GEMM of small integers, 16x16 work-items with 4x4 outputs each, tiles of k = 16 in
/// LDS.
KERNEL void LdsGemm(const u32* in, float* out, int) {
  SHARED float a[16][64], b[16][64];
  float sum[4][4] = {};
  const int tx = Item() % 16, ty = Item() / 16;
  for (int k0 = 0; k0 < 64; k0 += 16) {
    for (int e = Item(); e < 16 * 64; e += 256) {
      a[e / 64][e % 64] = SmallInteger(in[64 * (e % 64) + k0 + e / 64]);
      b[e / 64][e % 64] = SmallInteger(in[4096 + 64 * (k0 + e / 64) + e % 64]);
    }
    Barrier();
    for (int k = 0; k < 16; ++k) {
      for (int m = 0; m < 4; ++m) {
        for (int n = 0; n < 4; ++n) sum[m][n] += a[k][4 * ty + m] * b[k][4 * tx + n];
      }
    }
    Barrier();
  }
  for (int m = 0; m < 4; ++m) {
    for (int n = 0; n < 4; ++n) out[64 * (4 * ty + m) + 4 * tx + n] = sum[m][n];
  }
}

#if defined(__GFX9__)
/// 32x32x64 f16 GEMM with v_mfma_f32_32x32x8_f16, and a 16x16x64 one with v_mfma_f32_16x16x16_f16;
/// one wave. A [m][k] and B [k][n] are small integers from in; out is the 32x32 product, then the
/// 16x16 one.
KERNEL void MatrixCores(const u32* in, float* out, int) {
  typedef half half4 __attribute__((ext_vector_type(4)));
  typedef float float16 __attribute__((ext_vector_type(16)));
  typedef float float4 __attribute__((ext_vector_type(4)));
  const int lane = Lane();
  float16 big = {};
  float4 small = {};
  for (int k0 = 0; k0 < 64; k0 += 8) {
    half4 a, b;
    for (int e = 0; e < 4; ++e) {
      const int k = k0 + 4 * (lane / 32) + e;
      a[e] = static_cast<half>(SmallInteger(in[64 * (lane % 32) + k]));
      b[e] = static_cast<half>(SmallInteger(in[4096 + 32 * k + lane % 32]));
    }
    big = __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, big, 0, 0, 0);
  }
  for (int k0 = 0; k0 < 64; k0 += 16) {
    half4 a, b;
    for (int e = 0; e < 4; ++e) {
      const int k = k0 + 4 * (lane / 16) + e;
      a[e] = static_cast<half>(SmallInteger(in[64 * (lane % 16) + k]));
      b[e] = static_cast<half>(SmallInteger(in[4096 + 32 * k + lane % 16]));
    }
    small = __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, small, 0, 0, 0);
  }
  for (int r = 0; r < 16; ++r)
    out[32 * (8 * (r / 4) + 4 * (lane / 32) + r % 4) + lane % 32] = big[r];
  for (int r = 0; r < 4; ++r) out[1024 + 16 * (4 * (lane / 16) + r) + lane % 16] = small[r];
}

#endif

#if (defined(__GFX9__) && !defined(__gfx90a__)) || defined(__GFX12__)
/// out = A B with 16x64 A, of which two of four consecutive k are taken, and 64x16 B, by
/// v_smfmac_f32_16x16x32_f16 or v_swmmac_f32_16x16x32_f16; one wave. Row i of A has k = low and
/// high of quad q with low = (i + q) % 3 and high = low + 1 + i q % (3 - low).
KERNEL void SparseMatrixCores(const u32* in, float* out, int) {
#if defined(__GFX9__)
  constexpr int kQuads = 2;  // per lane
#else
  constexpr int kQuads = 4;
#endif
  typedef half HalvesA __attribute__((ext_vector_type(2 * kQuads)));
  typedef half HalvesB __attribute__((ext_vector_type(4 * kQuads)));
  typedef float Floats __attribute__((ext_vector_type(2 * kQuads)));
  const int row = Lane() % 16, group = Lane() / 16;
  Floats sum = {};
  for (int k0 = 0; k0 < 64; k0 += 32) {
    HalvesA a;
    HalvesB b;
    u32 indices = 0;
    for (int j = 0; j < kQuads; ++j) {
      const int quad = k0 / 4 + (kQuads == 2 ? 2 * group + j : 4 * (j / 2) + 2 * group + j % 2);
      const int low = (row + quad) % 3, high = low + 1 + row * quad % (3 - low);
      indices |= static_cast<u32>(low | high << 2) << (4 * j);
      a[2 * j] = static_cast<half>(SmallInteger(in[64 * row + 4 * quad + low]));
      a[2 * j + 1] = static_cast<half>(SmallInteger(in[64 * row + 4 * quad + high]));
      for (int e = 0; e < 4; ++e)
        b[4 * j + e] = static_cast<half>(SmallInteger(in[4096 + 32 * (4 * quad + e) + row]));
    }
#if defined(__GFX9__)  // the second set of indices in their register
    sum = __builtin_amdgcn_smfmac_f32_16x16x32_f16(a, b, sum, static_cast<int>(indices << 8), 0, 1);
#else
    sum = __builtin_amdgcn_swmmac_f32_16x16x32_f16_w32(a, b, sum, static_cast<short>(indices));
#endif
  }
  for (int r = 0; r < 2 * kQuads; ++r) out[16 * (2 * kQuads * group + r) + row] = sum[r];
}
#endif
