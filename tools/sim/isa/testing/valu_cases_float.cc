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

std::function<Result(Args)> Pairs(std::function<float(float, float, float)> f) {
  return [f](Args a) {
    return V(B(f(F(a[0]), F(a[1]), F(a[2]))) | B(f(F(a[0] >> 32), F(a[1] >> 32), F(a[2] >> 32)))
                                                   << 32);
  };
}
bool Signaling32(float x) { return std::isnan(x) && (B(x) >> 22 & 1) == 0; }
/// IEEE-754-2008 minNum and maxNum: a signaling NaN gives NaN, a quiet one the other operand; -0 <
/// +0.
double MinNum(double a, double b, bool signaling = false) {
  if (signaling) return NAN;
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
double MaxNum(double a, double b, bool signaling = false) {
  return signaling || std::isnan(a) || std::isnan(b) ? MinNum(a, b, signaling) : -MinNum(-a, -b);
}
bool Signaling(u64 x, char type) {
  if (type == 'f') return Signaling32(F(x));
  if (type == 'd') return std::isnan(D(x)) && (x >> 51 & 1) == 0;
  return std::isnan(H(x)) && (x >> 9 & 1) == 0;
}
u64 Encode(double x, char type) {
  return type == 'f' ? B(static_cast<float>(x)) : type == 'd' ? B(x) : HB(x);
}
bool IsClass(double x, u64 bits, u64 mask, char type) {
  const double smallest = type == 'f' ? 0x1p-126 : type == 'd' ? 0x1p-1022 : 0x1p-14;
  int bit;
  if (std::isnan(x)) {
    bit = Signaling(bits, type) ? 0 : 1;
  } else {
    const int kind = std::isinf(x)              ? 0
                     : std::fabs(x) >= smallest ? 1
                     : x != 0                   ? 2
                                                : 3;  // from -inf upwards
    bit = std::signbit(x) ? 2 + kind : 9 - kind;
  }
  return (mask >> bit & 1) != 0;
}
double Saturated(double x, double lowest, double highest) {
  return std::isnan(x) ? 0 : std::min(std::max(std::trunc(x), lowest), highest);
}

}  // namespace

void AddFloat(std::vector<Case>& cases, char t) {
  const std::string suffix = t == 'f' ? "f32" : t == 'd' ? "f64" : "f16";
  using Op = std::function<double(double, double, double)>;
  const auto add = [&](const std::string& name, int args, Op f, u32 form = 0, double ulps = 0) {
    cases.push_back(
        {"v_" + name + "_" + suffix, std::string(static_cast<size_t>(args) + 1, t),
         [=](Args a) { return V(Encode(f(Value(a[0], t), Value(a[1], t), Value(a[2], t)), t)); },
         form, ulps});
  };
  // In double, then rounded: exact for halves and floats, except fused operations on floats, which
  // std::fma does.
  const Op fma = [t](double a, double b, double c) -> double {
    if (t == 'f')
      return std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
    return t == 'd' ? std::fma(a, b, c) : static_cast<double>(static_cast<long double>(a) * b + c);
  };
  add("add", 2, [](double a, double b, double) { return a + b; });
  add("mul", 2, [](double a, double b, double) { return a * b; });
  add("fma", 3, fma, t == 'e' ? kKeepsHigh : 0);
  add("fmac", 3, fma, kOldIsLast);
  add("floor", 1, [](double a, double, double) { return std::floor(a); });
  add("ceil", 1, [](double a, double, double) { return std::ceil(a); });
  add("trunc", 1, [](double a, double, double) { return std::trunc(a); });
  add("rndne", 1, [](double a, double, double) { return std::nearbyint(a); });
  // Functions of floats know no denormals.
  const auto function = [&](const std::string& name, double (*f)(double)) {
    add(
        name, 1,
        [t, f](double a, double, double) {
          const auto kept = [t](double x) {
            return t == 'f' && std::fabs(x) < 0x1p-126 ? std::copysign(0.0, x) : x;
          };
          return kept(f(kept(a)));
        },
        0, 1);
  };
  function("sqrt", [](double a) { return std::sqrt(a); });
  function("rcp", [](double a) { return 1 / a; });
  function("rsq", [](double a) { return 1 / std::sqrt(a); });
  if (t != 'd') {
    add("sub", 2, [](double a, double b, double) { return a - b; });
    add("subrev", 2, [](double a, double b, double) { return b - a; });
    function("exp", [](double a) { return std::exp2(a); });
    function("log", [](double a) { return std::log2(a); });
  }
  if (t == 'e') add("fma_legacy", 3, fma);
  // Minimum and maximum.
  const auto extremes = [&](const std::string& name, int args,
                            std::function<double(Args, bool)> f) {
    cases.push_back(
        {"v_" + name + "_" + suffix, std::string(static_cast<size_t>(args) + 1, t),
         [=](Args a) { return V(Encode(f(a, Signaling(a[0], t) || Signaling(a[1], t)), t)); }});
  };
  extremes("min", 2, [t](Args a, bool s) { return MinNum(Value(a[0], t), Value(a[1], t), s); });
  extremes("max", 2, [t](Args a, bool s) { return MaxNum(Value(a[0], t), Value(a[1], t), s); });
  const auto clean =
      [t](Args a, auto f) -> double {  // quiet inputs only; the NaN rules are those of min and max
    for (int i = 0; i < 3; ++i) {
      if (Signaling(a[i], t)) return NAN;
    }
    return f(Value(a[0], t), Value(a[1], t), Value(a[2], t));
  };
  if (t != 'd') {
    const auto three = [&](const std::string& name, Op f) {
      cases.push_back({"v_" + name + "_" + suffix, std::string(4, t), [=](Args a) {
                         const double r = clean(a, f);
                         // A signaling NaN makes the first minimum NaN, which the second one then
                         // drops again.
                         for (int i = 0; i < 2; ++i) {
                           if (Signaling(a[i], t) && !Signaling(a[2], t)) return V(a[2]);
                         }
                         return V(Encode(r, t));
                       }});
    };
    three("min3", [](double a, double b, double c) { return MinNum(MinNum(a, b), c); });
    three("max3", [](double a, double b, double c) { return MaxNum(MaxNum(a, b), c); });
  }
  cases.push_back({"v_cmp_class_" + suffix, std::string("m") + t + "b",
                   [t](Args a) { return M(IsClass(Value(a[0], t), a[0], a[1], t)); }});
}

void AddFloatSpecials(std::vector<Case>& cases) {
  const auto add = [&](std::string m, std::string t, std::function<Result(Args)> f, u32 form = 0,
                       double ulps = 0) {
    cases.push_back({std::move(m), std::move(t), std::move(f), form, ulps});
  };
  const auto fma = [](Args a) { return V(B(std::fma(F(a[0]), F(a[1]), F(a[2])))); };
  add("v_fmamk_f32", "ffff", fma);
  add("v_fmaak_f32", "ffff", fma);
  add("v_fma_mix_f32", "ffff", fma);
  const auto mad = [](Args a) {
    return V(B(static_cast<float>(double{F(a[0])} * F(a[1])) + F(a[2])));
  };
  add("v_mad_f32", "ffff", mad);
  add("v_mac_f32", "ffff", mad, kOldIsLast);
  add("v_madak_f32", "ffff", mad);
  add("v_madmk_f32", "ffff", mad);
  // "0.0 * x = 0.0" (MI200 ISA, V_MAD_LEGACY_F32).
  add("v_mad_legacy_f32", "ffff",
      [mad](Args a) { return F(a[0]) == 0 || F(a[1]) == 0 ? V(B(0.0f + F(a[2]))) : mad(a); });
  // Sums and products of halves are exact in double.
  const auto mad16 = [](Args a) { return V(HB(H(HB(H(a[0]) * H(a[1]))) + H(a[2]))); };
  add("v_mad_f16", "eeee", mad16, kKeepsHigh);
  add("v_mad_legacy_f16", "eeee", mad16);
  add("v_mac_f16", "eeee", mad16, kOldIsLast);
  add("v_madak_f16", "eeee", mad16);
  add("v_madmk_f16", "eeee", mad16);
  add("v_mul_legacy_f32", "fff",
      [](Args a) { return V(F(a[0]) == 0 || F(a[1]) == 0 ? 0 : B(F(a[0]) * F(a[1]))); });
  add(
      "v_rcp_iflag_f32", "ff",
      [](Args a) {
        const float x = F(a[0]), r = static_cast<float>(1 / double{x});
        if (std::fpclassify(x) == FP_SUBNORMAL) return V(B(std::copysign(INFINITY, x)));
        return V(std::fpclassify(r) == FP_SUBNORMAL ? B(std::copysign(0.0f, r)) : B(r));
      },
      0, 1);
  add(
      "v_fma_mixlo_f16", "efff", [](Args a) { return V(HB(std::fma(F(a[0]), F(a[1]), F(a[2])))); },
      kKeepsHigh);
  add(
      "v_sin_f32", "ff",
      [](Args a) {
        return V(
            B(static_cast<float>(std::sin((F(a[0]) - std::floor(double{F(a[0])})) * 2 * M_PI))));
      },
      0, 2);
  add(
      "v_cos_f32", "ff",
      [](Args a) {
        return V(
            B(static_cast<float>(std::cos((F(a[0]) - std::floor(double{F(a[0])})) * 2 * M_PI))));
      },
      0, 2);
  add("v_fract_f32", "ff", [](Args a) {
    return V(B(std::min(F(a[0]) - std::floor(F(a[0])), std::nextafter(1.0f, 0.0f))));
  });
  add("v_fract_f64", "dd", [](Args a) {
    return V(B(std::min(D(a[0]) - std::floor(D(a[0])), std::nextafter(1.0, 0.0))));
  });
  add("v_ldexp_f32", "ffb", [](Args a) { return V(B(std::ldexp(F(a[0]), S(a[1])))); });
  add("v_trig_preop_f64", "ddb", [](Args a) {
    // 2/pi in the 24-bit pieces that double-precision libraries have it in.
    constexpr uint32_t kPieces[] = {
        0xa2f983, 0x6e4e44, 0x1529fc, 0x2757d1, 0xf534dd, 0xc0db62, 0x95993c, 0x439041, 0xfe5163,
        0xabdebb, 0xc561b7, 0x246e3a, 0x424dd2, 0xe00649, 0x2eea09, 0xd1921c, 0xfe1deb, 0x1cb129,
        0xa73ee8, 0x8235f5, 0x2ebb44, 0x84e99c, 0x7026b4, 0x5f7e41, 0x3991d6, 0x398353, 0x39f49c,
        0x845f8b, 0xbdf928, 0x3b1ff8, 0x97ffde, 0x05980f, 0xef2f11, 0x8b5a0a, 0x6d1f6d, 0x367ecf,
        0x27cb09, 0xb74f46, 0x3f669e, 0x5fea2d, 0x7527ba, 0xc7ebe5, 0xf17b3d, 0x0739f7, 0x8a5292,
        0xea6bfb, 0x5fb11f, 0x8d5d08, 0x560330, 0x46fc7b, 0x6babf0};
    const int exponent = static_cast<int>(a[0] >> 52 & 0x7ff);
    const int first = static_cast<int>(a[1] % 32) * 53 + std::max(0, exponent - 1077);
    double sum = 0;
    for (int k = first; k < std::min(first + 53, 1201); ++k)
      sum += (kPieces[k / 24] >> (23 - k % 24) & 1) * std::ldexp(1.0, first - k);
    return V(B(std::ldexp(sum, (exponent >= 1968 ? 127 : -1) - first)));
  });
  add("v_ldexp_f64", "ddb", [](Args a) { return V(B(std::ldexp(D(a[0]), S(a[1])))); });
  add("v_ldexp_f16", "eeh", [](Args a) { return V(HB(std::ldexp(H(a[0]), S16(a[1])))); });
  const auto exponent = [](double x) {
    int e = 0;
    if (std::isfinite(x)) std::frexp(x, &e);
    return e;
  };
  const auto mantissa = [](double x) {
    int e = 0;
    return std::isfinite(x) ? std::frexp(x, &e) : x;
  };
  add("v_frexp_exp_i32_f32", "bf",
      [=](Args a) { return V(U(static_cast<u64>(exponent(F(a[0]))))); });
  add("v_frexp_exp_i32_f64", "bd",
      [=](Args a) { return V(U(static_cast<u64>(exponent(D(a[0]))))); });
  add("v_frexp_exp_i16_f16", "he",
      [=](Args a) { return V(U16(static_cast<u64>(exponent(H(a[0]))))); });
  add("v_frexp_mant_f32", "ff",
      [=](Args a) { return V(B(static_cast<float>(mantissa(F(a[0]))))); });
  add("v_frexp_mant_f64", "dd", [=](Args a) { return V(B(mantissa(D(a[0])))); });
  add("v_frexp_mant_f16", "ee", [=](Args a) { return V(HB(mantissa(H(a[0])))); });
  add("v_pk_add_f32", "www", Pairs([](float a, float b, float) { return a + b; }));
  add("v_pk_mul_f32", "www", Pairs([](float a, float b, float) { return a * b; }));
  add("v_pk_fma_f32", "wwww", Pairs([](float a, float b, float c) { return std::fma(a, b, c); }));
}

void AddConversions(std::vector<Case>& cases) {
  const auto add = [&](std::string m, std::string t, std::function<Result(Args)> f) {
    cases.push_back({std::move(m), std::move(t), std::move(f)});
  };
  add("v_cvt_f32_i32", "fb", [](Args a) { return V(B(static_cast<float>(S(a[0])))); });
  add("v_cvt_f32_u32", "fb", [](Args a) { return V(B(static_cast<float>(U(a[0])))); });
  add("v_cvt_f64_i32", "db", [](Args a) { return V(B(static_cast<double>(S(a[0])))); });
  add("v_cvt_f64_u32", "db", [](Args a) { return V(B(static_cast<double>(U(a[0])))); });
  add("v_cvt_i32_f32", "bf", [](Args a) {
    return V(U(static_cast<u64>(static_cast<i64>(Saturated(F(a[0]), INT32_MIN, INT32_MAX)))));
  });
  add("v_cvt_i32_f64", "bd", [](Args a) {
    return V(U(static_cast<u64>(static_cast<i64>(Saturated(D(a[0]), INT32_MIN, INT32_MAX)))));
  });
  add("v_cvt_u32_f32", "bf",
      [](Args a) { return V(static_cast<u64>(Saturated(F(a[0]), 0, UINT32_MAX))); });
  add("v_cvt_u32_f64", "bd",
      [](Args a) { return V(static_cast<u64>(Saturated(D(a[0]), 0, UINT32_MAX))); });
  add("v_cvt_f16_f32", "ef", [](Args a) { return V(HB(F(a[0]))); });
  add("v_cvt_f32_f16", "fe", [](Args a) { return V(B(static_cast<float>(H(a[0])))); });
  add("v_cvt_f64_f32", "df", [](Args a) { return V(B(double{F(a[0])})); });
  add("v_cvt_f32_f64", "fd", [](Args a) { return V(B(static_cast<float>(D(a[0])))); });
  add("v_cvt_f16_u16", "eh", [](Args a) { return V(HB(U16(a[0]))); });
  add("v_cvt_f16_i16", "eh", [](Args a) { return V(HB(S16(a[0]))); });
  add("v_cvt_u16_f16", "he",
      [](Args a) { return V(static_cast<u64>(Saturated(H(a[0]), 0, 65535))); });
  add("v_cvt_i16_f16", "he", [](Args a) {
    return V(U16(static_cast<u64>(static_cast<i64>(Saturated(H(a[0]), -32768, 32767)))));
  });
  for (int i = 0; i < 4; ++i) {
    add(absl::StrCat("v_cvt_f32_ubyte", i), "fb",
        [i](Args a) { return V(B(static_cast<float>(a[0] >> (8 * i) & 255))); });
  }
  add("v_cvt_flr_i32_f32", "bf", [](Args a) {
    return V(U(
        static_cast<u64>(static_cast<i64>(Saturated(std::floor(F(a[0])), INT32_MIN, INT32_MAX)))));
  });
  add("v_cvt_rpi_i32_f32", "bf", [](Args a) {
    return V(U(static_cast<u64>(
        static_cast<i64>(Saturated(std::floor(double{F(a[0])} + 0.5), INT32_MIN, INT32_MAX)))));
  });
  add("v_cvt_pk_u16_u32", "bbb",
      [](Args a) { return V(std::min<u64>(a[0], 65535) | std::min<u64>(a[1], 65535) << 16); });
}

}  // namespace gridwise::sim::valu
