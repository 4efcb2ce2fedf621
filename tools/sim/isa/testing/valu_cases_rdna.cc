// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/sim/isa/testing/valu_cases.h"

/// Operations that gfx9 does not have, or that its compilers do not use.

namespace gridwise::sim::valu {
namespace {

u64 Pack(i64 low, i64 high) {
  return (static_cast<u64>(low) & 0xffff) | U(static_cast<u64>(high) << 16);
}
i64 Within(i64 x, i64 lowest, i64 highest) { return std::clamp(x, lowest, highest); }
/// Towards zero, saturating, NaN 0.
i64 Whole(double x, double lowest, double highest) {
  return std::isnan(x) ? 0 : static_cast<i64>(std::clamp(std::trunc(x), lowest, highest));
}
i64 Scaled(double x, double lowest, double scale) {
  return std::isnan(x) ? 0 : static_cast<i64>(std::nearbyint(std::clamp(x, lowest, 1.0) * scale));
}
u64 Encode(double x, char type) {
  return type == 'f' ? B(static_cast<float>(x)) : type == 'd' ? B(x) : HB(x);
}

/// IEEE 754-2019: minimumNumber and maximumNumber prefer numbers, minimum and maximum NaNs; in all
/// of them -0 is less than +0.
double Pick(double a, double b, bool max, bool number) {
  if (std::isnan(a) || std::isnan(b)) {
    if (!number) return NAN;
    return std::isnan(a) ? b : a;
  }
  const bool less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
  return less != max ? a : b;
}

/// The median, or the least number where there is a NaN.
double Median(std::array<double, 3> x) {
  if (std::ranges::any_of(x, [](double value) { return std::isnan(value); })) {
    return Pick(Pick(x[0], x[1], false, true), x[2], false, true);
  }
  std::ranges::sort(x, [](double p, double q) {
    return p < q || (p == q && std::signbit(p) && !std::signbit(q));
  });
  return x[1];
}

void AddExtremes(std::vector<Case>& cases, char t, const std::string& suffix) {
  const std::string types3(4, t), types2(3, t);
  const auto two = [&](const std::string& name, bool max, bool number) {
    cases.push_back(
        {.mnemonic = "v_" + name + "_" + suffix, .types = types2, .expected = [=](Args a) {
           return V(Encode(Pick(Value(a[0], t), Value(a[1], t), max, number), t));
         }});
    cases.back().gfx = "gfx1201";
  };
  two("min_num", false, true);
  two("max_num", true, true);
  two("minimum", false, false);
  two("maximum", true, false);
  if (t == 'd') return;
  const auto three = [&](const std::string& name, bool first_max, bool second_max, bool number,
                         const char* gfx = "gfx1201") {
    cases.push_back(
        {.mnemonic = "v_" + name + "_" + suffix, .types = types3, .expected = [=](Args a) {
           const double first = Pick(Value(a[0], t), Value(a[1], t), first_max, number);
           return V(Encode(Pick(first, Value(a[2], t), second_max, number), t));
         }});
    cases.back().gfx = gfx;
  };
  three("min3_num", false, false, true);
  three("max3_num", true, true, true);
  three("minmax_num", false, true, true);
  three("maxmin_num", true, false, true);
  three("minimummaximum", false, true, false);
  three("maximumminimum", true, false, false);
  three("minimum3", false, false, false);
  three("maximum3", true, true, false);
  cases.push_back({.mnemonic = "v_med3_num_" + suffix, .types = types3, .expected = [=](Args a) {
                     return V(Encode(Median({Value(a[0], t), Value(a[1], t), Value(a[2], t)}), t));
                   }});
  cases.back().gfx = "gfx1201";
  // gfx11's have MODE.IEEE: a signaling NaN gives NaN.
  for (const bool max_first : {false, true}) {
    cases.push_back({.mnemonic = std::string(max_first ? "v_maxmin_" : "v_minmax_") + suffix,
                     .types = types3,
                     .expected = [=](Args a) {
                       const auto signals = [&](int i) {
                         return std::isnan(Value(a[i], t)) &&
                                (a[i] >> (t == 'f' ? 22 : 9) & 1) == 0;
                       };
                       double first = Pick(Value(a[0], t), Value(a[1], t), max_first, true);
                       if (signals(0) || signals(1)) first = NAN;
                       if (signals(2)) return V(Encode(NAN, t));
                       return V(Encode(Pick(first, Value(a[2], t), !max_first, true), t));
                     }});
    cases.back().gfx = "gfx1100";
  }
}

/// Returns a function that appends a case to `cases`.
auto Appender(std::vector<Case>& cases) {
  return [&cases](std::string name, std::string types, std::function<u64(Args)> f,
                  const char* gfx = "gfx1100", u32 form = 0, double ulps = 0) {
    cases.push_back({.mnemonic = std::move(name),
                     .types = std::move(types),
                     .expected = [f = std::move(f)](Args a) { return V(f(a)); },
                     .form = form,
                     .ulps = ulps});
    cases.back().gfx = gfx;
  };
}

void AddRdnaIntegers(std::vector<Case>& cases) {
  const auto add = Appender(cases);
  add("v_xor3_b32", "bbbb", [](Args a) { return a[0] ^ a[1] ^ a[2]; });
  add("v_minmax_i32", "bbbb",
      [](Args a) { return U(static_cast<u64>(std::max(std::min(S(a[0]), S(a[1])), S(a[2])))); });
  add("v_maxmin_i32", "bbbb",
      [](Args a) { return U(static_cast<u64>(std::min(std::max(S(a[0]), S(a[1])), S(a[2])))); });
  add("v_minmax_u32", "bbbb", [](Args a) { return std::max(std::min(a[0], a[1]), a[2]); });
  add("v_maxmin_u32", "bbbb", [](Args a) { return std::min(std::max(a[0], a[1]), a[2]); });
  add("v_mov_b16", "hh", [](Args a) { return a[0]; });
  add("v_not_b16", "hh", [](Args a) { return a[0] ^ 0xffff; });
  add("v_and_b16", "hhh", [](Args a) { return a[0] & a[1]; });
  add("v_or_b16", "hhh", [](Args a) { return a[0] | a[1]; });
  add("v_xor_b16", "hhh", [](Args a) { return a[0] ^ a[1]; });
  add("v_cndmask_b16", "hhhm", [](Args a) { return a[2] != 0 ? a[1] : a[0]; });
  add("v_cvt_i32_i16", "bh", [](Args a) { return U(static_cast<u64>(i64{S16(a[0])})); });
  add("v_cvt_u32_u16", "bh", [](Args a) { return a[0]; });
  add(
      "v_sat_pk_u8_i16", "hb",
      [](Args a) {
        return static_cast<u64>(Within(S16(a[0]), 0, 255) + 256 * Within(S16(a[0] >> 16), 0, 255));
      },
      "gfx942");
  add(
      "v_cvt_pk_i16_i32", "bbb",
      [](Args a) { return Pack(Within(S(a[0]), -32768, 32767), Within(S(a[1]), -32768, 32767)); },
      "gfx942");
  add(
      "v_cvt_off_f32_i4", "fb",
      [](Args a) {
        const int nibble = static_cast<int>(a[0] & 15);
        return B(static_cast<float>(nibble < 8 ? nibble : nibble - 16) / 16);
      },
      "gfx942");
}

void AddSumsOfDistances(std::vector<Case>& cases) {
  const auto add = Appender(cases);
  add(
      "v_sad_hi_u8", "bbbb",
      [](Args a) {
        u64 sum = 0;
        for (int i = 0; i < 32; i += 8)
          sum += static_cast<u64>(
              std::abs(static_cast<int>(a[0] >> i & 255) - static_cast<int>(a[1] >> i & 255)));
        return U(sum * 65536 + a[2]);
      },
      "gfx942");
  add(
      "v_sad_u16", "bbbb",
      [](Args a) {
        u64 sum = a[2];
        for (int i = 0; i < 32; i += 16)
          sum += static_cast<u64>(
              std::abs(static_cast<int>(U16(a[0] >> i)) - static_cast<int>(U16(a[1] >> i))));
        return u64{U(sum)};
      },
      "gfx942");
  add(
      "v_msad_u8", "bbbb",
      [](Args a) {
        u64 sum = a[2];
        for (int i = 0; i < 32; i += 8) {
          const int x = static_cast<int>(a[0] >> i & 255), y = static_cast<int>(a[1] >> i & 255);
          if (y != 0) sum += static_cast<u64>(std::abs(x - y));
        }
        return u64{U(sum)};
      },
      "gfx942");
  const auto four_distances = [](bool masked) {
    return [=](Args a) {
      u64 result = 0;
      for (int half = 3; half >= 0; --half) {
        u64 sum = a[2] >> (16 * half);
        for (int i = 0; i < 4; ++i) {
          const int x = static_cast<int>(a[0] >> (8 * (half + i)) & 255);
          const int y = static_cast<int>(a[1] >> (8 * i) & 255);
          if (y != 0 || !masked) sum += static_cast<u64>(std::abs(x - y));
        }
        result = result << 16 | U16(sum);
      }
      return result;
    };
  };
  add("v_qsad_pk_u16_u8", "qqbq", four_distances(false), "gfx942");
  add("v_mqsad_pk_u16_u8", "qqbq", four_distances(true), "gfx942");
}

void AddRdnaFloats(std::vector<Case>& cases) {
  const auto add = Appender(cases);
  const auto zero = [](Args a) {
    const auto kept = [](float f) {
      return std::fpclassify(f) == FP_SUBNORMAL ? std::copysign(0.0f, f) : f;
    };
    const float x = kept(F(a[0])), y = kept(F(a[1])), z = kept(F(a[2]));
    return B(kept(x == 0 || y == 0 ? 0.0f + z : std::fma(x, y, z)));
  };
  add("v_fma_dx9_zero_f32", "ffff", zero);
  add("v_fmac_dx9_zero_f32", "ffff", zero, "gfx1100", kOldIsLast);
  add("v_mullit_f32", "ffff", [](Args a) {
    const float x = F(a[0]), y = F(a[1]), z = F(a[2]);
    const float least = std::numeric_limits<float>::lowest();
    if (std::isnan(y) || std::isnan(z) || y <= least || z <= 0) return B(least);
    return B(x == 0 || y == 0 ? 0.0f : x * y);
  });
  // A half times a half is exact in double, and a sum of that and a half is rounded once in a long
  // double's 64 bits, of which the double keeps what a half needs but in double-rounding ties.
  const auto fused = [](u64 x, u64 y, u64 z) {
    const long double sum = static_cast<long double>(H(x)) * H(y) + static_cast<long double>(H(z));
    double nearest = static_cast<double>(sum);
    if (static_cast<long double>(nearest) != sum && std::isfinite(nearest)) {
      const u64 bits = B(nearest);
      if ((bits & 1) == 0) {
        const bool grew = std::fabs(static_cast<long double>(nearest)) > std::fabs(sum);
        nearest = D(grew ? bits - 1 : bits + 1);
      }
    }
    return HB(nearest);
  };
  add("v_fmaak_f16", "eeee", [=](Args a) { return fused(a[0], a[1], a[2]); });
  add("v_fmamk_f16", "eeee", [=](Args a) { return fused(a[0], a[1], a[2]); });
  add(
      "v_fract_f16", "ee",
      [](Args a) {
        const double x = H(a[0]);
        return HB(std::min(x - std::floor(x), 2047.0 / 2048));
      },
      "gfx942");
  add(
      "v_sin_f16", "ee",
      [](Args a) {
        const double x = H(a[0]);
        return HB(std::sin(2 * M_PI * (x - std::floor(x))));
      },
      "gfx942", 0, 1);
  add(
      "v_cos_f16", "ee",
      [](Args a) {
        const double x = H(a[0]);
        return HB(std::cos(2 * M_PI * (x - std::floor(x))));
      },
      "gfx942", 0, 1);
}

void AddRdnaConversions(std::vector<Case>& cases) {
  const auto add = Appender(cases);
  add("v_cvt_pk_i16_f32", "bff",
      [](Args a) { return Pack(Whole(F(a[0]), -32768, 32767), Whole(F(a[1]), -32768, 32767)); });
  add("v_cvt_pk_u16_f32", "bff",
      [](Args a) { return Pack(Whole(F(a[0]), 0, 65535), Whole(F(a[1]), 0, 65535)); });
  add(
      "v_cvt_pk_u8_f32", "bfbb",
      [](Args a) {
        const u64 shift = 8 * (a[1] % 4);
        return (a[2] & ~(u64{255} << shift)) | static_cast<u64>(Whole(F(a[0]), 0, 255)) << shift;
      },
      "gfx942");
  add(
      "v_cvt_pknorm_i16_f16", "bee",
      [](Args a) { return Pack(Scaled(H(a[0]), -1, 32767), Scaled(H(a[1]), -1, 32767)); },
      "gfx942");
  add(
      "v_cvt_pknorm_u16_f16", "bee",
      [](Args a) { return Pack(Scaled(H(a[0]), 0, 65535), Scaled(H(a[1]), 0, 65535)); }, "gfx942");
  add(
      "v_cvt_norm_i16_f16", "he",
      [](Args a) { return U16(static_cast<u64>(Scaled(H(a[0]), -1, 32767))); }, "gfx942");
  add(
      "v_cvt_norm_u16_f16", "he",
      [](Args a) { return U16(static_cast<u64>(Scaled(H(a[0]), 0, 65535))); }, "gfx942");
}

}  // namespace

void AddRdna(std::vector<Case>& cases) {
  AddRdnaIntegers(cases);
  AddSumsOfDistances(cases);
  AddRdnaFloats(cases);
  AddRdnaConversions(cases);
  AddExtremes(cases, 'f', "f32");
  AddExtremes(cases, 'd', "f64");
  AddExtremes(cases, 'e', "f16");
}

}  // namespace gridwise::sim::valu
