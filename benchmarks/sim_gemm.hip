// SPDX-License-Identifier: MIT
// c[m][n] = sum_k a[m][k] * b[n][k]; f16 inputs, f32 sums and output. Grid: n / 128 x m / 128
// workgroups of 256 work-items; m, n multiples of 128, k of 32. Each of the four waves computes 64
// x 64 with 32x32x8 MFMAs from tiles in LDS.

#define GLOBAL __attribute__((global))
#define SHARED __attribute__((shared))

using Half = _Float16;
using Half4 = Half __attribute__((ext_vector_type(4)));
using Half8 = Half __attribute__((ext_vector_type(8)));
using Float16 = float __attribute__((ext_vector_type(16)));

constexpr int kTile = 128, kDepth = 32, kPitch = kDepth + 8;

extern "C" GLOBAL __attribute__((amdgpu_flat_work_group_size(256, 256))) void SimGemm(
    const Half* a, const Half* b, float* c, int n, int k) {
  static SHARED Half a_tile[kTile * kPitch], b_tile[kTile * kPitch];
  const int item = __builtin_amdgcn_workitem_id_x(), lane = item % 64, wave = item / 64;
  const int row = item / 2, column = item % 2 * 16;
  const long m0 = long{kTile} * __builtin_amdgcn_workgroup_id_y(),
             n0 = long{kTile} * __builtin_amdgcn_workgroup_id_x();
  const Half* a_next = a + (m0 + row) * k + column;
  const Half* b_next = b + (n0 + row) * k + column;
  const int wave_m = wave / 2 * 64, wave_n = wave % 2 * 64;
  Float16 sums[2][2] = {};
  for (int k0 = 0; k0 < k; k0 += kDepth) {
    for (int i = 0; i < 16; i += 8) {
      *reinterpret_cast<Half8*>(&a_tile[row * kPitch + column + i]) =
          *reinterpret_cast<const Half8*>(a_next + k0 + i);
      *reinterpret_cast<Half8*>(&b_tile[row * kPitch + column + i]) =
          *reinterpret_cast<const Half8*>(b_next + k0 + i);
    }
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#pragma unroll
    for (int kk = 0; kk < kDepth; kk += 8) {
      Half4 af[2], bf[2];
      for (int i = 0; i < 2; ++i) {
        const int offset = (32 * i + lane % 32) * kPitch + kk + lane / 32 * 4;
        af[i] = *reinterpret_cast<const Half4*>(&a_tile[wave_m * kPitch + offset]);
        bf[i] = *reinterpret_cast<const Half4*>(&b_tile[wave_n * kPitch + offset]);
      }
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j)
          sums[i][j] = __builtin_amdgcn_mfma_f32_32x32x8f16(af[i], bf[j], sums[i][j], 0, 0, 0);
      }
    }
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      for (int r = 0; r < 16; ++r) {
        const long m = m0 + wave_m + 32 * i + 8 * (r / 4) + 4 * (lane / 32) + r % 4;
        c[m * n + n0 + wave_n + 32 * j + lane % 32] = sums[i][j][r];
      }
    }
  }
}
