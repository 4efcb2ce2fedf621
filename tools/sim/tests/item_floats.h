// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/tests/item.h"

/// Kernels that compute with floats and convert them.

namespace gridwise::sim::items {

GRIDWISE_ITEM void FloatBasics(int i, const u32* in, u32* out, int n) {
  const float a = SmallFloat(in[i]), b = SmallFloat(in[(i + 1) % n]),
              c = SmallFloat(in[(i + 2) % n]);
  u32 hash = Mix(Mix(Mix(0, Bits<u32>(a + b)), Bits<u32>(a * b)), Bits<u32>(a - b * c));
  hash = Mix(Mix(hash, Bits<u32>(__builtin_fmaf(a, b, c))), Bits<u32>(b != 0 ? a / b : c));
  hash = Mix(hash, Bits<u32>(__builtin_sqrtf(__builtin_fabsf(a))));
  hash = Mix(Mix(hash, Bits<u32>(__builtin_floorf(a))), Bits<u32>(__builtin_ceilf(b)));
  hash = Mix(Mix(hash, Bits<u32>(__builtin_truncf(c))), Bits<u32>(__builtin_rintf(a)));
  hash = Mix(hash, (a < b) + 2 * (a <= c) + 4 * (b == c) + 8 * (a != a));
  out[i] = Mix(hash, Bits<u32>(__builtin_copysignf(a, b) + (c > 0 ? -a : b)));
}

/// Every float there is: denormals, infinities and NaNs as well. The result's NaN bits are not
/// compared.
GRIDWISE_ITEM void AnyFloat(int i, const u32* in, u32* out, int n) {
  const float a = Bits<float>(in[i]), b = Bits<float>(in[(i + 1) % n]);
  const auto bits = [](float x) { return x != x ? 0x7fc00000u : Bits<u32>(x); };
  out[i] = Mix(Mix(Mix(Mix(0, bits(a + b)), bits(a * b)), bits(a / b)),
               bits(a - b) + (a < b) + 2 * (a == b));
}

GRIDWISE_ITEM void DoubleBasics(int i, const u32* in, u32* out, int n) {
  const double a = SmallDouble(in[i], in[(i + 1) % n]), b = SmallDouble(in[(i + 2) % n], in[i]);
  u32 hash = Mix64(Mix64(Mix64(0, Bits<u64>(a + b)), Bits<u64>(a * b)), Bits<u64>(a - b));
  hash = Mix64(Mix64(hash, Bits<u64>(b != 0 ? a / b : a)), Bits<u64>(__builtin_fma(a, b, a)));
  hash = Mix64(hash, Bits<u64>(__builtin_sqrt(__builtin_fabs(a))));
  hash = Mix64(Mix64(hash, Bits<u64>(__builtin_floor(a))), Bits<u64>(__builtin_trunc(b)));
  out[i] = Mix(hash, (a < b) + 2 * (a >= b) + 4 * (a == b) + 8 * Bits<u32>(static_cast<float>(a)));
}

GRIDWISE_ITEM void Convert(int i, const u32* in, u32* out, int n) {
  const float f = SmallFloat(in[i]);
  const double d = SmallDouble(in[i], in[(i + 1) % n]);
  const u64 w = u64{in[i]} << (i % 33) | in[(i + 1) % n];
  u32 hash = Mix(Mix(0, static_cast<int>(f)), static_cast<u32>(__builtin_fabsf(f)));
  hash = Mix(Mix(hash, Bits<u32>(static_cast<float>(in[i]))),
             Bits<u32>(static_cast<float>(static_cast<int>(in[i]))));
  hash =
      Mix64(Mix64(hash, Bits<u64>(static_cast<double>(in[i]))), Bits<u64>(static_cast<double>(w)));
  hash = Mix64(Mix64(hash, static_cast<i64>(d * 1048576)), static_cast<u64>(__builtin_fabs(d)));
  hash = Mix(Mix(hash, Bits<u32>(static_cast<float>(w))),
             Bits<u32>(static_cast<float>(static_cast<i64>(w))));
  hash = Mix(hash, Bits<u32>(static_cast<float>(static_cast<signed char>(in[i])) +
                             static_cast<float>(u8(in[i] >> 8))));
  out[i] = Mix64(hash, Bits<u64>(static_cast<double>(f)));
}

GRIDWISE_ITEM void Halves(int i, const u32* in, u32* out, int n) {
  using half = _Float16;
  typedef half half2 __attribute__((ext_vector_type(2)));
  const half a = static_cast<half>(SmallFloat(in[i]) * 0x1p-6f),
             b = static_cast<half>(SmallFloat(in[(i + 1) % n]) * 0x1p-8f);
  const half2 x = {a, b}, y = {b, static_cast<half>(1.5f)};
  const half2 sum = x + y, product = x * y, difference = x - y;
  u32 hash = Mix(Mix(Mix(0, Bits<u32>(sum)), Bits<u32>(product)), Bits<u32>(difference));
  hash = Mix(Mix(hash, Bits<u16>(static_cast<half>(a + b))), Bits<u16>(static_cast<half>(a * b)));
  hash = Mix(hash, Bits<u32>(static_cast<float>(a)));
  out[i] = Mix(hash, (a < b) + 2 * static_cast<int>(b) +
                         16 * Bits<u16>(static_cast<half>(static_cast<short>(in[i]))));
}

/// Sums of products of pairs of halves, each operation rounded to half.
GRIDWISE_ITEM void HalfDots(int i, const u32* in, u32* out, int n) {
  typedef _Float16 half2 __attribute__((ext_vector_type(2)));
  half2 sum = {0, 0};
  for (int k = 0; k < 12; ++k) {
    const u32 word = in[(i + k) % n];
    const half2 a = {static_cast<_Float16>(static_cast<int>(word % 64) - 32),
                     static_cast<_Float16>(static_cast<int>(word >> 8 & 63) * 0.125f)};
    const half2 b = {a.y, static_cast<_Float16>(0.5f)};
    const half2 product = a * b;
    sum = sum + product;
  }
  const half2 smallest = __builtin_elementwise_min(sum, half2{4, -3});
  out[i] = Mix(Bits<u32>(sum), Bits<u32>(smallest));
}

/// The bits of the bfloat16 that is nearest to a finite `x`, ties to even.
GRIDWISE_ITEM u32 ToBfloat(float x) {
#if defined(__HIP_DEVICE_COMPILE__)
  return Bits<u16>(static_cast<__bf16>(x));  // an instruction where the target has one
#else
  const u32 bits = Bits<u32>(x);
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
#endif
}
GRIDWISE_ITEM float FromBfloat(u32 bits) { return Bits<float>(bits << 16); }
GRIDWISE_ITEM void Bfloats(int i, const u32* in, u32* out, int n) {
  float sum = 0;
  u32 hash = 0;
  for (int k = 0; k < 8; ++k) {
    const float a = FromBfloat(ToBfloat(SmallFloat(in[(i + k) % n])));
    const float b = FromBfloat(ToBfloat(SmallFloat(in[(i + 2 * k) % n]) * 0x1p-9f));
    sum = FromBfloat(ToBfloat(sum + a * b));
    hash = Mix(hash, ToBfloat(a) << 16 | ToBfloat(sum));
  }
  out[i] = hash;
}

/// An 8-bit float of 4 exponent bits with bias 7 and 3 fraction bits (OCP E4M3), by hand.
GRIDWISE_ITEM float FromFp8(u32 bits) {
  const u32 exponent = bits >> 3 & 15, fraction = bits & 7;
  const float magnitude = exponent == 0 ? static_cast<float>(fraction) * 0x1p-9f
                                        : Bits<float>((exponent + 120) << 23 | fraction << 20);
  return bits & 0x80 ? -magnitude : magnitude;
}
GRIDWISE_ITEM u32 ToFp8(float x) {
  const u32 sign = Bits<u32>(x) >> 24 & 0x80;
  const float magnitude = __builtin_fabsf(x);
  if (magnitude >= 448) return sign | 0x7e;
  u32 best = 0;
  for (u32 low = 0, high = 0x7e; low <= high;) {  // the greatest code that is not above
    const u32 middle = (low + high) / 2;
    if (FromFp8(middle) <= magnitude) {
      best = middle;
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  const float below = magnitude - FromFp8(best), above = FromFp8(best + 1) - magnitude;
  if (above < below || (above == below && best % 2 == 1)) ++best;
  return sign | best;
}
GRIDWISE_ITEM void Fp8(int i, const u32* in, u32* out, int n) {
  const u32 a = in[i] & 0xff, b = in[(i + 1) % n] & 0xff;
  const float product = FromFp8(a & 0x7f) * FromFp8((b & 0x7f) | (b & 0x80));
  out[i] =
      ToFp8(product) | ToFp8(SmallFloat(in[i]) * 0x1p-4f) << 8 | ToFp8(FromFp8(a & 0x77)) << 16;
}

}  // namespace gridwise::sim::items

/// Applies ROW(name) to every kernel of this file.
// clang-format off: it indents each line of such a list further than the one before.
#define GRIDWISE_FLOAT_ITEMS(ROW) \
  ROW(FloatBasics) \
  ROW(AnyFloat) \
  ROW(DoubleBasics) \
  ROW(Convert) \
  ROW(Halves) \
  ROW(HalfDots) \
  ROW(Bfloats) \
  ROW(Fp8)
// clang-format on
