// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/isa/bind/alu.h"
#include "tools/sim/isa/exec/formats.h"
#include "tools/sim/isa/exec/level.h"
#include "tools/sim/isa/exec/matrix/matrix.h"
#include "tools/sim/isa/exec/rdna_dot.h"
#include "tools/sim/isa/exec/rounding.h"

/// What dense and sparse WMMA share: tiles of 16x16, where gfx12 has the elements, C and D.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

inline constexpr int kWmmaDim = 16;

/// Lane groups of gfx12 that hold A or B: those of the wave, but no more than there are registers
/// for (RDNA4 ISA 7.12).
constexpr int InputGroups(int depth, int bits, bool wave64) {
  return wave64 && depth * bits / 4 >= 32 ? 4 : 2;
}

/// gfx12: in a wave32, position p of lane group g holds k = (p / chunk) 2 chunk + g chunk + p %
/// chunk of A and B, whose elements have `bits` bits, and row 8 g + p of D. In a wave64 lanes 32 to
/// 63 hold the second half of the positions, if that is a register or more.
constexpr MatrixPlan Gfx12Plan(int depth, int chunk, int bits, bool wave64) {
  MatrixPlan p{.dim = kWmmaDim, .depth = depth, .groups = wave64 ? 4 : 2};
  p.registers = kWmmaDim / p.groups;
  const int elements = depth / InputGroups(depth, bits, wave64);
  for (int k = 0; k < depth; ++k) {
    const int group = k / chunk % 2, position = k / (2 * chunk) * chunk + k % chunk;
    const int lane = kWmmaDim * (group + 2 * (position / elements));
    p.a[k] = p.b[k] = static_cast<u16>(position % elements * kLanes + lane);
  }
  for (int r = 0; r < p.registers; ++r) {
    for (int g = 0; g < p.groups; ++g) p.row[r][g] = static_cast<u8>(8 * (g % 2) + 4 * (g / 2) + r);
  }
  return p;
}

inline constexpr int kRowsOfD = 8;

/// Reads C as floats. 16-bit values: on gfx11 the half of each register that `high` says, on gfx12
/// both halves, low one first.
template <int kGeneration, Format kOut>
GRIDWISE_SIM_INLINE void ReadC(const u32* rows, int count, int stride, const WmmaControls& w,
                               f32* c) {
  for (int r = 0; r < count; ++r) {
    const bool packed = kGeneration == 12 && kOut != Format::kF32;
    const u32* row = rows + (packed ? r / 2 : r) * stride * kLanes;
    const bool high = stride != 0 && (packed ? r % 2 != 0 : w.high_half != 0);
    for (int l = 0; l < kLanes; ++l) {
      const u32 half = high ? row[l] >> 16 : row[l] & 0xffff;
      f32 x = Bits<f32>(row[l]);
      if constexpr (kOut == Format::kF16) x = static_cast<f32>(Bits<f16>(static_cast<u16>(half)));
      if constexpr (kOut == Format::kBf16) x = FromBf16(half);
      u32 bits = Bits<u32>(x);
      if (w.absolute_c != 0) bits &= 0x7fffffff;
      if (w.negate_c != 0) bits ^= 0x80000000;
      c[r * kLanes + l] = Bits<f32>(bits);
    }
  }
}

template <int kGeneration, Format kOut>
GRIDWISE_SIM_INLINE void WriteD(const f32* d, int count, int lanes, const WmmaControls& w,
                                bool saturate, u32* rows) {
  for (int r = 0; r < count; ++r) {
    const bool packed = kGeneration == 12 && kOut != Format::kF32;
    u32* row = rows + (packed ? r / 2 : r) * kLanes;
    const bool high = packed ? r % 2 != 0 : w.high_half != 0;
    for (int l = 0; l < lanes; ++l) {
      const f32 x = d[r * kLanes + l];
      if constexpr (kOut == Format::kF32) {
        row[l] = Bits<u32>(x);
      } else {
        const u32 half = kOut == Format::kF16 ? HalfBits(x, saturate) : ToBf16(x);
        row[l] = high ? (row[l] & 0xffff) | half << 16 : (row[l] & 0xffff0000) | half;
      }
    }
  }
}

/// Changes the signs of elements at even positions (bit 0 of `negate`) and at odd ones (bit 1).
GRIDWISE_SIM_INLINE void NegateHalves(u8 negate, int elements, f32* values) {
  for (int p = 0; negate != 0 && p < elements; ++p) {
    const u32 flip = (negate >> (p % 2) & 1) != 0 ? 0x80000000 : 0;
    for (int l = 0; l < kLanes; ++l) {
      values[p * kLanes + l] = Bits<f32>(Bits<u32>(values[p * kLanes + l]) ^ flip);
    }
  }
}

/// D = A B + C as the hardware adds: gfx11 two products at a time, gfx12 four, in the order of k, a
/// sum of kOut each time.
template <int kGeneration, Format kIn, Format kOut>
[[gnu::noinline]] void MultiplyExactly(const MatrixPlan& p, const Operands<f32>& o, bool saturate) {
  constexpr int kStep = kGeneration == 11 ? 2 : 4;
  for (int i = 0; i < p.registers * p.groups; ++i) {
    const int r = i / p.groups, g = i % p.groups, place = r * kLanes + g * kWmmaDim;
    f32 sums[kWmmaDim];
    __builtin_memcpy(sums, o.c + place, sizeof(sums));
    for (int k = 0; k < p.depth; k += kStep) {
      for (int j = 0; j < kWmmaDim; ++j) {
        f32 a[kStep], b[kStep];
        for (int step = 0; step < kStep; ++step) {
          a[step] = o.a[p.a[k + step] + p.row[r][g]];
          b[step] = o.b[p.b[k + step] + j];
        }
        sums[j] = RdnaDot<kGeneration, kIn, kOut>(a, b, sums[j], saturate);
      }
    }
    __builtin_memcpy(o.d + place, sums, sizeof(sums));
  }
}

GRIDWISE_SIM_INLINE u32 SaturatingSum(u32 a, u32 b) {
  const i64 sum = i64{static_cast<i32>(a)} + static_cast<i32>(b);
  return static_cast<u32>(static_cast<i32>(sum < -0x80000000LL  ? -0x80000000LL
                                           : sum > 0x7fffffffLL ? 0x7fffffffLL
                                                                : sum));
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
