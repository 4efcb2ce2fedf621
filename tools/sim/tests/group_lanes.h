// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/tests/group_kernels.h"

/// Exchanges between the lanes of a wave.

/// Sum of each wave's words in every lane, by ds_bpermute.
KERNEL void ShuffleSum(const u32* in, u32* out, int) {
  u32 sum = in[256 * Group() + Item()];
  for (int mask = 1; mask < WaveSize(); mask *= 2)
    sum += __builtin_amdgcn_ds_bpermute(4 * (Lane() ^ mask), sum);
  out[256 * Group() + Item()] = sum;
}

/// ds_permute to the mirrored lane, ds_bpermute from the next, each with half of the lanes off.
KERNEL void ShufflePartial(const u32* in, u32* out, int) {
  const u32 x = in[256 * Group() + Item()];
  u32 result = 1;
  if (Lane() % 2 == 0) {
    const int next = (Lane() + 1 + 2 * Lane() / WaveSize()) % WaveSize();
    result = __builtin_amdgcn_ds_permute(4 * (WaveSize() - 1 - (Lane() ^ 1)), x) +
             3 * __builtin_amdgcn_ds_bpermute(4 * next, x);
  }
  out[256 * Group() + Item()] = result;
}

/// ds_swizzle: swap of neighbours, quad permutation, bit reversal of the lane in 32.
KERNEL void Swizzles(const u32* in, u32* out, int) {
  const u32 x = in[256 * Group() + Item()];
  const u32 swapped = __builtin_amdgcn_ds_swizzle(x, 0x041f);
  const u32 quad = __builtin_amdgcn_ds_swizzle(x, 0x8000 | 0x1b);
  const u32 mirrored = __builtin_amdgcn_ds_swizzle(x, 0x7c1f);
  out[256 * Group() + Item()] = swapped + 3 * quad + 5 * mirrored;
}

/// DPP: row shift, row mirror, quad permutation, and into rows 1 and 3 the last lane of the row
/// before (gfx9) or lane 5 of the row itself (RDNA, which has no row_bcast).
KERNEL void DataParallelPrimitives(const u32* in, u32* out, int) {
  const u32 x = in[256 * Group() + Item()];
  const u32 shifted =
      __builtin_amdgcn_update_dpp(7u, x, 0x111, 0xf, 0xf, false);  // row_shr:1, keeps 7 in lane 0
  const u32 mirrored = __builtin_amdgcn_update_dpp(0u, x, 0x140, 0xf, 0xf, true);  // row_mirror
  const u32 quad = __builtin_amdgcn_update_dpp(0u, x, 0x4e, 0xf, 0xf, true);  // quad_perm [2,3,0,1]
#if defined(__GFX9__)
  const u32 broadcast = __builtin_amdgcn_update_dpp(9u, x, 0x142, 0xa, 0xf, false);  // row_bcast:15
#else
  const u32 broadcast = __builtin_amdgcn_update_dpp(9u, x, 0x155, 0xa, 0xf, false);  // row_share:5
#endif
  // No products: clang 22 would make some of them v_mad_co_u64_u32 with DPP on gfx1201, which is
  // not in the ISA and which no disassembler knows.
  out[256 * Group() + Item()] = shifted ^ (mirrored << 1) ^ (quad << 2) ^ (broadcast << 3);
}

/// Votes and lane reads: ballot of odd words, the first and a chosen lane's word.
KERNEL void Votes(const u32* in, u32* out, int) {
  const u32 x = in[256 * Group() + Item()];
#if defined(__GFX9__)
  const u64 odd = __builtin_amdgcn_ballot_w64(x & 1);
#else
  const u64 odd = __builtin_amdgcn_ballot_w32(x & 1);
#endif
  u32 result =
      static_cast<u32>(odd >> (Lane() & 31)) ^ __builtin_amdgcn_readlane(x, WaveSize() - 27);
  if (Lane() >= 5) result += __builtin_amdgcn_readfirstlane(x);
  out[256 * Group() + Item()] = result + (odd != 0 ? __builtin_popcountl(odd) : 0);
}
