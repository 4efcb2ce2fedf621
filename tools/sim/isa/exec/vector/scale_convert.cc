// SPDX-License-Identifier: MIT
#include "tools/sim/isa/bind/alu.h"
#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/exec/formats.h"
#include "tools/sim/isa/exec/mask.h"
#include "tools/sim/isa/exec/rounding.h"

/// v_cvt_scalef32_* of gfx950: conversions between small floats and f32, f16 or bf16 with a scale
/// 2^(e - 127), where e is the exponent field of a float operand: small formats hold values divided
/// by the scale (CDNA4 ISA). One handler for all, directed by ScaledConversion.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

constexpr int kMaxValues = 32;

GRIDWISE_SIM_INLINE u32 NextRandom(u32 x) { return x << 1 ^ (x >> 31 != 0 ? 197u : 0u); }

/// values[i][lane] -> fields of S::kBits bits, one after the other.
template <class S>
GRIDWISE_SIM_INLINE void PackFields(const f32* values, int count, bool saturate, bool stochastic,
                                    u32* random, u32* out) {
  for (int i = 0; i < count; ++i) {
    const int bit = i * S::kBits;
    u32* low = out + bit / 32 * kLanes;
    const u32 shift = static_cast<u32>(bit % 32);
    const bool split = bit % 32 + S::kBits > 32;
    for (int l = 0; l < kLanes; ++l) {
      const u32 code = ToSmall<S>(values[i * kLanes + l], saturate,
                                  {.stochastic = stochastic, .random = random[l]});
      low[l] |= code << shift;
      if (split) low[l + kLanes] |= code >> (32 - shift);
      random[l] = NextRandom(random[l]);
    }
  }
}

GRIDWISE_SIM_INLINE void PackValues(Format to, const f32* values, int count, bool saturate,
                                    bool stochastic, u32* random, u32* out) {
  switch (to) {
    case Format::kFp8:
      return PackFields<Fp8>(values, count, saturate, stochastic, random, out);
    case Format::kBf8:
      return PackFields<Bf8>(values, count, saturate, stochastic, random, out);
    case Format::kFp6:
      return PackFields<Fp6>(values, count, saturate, stochastic, random, out);
    case Format::kBf6:
      return PackFields<Bf6>(values, count, saturate, stochastic, random, out);
    case Format::kFp4:
      return PackFields<Fp4>(values, count, saturate, stochastic, random, out);
    default:
      break;
  }
  for (int i = 0; i < count * kLanes; ++i) {
    const int row = i / kLanes, l = i % kLanes;
    const f32 x = values[i];
    if (to == Format::kF32) {
      out[i] = Bits<u32>(x);
    } else {
      const u32 half = to == Format::kF16 ? HalfBits(x, saturate) : ToBf16(x);
      out[row / 2 * kLanes + l] |= half << (row % 2 * 16);
    }
  }
}

/// Reads `count` values of a source; the first is at bit `shift` of its first row.
GRIDWISE_SIM_INLINE void ReadValues(Format from, const u32* rows, int count, int shift,
                                    f32* values) {
  alignas(64) u32 moved[kLanes];
  if (shift != 0) {
    for (int l = 0; l < kLanes; ++l) moved[l] = rows[l] >> shift;
    rows = moved;
  }
  const bool one_half = count == 1 && BitsOf(from) == 16;
  alignas(64) f32 pair[2 * kLanes];
  UnpackFloats(from, rows, one_half ? 2 : count, one_half ? pair : values);
  if (one_half) __builtin_memcpy(values, pair, kRowBytes);
}

void ConvertScaled(Wave& w, const Uop& u) {
  const auto c = Bits<ScaledConversion>(u.data);
  const auto from = static_cast<Format>(c.from), to = static_cast<Format>(c.to);
  alignas(64) f32 values[kMaxValues * kLanes];
  if (c.two_sources != 0) {
    alignas(64) f32 halves[kMaxValues / 2 * kLanes];
    for (int s = 0; s < 2; ++s) {
      ReadValues(from, Row(w, u.src[s]), c.count / 2, 0, halves);
      for (int i = 0; i < c.count / 2; ++i)
        __builtin_memcpy(values + (2 * i + s) * kLanes, halves + i * kLanes, kRowBytes);
    }
  } else {
    ReadValues(from, Row(w, u.src[0]), c.count, c.source_shift, values);
  }
  const u32* scale = Row(w, u.src[3]);
  f64 factors[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const u32 field = scale[l] >> 23 & 255;
    const u64 exponent = BitsOf(to) < 16 ? 1023 + 127 - field : 1023 - 127 + field;
    factors[l] = field == 255 ? __builtin_nan("") : Bits<f64>(exponent << 52);
  }
  for (int i = 0; i < c.count * kLanes; ++i)
    values[i] = static_cast<f32>(static_cast<f64>(values[i]) * factors[i % kLanes]);
  alignas(64) u32 random[kLanes] = {}, out[kMaxValues * kLanes] = {};
  if (c.stochastic != 0) __builtin_memcpy(random, Row(w, u.src[2]), kRowBytes);
  PackValues(to, values, c.count, (w.mode & kModeFp16Overflow) != 0, c.stochastic != 0, random,
             out);
  const int bits = c.count * BitsOf(to);
  u32* dst = Row(w, u.dst);
  if (bits < 32) {
    const u32 put = ((1u << bits) - 1) << c.result_shift;
    for (int l = 0; l < kLanes; ++l) out[l] = (dst[l] & ~put) | out[l] << c.result_shift;
  }
  const u64 exec = Exec(w);
  for (int r = 0; r < (bits + 31) / 32; ++r) Blend<1>(dst + r * kLanes, out + r * kLanes, exec);
}

constexpr Binding Scaled(const char* name, Format from, Format to, int count, uint32_t flags = 0) {
  return {name,
          OpClass::kValu,
          &BindScaledConversion,
          &Step<&ConvertScaled>,
          {.dwords = static_cast<uint8_t>(count),
           .flags = flags | ScaledFormats(static_cast<int>(from), BitsOf(from),
                                          static_cast<int>(to), BitsOf(to))},
          kGfx950};
}

}  // namespace

BindingTable ScaleConvertTable() {
  using enum Format;
  constexpr uint32_t kRandom = kScaledRandom, kTwo = kScaledTwoSources;
  static constexpr Binding kTable[] = {
      Scaled("v_cvt_scalef32_pk_fp8_f32", kF32, kFp8, 2, kTwo),
      Scaled("v_cvt_scalef32_pk_bf8_f32", kF32, kBf8, 2, kTwo),
      Scaled("v_cvt_scalef32_pk_fp4_f32", kF32, kFp4, 2, kTwo),
      Scaled("v_cvt_scalef32_pk_fp8_f16", kF16, kFp8, 2),
      Scaled("v_cvt_scalef32_pk_bf8_f16", kF16, kBf8, 2),
      Scaled("v_cvt_scalef32_pk_fp4_f16", kF16, kFp4, 2),
      Scaled("v_cvt_scalef32_pk_fp8_bf16", kBf16, kFp8, 2),
      Scaled("v_cvt_scalef32_pk_bf8_bf16", kBf16, kBf8, 2),
      Scaled("v_cvt_scalef32_pk_fp4_bf16", kBf16, kFp4, 2),
      Scaled("v_cvt_scalef32_sr_fp8_f32", kF32, kFp8, 1, kRandom),
      Scaled("v_cvt_scalef32_sr_bf8_f32", kF32, kBf8, 1, kRandom),
      Scaled("v_cvt_scalef32_sr_fp8_f16", kF16, kFp8, 1, kRandom),
      Scaled("v_cvt_scalef32_sr_bf8_f16", kF16, kBf8, 1, kRandom),
      Scaled("v_cvt_scalef32_sr_fp8_bf16", kBf16, kFp8, 1, kRandom),
      Scaled("v_cvt_scalef32_sr_bf8_bf16", kBf16, kBf8, 1, kRandom),
      Scaled("v_cvt_scalef32_sr_pk_fp4_f32", kF32, kFp4, 2, kRandom),
      Scaled("v_cvt_scalef32_sr_pk_fp4_f16", kF16, kFp4, 2, kRandom),
      Scaled("v_cvt_scalef32_sr_pk_fp4_bf16", kBf16, kFp4, 2, kRandom),
      Scaled("v_cvt_scalef32_pk_f32_fp8", kFp8, kF32, 2),
      Scaled("v_cvt_scalef32_pk_f32_bf8", kBf8, kF32, 2),
      Scaled("v_cvt_scalef32_pk_f32_fp4", kFp4, kF32, 2),
      Scaled("v_cvt_scalef32_pk_f16_fp8", kFp8, kF16, 2),
      Scaled("v_cvt_scalef32_pk_f16_bf8", kBf8, kF16, 2),
      Scaled("v_cvt_scalef32_pk_f16_fp4", kFp4, kF16, 2),
      Scaled("v_cvt_scalef32_pk_bf16_fp8", kFp8, kBf16, 2),
      Scaled("v_cvt_scalef32_pk_bf16_bf8", kBf8, kBf16, 2),
      Scaled("v_cvt_scalef32_pk_bf16_fp4", kFp4, kBf16, 2),
      Scaled("v_cvt_scalef32_f32_fp8", kFp8, kF32, 1),
      Scaled("v_cvt_scalef32_f32_bf8", kBf8, kF32, 1),
      Scaled("v_cvt_scalef32_f16_fp8", kFp8, kF16, 1),
      Scaled("v_cvt_scalef32_f16_bf8", kBf8, kF16, 1),
      Scaled("v_cvt_scalef32_2xpk16_fp6_f32", kF32, kFp6, 32, kTwo),
      Scaled("v_cvt_scalef32_2xpk16_bf6_f32", kF32, kBf6, 32, kTwo),
      Scaled("v_cvt_scalef32_pk32_fp6_f16", kF16, kFp6, 32),
      Scaled("v_cvt_scalef32_pk32_bf6_f16", kF16, kBf6, 32),
      Scaled("v_cvt_scalef32_pk32_fp6_bf16", kBf16, kFp6, 32),
      Scaled("v_cvt_scalef32_pk32_bf6_bf16", kBf16, kBf6, 32),
      Scaled("v_cvt_scalef32_sr_pk32_fp6_f32", kF32, kFp6, 32, kRandom),
      Scaled("v_cvt_scalef32_sr_pk32_bf6_f32", kF32, kBf6, 32, kRandom),
      Scaled("v_cvt_scalef32_sr_pk32_fp6_f16", kF16, kFp6, 32, kRandom),
      Scaled("v_cvt_scalef32_sr_pk32_bf6_f16", kF16, kBf6, 32, kRandom),
      Scaled("v_cvt_scalef32_sr_pk32_fp6_bf16", kBf16, kFp6, 32, kRandom),
      Scaled("v_cvt_scalef32_sr_pk32_bf6_bf16", kBf16, kBf6, 32, kRandom),
      Scaled("v_cvt_scalef32_pk32_f32_fp6", kFp6, kF32, 32),
      Scaled("v_cvt_scalef32_pk32_f32_bf6", kBf6, kF32, 32),
      Scaled("v_cvt_scalef32_pk32_f16_fp6", kFp6, kF16, 32),
      Scaled("v_cvt_scalef32_pk32_f16_bf6", kBf6, kF16, 32),
      Scaled("v_cvt_scalef32_pk32_bf16_fp6", kFp6, kBf16, 32),
      Scaled("v_cvt_scalef32_pk32_bf16_bf6", kBf6, kBf16, 32),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
