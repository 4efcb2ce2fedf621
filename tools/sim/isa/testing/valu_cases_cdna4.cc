// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/sim/isa/testing/valu_cases.h"

namespace gridwise::sim::valu {
namespace {

/// Three-operand minimum or maximum of IEEE 754-2019: any NaN wins, -0 is less than +0.
double Extreme3(std::vector<double> values, bool maximum) {
  const auto less = [](double a, double b) {
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
  };
  for (const double v : values) {
    if (std::isnan(v)) return std::nan("");
  }
  return maximum ? *std::max_element(values.begin(), values.end(), less)
                 : *std::min_element(values.begin(), values.end(), less);
}

/// Bits of a bf16 nearest to x, ties to even, by comparing neighbours.
u64 NearestBf16(float x) {
  if (std::isnan(x)) return 0x7fc0;
  const u32 down = static_cast<u32>(B(x)) >> 16, up = down + 1;
  if (std::isinf(x)) return down;
  const auto value = [](u32 half) {  // the code above the largest number stands for 2^128
    const double d = F(u64{half & 0x7fff} << 16);
    return std::isinf(d) ? 0x1p128 : d;
  };
  const double magnitude = std::fabs(static_cast<double>(x));
  const double below = magnitude - value(down), above = value(up) - magnitude;
  return below < above || (below == above && down % 2 == 0) ? down : up;
}
/// Rounds |x| up if the random number's top bits and the part that is dropped carry.
u64 RandomlyRounded(float x, u32 random, int mantissa, int lowest_exponent, double above_largest,
                    u64 infinity, u64 sign) {
  const double magnitude = std::fabs(static_cast<double>(x));
  if (std::isnan(x)) return infinity | infinity >> 1;
  const u64 s = std::signbit(x) ? sign : 0;
  if (std::isinf(x) || magnitude >= above_largest) return s | infinity;
  const int exponent =
      magnitude == 0 ? lowest_exponent : std::max(std::ilogb(magnitude), lowest_exponent);
  const double units = std::ldexp(magnitude, mantissa - exponent);
  const double whole = std::floor(units);
  // Bits that are dropped of a 24-bit significand, at most 31 of them.
  const int own = std::max(magnitude == 0 ? -126 : std::ilogb(magnitude), -126);
  const int bits = std::min(23 - mantissa + exponent - own, 31);
  const double fraction = std::floor(std::ldexp(units - whole, bits));
  const double noise = static_cast<double>(random >> (32 - bits));
  const double kept = whole + (fraction + noise >= std::ldexp(1.0, bits) ? 1 : 0);
  // The code is linear in the exponent and the mantissa.
  const double code = std::ldexp(exponent - lowest_exponent, mantissa) + kept;
  return s | std::min(static_cast<u64>(code), infinity);
}

u64 Byte(i64 x, i64 lowest, i64 highest) {
  return static_cast<u64>(std::min(std::max(x, lowest), highest)) & 255;
}

/// Returns a function that appends a case to `cases`.
auto Appender(std::vector<Case>& cases) {
  return [&cases](std::string m, std::string t, std::function<Result(Args)> f, u32 form = 0,
                  std::string suffix = "") {
    cases.push_back({.mnemonic = std::move(m),
                     .types = std::move(t),
                     .expected = std::move(f),
                     .form = form,
                     .gfx = "gfx950",
                     .suffix = std::move(suffix)});
  };
}

void AddBits(std::vector<Case>& cases) {
  const auto add = Appender(cases);
  for (const u32 table : {0u, 0x1u, 0x96u, 0xe8u, 0xcau, 0x6cu, 0xffu}) {
    const auto bits = [table](Args a, int width) {
      u64 r = 0;
      for (int i = 0; i < width; ++i) {
        const u64 index = (a[0] >> i & 1) * 4 + (a[1] >> i & 1) * 2 + (a[2] >> i & 1);
        r |= u64{table >> index & 1} << i;
      }
      return V(r);
    };
    const std::string suffix = absl::StrCat("bitop3:", table);
    add("v_bitop3_b32", "bbbb", [bits](Args a) { return bits(a, 32); }, 0, suffix);
    add("v_bitop3_b16", "bhhh", [bits](Args a) { return bits(a, 16); }, 0, suffix);
  }
  add("v_prng_b32", "bb", [](Args a) { return V(U(a[0] * 2) ^ (a[0] >= 0x80000000u ? 197 : 0)); });
  for (const bool maximum : {false, true}) {
    const std::string name = maximum ? "maximum3" : "minimum3";
    add("v_" + name + "_f32", "ffff", [maximum](Args a) {
      return V(B(static_cast<float>(Extreme3({F(a[0]), F(a[1]), F(a[2])}, maximum))));
    });
    add("v_pk_" + name + "_f16", "kbbb", [maximum](Args a) {
      const auto half = [&](int i) {
        return HB(Extreme3({H(a[0] >> i & 0xffff), H(a[1] >> i & 0xffff), H(a[2] >> i & 0xffff)},
                           maximum));
      };
      return V(half(0) | half(16) << 16);
    });
  }
  add("v_ashr_pk_i8_i32", "bbbb", [](Args a) {
    const int s = static_cast<int>(a[2] & 31);
    return V(Byte(i64{S(a[0])} >> s, -128, 127) | Byte(i64{S(a[1])} >> s, -128, 127) << 8);
  });
  add("v_ashr_pk_u8_i32", "bbbb", [](Args a) {
    const int s = static_cast<int>(a[2] & 31);
    return V(Byte(i64{S(a[0])} >> s, 0, 255) | Byte(i64{S(a[1])} >> s, 0, 255) << 8);
  });
}

void AddFloats(std::vector<Case>& cases) {
  const auto add = Appender(cases);
  add("v_cvt_pk_f16_f32", "kff", [](Args a) { return V(HB(F(a[0])) | HB(F(a[1])) << 16); });
  add("v_cvt_pk_bf16_f32", "gff",
      [](Args a) { return V(NearestBf16(F(a[0])) | NearestBf16(F(a[1])) << 16); });
  add("v_cvt_f32_bf16", "fh", [](Args a) { return V(a[0] << 16); });
  add(
      "v_cvt_sr_f16_f32", "efb",
      [](Args a) { return V(RandomlyRounded(F(a[0]), U(a[1]), 10, -14, 65536, 0x7c00, 0x8000)); },
      kKeepsHigh);
  add(
      "v_cvt_sr_bf16_f32", "yfb",
      [](Args a) { return V(RandomlyRounded(F(a[0]), U(a[1]), 7, -126, 0x1p128, 0x7f80, 0x8000)); },
      kKeepsHigh);
  const auto signed_zero = [](float x) { return std::fabs(x) < 0x1p-126f ? x * 0.0f : x; };
  const auto zero = [](float x) { return std::fabs(x) < 0x1p-126f ? 0.0f : x; };
  const auto dot = [=](Args a) {
    const float low = signed_zero(F(a[0] << 16)) * signed_zero(F(a[1] << 16));
    const float sum =
        std::fmaf(signed_zero(F(a[0] & 0xffff0000)), signed_zero(F(a[1] & 0xffff0000)), low);
    return V(B(zero(sum + zero(F(a[2])))));
  };
  add("v_dot2_f32_bf16", "fbbf", dot);
  add("v_dot2c_f32_bf16", "fbbf", dot, kOldIsLast);
}

}  // namespace

void AddCdna4(std::vector<Case>& cases) {
  AddBits(cases);
  AddFloats(cases);
}

}  // namespace gridwise::sim::valu
