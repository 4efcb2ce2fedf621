// SPDX-License-Identifier: MIT
#pragma once

#include <immintrin.h>

#include "tools/sim/isa/exec/small_float.h"

/// Elements of matrix operands: unpacking of registers to rows of f32, f64 or pairs of integers.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

enum class Format : u8 {
  kF16,
  kBf16,
  kF32,
  kXf32,
  kFp8,
  kBf8,
  kFp8Fnuz,
  kBf8Fnuz,
  kFp6,
  kBf6,
  kFp4,
  kF64,
  kI8,
  kU8,
  kI4,
  kU4,
};
constexpr int BitsOf(Format f) {
  switch (f) {
    case Format::kF64:
      return 64;
    case Format::kF32:
    case Format::kXf32:
      return 32;
    case Format::kF16:
    case Format::kBf16:
      return 16;
    case Format::kFp6:
    case Format::kBf6:
      return 6;
    case Format::kFp4:
    case Format::kI4:
    case Format::kU4:
      return 4;
    default:
      return 8;
  }
}
constexpr bool IsInteger(Format f) { return f >= Format::kI8; }

/// Bits [kBits p, kBits p + kBits) of every lane of consecutive rows.
template <int kBits, class F>
GRIDWISE_SIM_INLINE void UnpackFields(const u32* rows, int elements, f32* out, F convert) {
  for (int p = 0; p < elements; ++p) {
    const int bit = kBits * p;
    const u32 shift = static_cast<u32>(bit % 32);
    const u32* low = rows + bit / 32 * kLanes;
    f32* to = out + p * kLanes;
    if (bit % 32 + kBits > 32) {
      for (int l = 0; l < kLanes; ++l)
        to[l] = convert(low[l] >> shift | low[l + kLanes] << (32 - shift));
    } else {
      for (int l = 0; l < kLanes; ++l) to[l] = convert(low[l] >> shift);
    }
  }
}
template <class S>
GRIDWISE_SIM_INLINE void UnpackSmall(const u32* rows, int elements, f32* out) {
  UnpackFields<S::kBits>(rows, elements, out, [](u32 bits) { return FromSmall<S>(bits); });
}

/// Halves: the low ones of a row, then the high ones; compilers convert one half at a time.
GRIDWISE_SIM_INLINE void UnpackHalves(const u32* rows, int elements, f32* out) {
#if defined(__F16C__) && !defined(__AVX512F__)
  for (int i = 0; i < elements / 2; ++i) {
    const u32* row = rows + i * kLanes;
    f32* to = out + 2 * i * kLanes;
    for (int l = 0; l < kLanes; l += 8) {
      const __m256i dwords = _mm256_load_si256(reinterpret_cast<const __m256i*>(row + l));
      const __m256i low = _mm256_and_si256(dwords, _mm256_set1_epi32(0xffff));
      const __m256i high = _mm256_srli_epi32(dwords, 16);
      const __m256i halves =
          _mm256_permute4x64_epi64(_mm256_packus_epi32(low, high), 0xd8);  // 8 low, 8 high ones
      _mm256_storeu_ps(to + l, _mm256_cvtph_ps(_mm256_castsi256_si128(halves)));
      _mm256_storeu_ps(to + kLanes + l, _mm256_cvtph_ps(_mm256_extracti128_si256(halves, 1)));
    }
  }
#else
  UnpackFields<16>(rows, elements, out,
                   [](u32 bits) { return static_cast<f32>(Bits<f16>(static_cast<u16>(bits))); });
#endif
}

template <int kBits, bool kSigned>
GRIDWISE_SIM_INLINE u32 Field(u32 dword, int p) {
  const u32 top = dword << (32 - kBits - kBits * p);
  return (kSigned ? static_cast<u32>(static_cast<i32>(top) >> (32 - kBits)) : top >> (32 - kBits));
}
template <int kBits, bool kSigned>
GRIDWISE_SIM_INLINE void UnpackIntegers(const u32* rows, int elements, f32* out) {
  UnpackFields<kBits>(rows, elements, out, [](u32 bits) {
    return static_cast<f32>(static_cast<i32>(Field<kBits, kSigned>(bits, 0)));
  });
}

/// `elements` rows of floats, or of integers as floats. xf32 ignores the 13 low bits of a float.
[[gnu::noinline]] inline void UnpackFloats(Format format, const u32* rows, int elements, f32* out) {
  switch (format) {
    case Format::kF16:
      return UnpackHalves(rows, elements, out);
    case Format::kBf16:
      return UnpackFields<16>(rows, elements, out, [](u32 bits) { return FromBf16(bits); });
    case Format::kXf32:
      return UnpackFields<32>(rows, elements, out,
                              [](u32 bits) { return Bits<f32>(bits & 0xffffe000); });
    case Format::kFp8:
      return UnpackSmall<Fp8>(rows, elements, out);
    case Format::kBf8:
      return UnpackSmall<Bf8>(rows, elements, out);
    case Format::kFp8Fnuz:
      return UnpackSmall<Fp8Fnuz>(rows, elements, out);
    case Format::kBf8Fnuz:
      return UnpackSmall<Bf8Fnuz>(rows, elements, out);
    case Format::kFp6:
      return UnpackSmall<Fp6>(rows, elements, out);
    case Format::kBf6:
      return UnpackSmall<Bf6>(rows, elements, out);
    case Format::kFp4:
      return UnpackSmall<Fp4>(rows, elements, out);
    case Format::kI8:
      return UnpackIntegers<8, true>(rows, elements, out);
    case Format::kU8:
      return UnpackIntegers<8, false>(rows, elements, out);
    case Format::kI4:
      return UnpackIntegers<4, true>(rows, elements, out);
    case Format::kU4:
      return UnpackIntegers<4, false>(rows, elements, out);
    default:
      return UnpackFields<32>(rows, elements, out, [](u32 bits) { return Bits<f32>(bits); });
  }
}

template <int kBits, bool kSigned>
GRIDWISE_SIM_INLINE void UnpackIntegerPairs(const u32* rows, int pairs, u32* out) {
  constexpr int kPairs = 16 / kBits;  // pairs in a dword
  for (int p = 0; p < pairs; ++p) {
    const u32* row = rows + p / kPairs * kLanes;
    const int first = p % kPairs * 2;
    for (int l = 0; l < kLanes; ++l) {
      out[p * kLanes + l] = (Field<kBits, kSigned>(row[l], first) & 0xffff) |
                            Field<kBits, kSigned>(row[l], first + 1) << 16;
    }
  }
}

/// `pairs` rows of two 16-bit integers each.
[[gnu::noinline]] inline void UnpackPairs(Format format, const u32* rows, int pairs, u32* out) {
  switch (format) {
    case Format::kI8:
      return UnpackIntegerPairs<8, true>(rows, pairs, out);
    case Format::kU8:
      return UnpackIntegerPairs<8, false>(rows, pairs, out);
    case Format::kI4:
      return UnpackIntegerPairs<4, true>(rows, pairs, out);
    default:
      return UnpackIntegerPairs<4, false>(rows, pairs, out);
  }
}

/// Doubles lie in two rows each.
GRIDWISE_SIM_INLINE void UnpackDoubles(const u32* rows, int count, f64* out) {
  for (int i = 0; i < count; ++i) {
    const u32* low = rows + 2 * i * kLanes;
    for (int l = 0; l < kLanes; ++l)
      out[i * kLanes + l] = Bits<f64>(low[l] | u64{low[l + kLanes]} << 32);
  }
}
GRIDWISE_SIM_INLINE void PackDoubles(const f64* values, int count, u32* rows) {
  for (int i = 0; i < count; ++i) {
    u32* low = rows + 2 * i * kLanes;
    for (int l = 0; l < kLanes; ++l) {
      const u64 bits = Bits<u64>(values[i * kLanes + l]);
      low[l] = static_cast<u32>(bits);
      low[l + kLanes] = static_cast<u32>(bits >> 32);
    }
  }
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
