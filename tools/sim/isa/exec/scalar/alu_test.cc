// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/bind/constants.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/test_wave.h"

/// Scalar operations against their definitions, with what they do to SCC.

namespace gridwise::sim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = int64_t;

i64 S(u64 x) { return static_cast<i32>(x); }
i64 L(u64 x) { return static_cast<i64>(x); }
u64 U(u64 x) { return static_cast<u32>(x); }
bool Fits(i64 x) { return x == static_cast<i32>(x); }

struct Result {
  u64 value = 0;
  int scc = -1;  // -1: unchanged
};
Result V(u64 x) { return {x, -1}; }
Result NonZero(u64 x) { return {x, x != 0}; }
Result C(bool x) { return {0, x}; }

/// Destination s[20:21], sources s[10:11] and s[12:13], old SCC.
struct Case {
  std::string mnemonic;
  std::string types;  // result and arguments: b 32 bits, q 64 bits, k a 16-bit immediate, - none;
                      // o: the old destination
                      // f, e: floats of 32 and 16 bits
  std::function<Result(u64 a, u64 b, bool scc)> expected;
  const char* gfx = "gfx942";
};

/// Returns a function that appends a case to `cases`.
auto Appender(std::vector<Case>& cases, const char* gfx = "gfx942") {
  return [&cases, gfx](std::string m, std::string t, std::function<Result(u64, u64, bool)> f) {
    cases.push_back({std::move(m), std::move(t), std::move(f), gfx});
  };
}

/// The bit field of `x` that s_bfe selects: offset in the low bits of `control`, width in bits 16
/// to 22.
u64 Field(u64 x, u64 control, int bits, bool is_signed) {
  const int offset = static_cast<int>(control & static_cast<u64>(bits - 1)),
            width = static_cast<int>(control >> 16 & 127);
  u64 r = 0;
  for (int i = 0; i < bits; ++i) {
    int from = i < width ? i : is_signed && width > 0 ? width - 1 : -1;
    if (from < 0) continue;
    from += offset;
    const bool bit = from < bits ? (x >> from & 1) != 0 : is_signed && (x >> (bits - 1) & 1) != 0;
    r |= u64{bit} << i;
  }
  return r;
}

/// The index of the first bit of `a` that is `wanted`, from the lowest or from the top.
Result FirstBit(u64 a, int bits, bool wanted, bool from_top) {
  for (int i = 0; i < bits; ++i) {
    if (((a >> (from_top ? bits - 1 - i : i) & 1) != 0) == wanted) return V(static_cast<u64>(i));
  }
  return V(0xffffffff);
}

void AddBitwise(std::vector<Case>& cases) {
  const std::pair<const char*, u64 (*)(u64, u64)> kTwo[] = {
      {"and", [](u64 a, u64 b) { return a & b; }},
      {"or", [](u64 a, u64 b) { return a | b; }},
      {"xor", [](u64 a, u64 b) { return a ^ b; }},
      {"andn2", [](u64 a, u64 b) { return a & ~b; }},
      {"orn2", [](u64 a, u64 b) { return a | ~b; }},
      {"nand", [](u64 a, u64 b) { return ~(a & b); }},
      {"nor", [](u64 a, u64 b) { return ~(a | b); }},
      {"xnor", [](u64 a, u64 b) { return ~(a ^ b); }},
  };
  for (const auto& [name, f] : kTwo) {
    cases.push_back({absl::StrCat("s_", name, "_b32"), "bbb",
                     [f = f](u64 a, u64 b, bool) { return NonZero(U(f(a, b))); }});
    cases.push_back({absl::StrCat("s_", name, "_b64"), "qqq",
                     [f = f](u64 a, u64 b, bool) { return NonZero(f(a, b)); }});
  }
}

/// The operations of both widths that shift, count and set bits.
void AddBits(std::vector<Case>& cases) {
  for (const int bits : {32, 64}) {
    const std::string q = bits == 64 ? "q" : "b", n = std::to_string(bits);
    const u64 all = bits == 64 ? ~u64{0} : 0xffffffff;
    const auto add = Appender(cases);
    add("s_mov_b" + n, q + q, [](u64 a, u64, bool) { return V(a); });
    add("s_cmov_b" + n, absl::StrCat(q, "o", q), [](u64 a, u64 b, bool c) { return V(c ? b : a); });
    add("s_cselect_b" + n, absl::StrCat(q, q, q),
        [](u64 a, u64 b, bool c) { return V(c ? a : b); });
    add("s_not_b" + n, q + q, [=](u64 a, u64, bool) { return NonZero(~a & all); });
    add("s_lshl_b" + n, q + q + "b",
        [=](u64 a, u64 b, bool) { return NonZero(a << (b % bits) & all); });
    add("s_lshr_b" + n, q + q + "b", [=](u64 a, u64 b, bool) { return NonZero(a >> (b % bits)); });
    add("s_ashr_i" + n, q + q + "b", [=](u64 a, u64 b, bool) {
      return NonZero(static_cast<u64>((bits == 64 ? L(a) : S(a)) >> (b % bits)) & all);
    });
    add("s_bfe_u" + n, q + q + "b",
        [=](u64 a, u64 b, bool) { return NonZero(Field(a, b, bits, false)); });
    add("s_bfe_i" + n, q + q + "b",
        [=](u64 a, u64 b, bool) { return NonZero(Field(a, b, bits, true)); });
    add("s_bfm_b" + n, q + "bb",
        [=](u64 a, u64 b, bool) { return V(((u64{1} << (a % bits)) - 1) << (b % bits) & all); });
    add("s_brev_b" + n, q + q, [=](u64 a, u64, bool) {
      u64 r = 0;
      for (int i = 0; i < bits; ++i) r |= (a >> i & 1) << (bits - 1 - i);
      return V(r);
    });
    add("s_bcnt0_i32_b" + n, "b" + q,
        [=](u64 a, u64, bool) { return NonZero(static_cast<u64>(bits - std::popcount(a))); });
    add("s_bcnt1_i32_b" + n, "b" + q,
        [](u64 a, u64, bool) { return NonZero(static_cast<u64>(std::popcount(a))); });
    add("s_ff0_i32_b" + n, "b" + q,
        [=](u64 a, u64, bool) { return FirstBit(a, bits, false, false); });
    add("s_ff1_i32_b" + n, "b" + q,
        [=](u64 a, u64, bool) { return FirstBit(a, bits, true, false); });
    add("s_flbit_i32_b" + n, "b" + q,
        [=](u64 a, u64, bool) { return FirstBit(a, bits, true, true); });
    add(bits == 64 ? "s_flbit_i32_i64" : "s_flbit_i32", "b" + q,
        [=](u64 a, u64, bool) { return FirstBit(a, bits, (a >> (bits - 1) & 1) == 0, true); });
    add("s_bitset0_b" + n, q + "ob",
        [=](u64 a, u64 b, bool) { return V(a & ~(u64{1} << (b % bits))); });
    add("s_bitset1_b" + n, q + "ob",
        [=](u64 a, u64 b, bool) { return V(a | u64{1} << (b % bits)); });
    add("s_bitcmp0_b" + n, "-" + q + "b",
        [=](u64 a, u64 b, bool) { return C((a >> (b % bits) & 1) == 0); });
    add("s_bitcmp1_b" + n, "-" + q + "b",
        [=](u64 a, u64 b, bool) { return C((a >> (b % bits) & 1) != 0); });
  }
}

void AddArithmetic(std::vector<Case>& cases) {
  const auto add = Appender(cases);
  add("s_add_u32", "bbb", [](u64 a, u64 b, bool) { return Result{U(a + b), (a + b) >> 32 != 0}; });
  add("s_sub_u32", "bbb", [](u64 a, u64 b, bool) { return Result{U(a - b), a < b}; });
  add("s_addc_u32", "bbb",
      [](u64 a, u64 b, bool c) { return Result{U(a + b + c), (a + b + c) >> 32 != 0}; });
  add("s_subb_u32", "bbb", [](u64 a, u64 b, bool c) { return Result{U(a - b - c), a < b + c}; });
  add("s_add_i32", "bbb", [](u64 a, u64 b, bool) { return Result{U(a + b), !Fits(S(a) + S(b))}; });
  add("s_sub_i32", "bbb", [](u64 a, u64 b, bool) { return Result{U(a - b), !Fits(S(a) - S(b))}; });
  // The difference as a number of 32 bits, of which only the least has no opposite.
  add("s_absdiff_i32", "bbb", [](u64 a, u64 b, bool) {
    i64 difference = S(a) - S(b);
    while (!Fits(difference)) difference += difference < 0 ? i64{1} << 32 : -(i64{1} << 32);
    return NonZero(U(static_cast<u64>(std::abs(difference))));
  });
  add("s_abs_i32", "bb",
      [](u64 a, u64, bool) { return NonZero(U(static_cast<u64>(std::abs(S(a))))); });
  add("s_mul_i32", "bbb", [](u64 a, u64 b, bool) { return V(U(a * b)); });
  add("s_mul_hi_u32", "bbb", [](u64 a, u64 b, bool) { return V(a * b >> 32); });
  add("s_mul_hi_i32", "bbb",
      [](u64 a, u64 b, bool) { return V(U(static_cast<u64>(S(a) * S(b) >> 32))); });
  add("s_min_u32", "bbb", [](u64 a, u64 b, bool) { return Result{std::min(a, b), a < b}; });
  add("s_max_u32", "bbb", [](u64 a, u64 b, bool) { return Result{std::max(a, b), a > b}; });
  add("s_min_i32", "bbb",
      [](u64 a, u64 b, bool) { return Result{S(a) < S(b) ? a : b, S(a) < S(b)}; });
  add("s_max_i32", "bbb",
      [](u64 a, u64 b, bool) { return Result{S(a) > S(b) ? a : b, S(a) > S(b)}; });
  for (int n = 1; n <= 4; ++n) {
    add(absl::StrCat("s_lshl", n, "_add_u32"), "bbb",
        [n](u64 a, u64 b, bool) { return Result{U((a << n) + b), ((a << n) + b) >> 32 != 0}; });
  }
  add("s_sext_i32_i8", "bb",
      [](u64 a, u64, bool) { return V(U(static_cast<u64>(i64{static_cast<int8_t>(a)}))); });
  add("s_sext_i32_i16", "bb",
      [](u64 a, u64, bool) { return V(U(static_cast<u64>(i64{static_cast<int16_t>(a)}))); });
  add("s_pack_ll_b32_b16", "bbb", [](u64 a, u64 b, bool) { return V(U((a & 0xffff) | b << 16)); });
  add("s_pack_lh_b32_b16", "bbb",
      [](u64 a, u64 b, bool) { return V((a & 0xffff) | (b & 0xffff0000)); });
  add("s_pack_hh_b32_b16", "bbb", [](u64 a, u64 b, bool) { return V(a >> 16 | (b & 0xffff0000)); });
  add("s_movk_i32", "bk", [](u64 k, u64, bool) { return V(U(k)); });
  add("s_cmovk_i32", "bok", [](u64 a, u64 k, bool c) { return V(c ? U(k) : a); });
  add("s_addk_i32", "bok", [](u64 a, u64 k, bool) { return Result{U(a + k), !Fits(S(a) + L(k))}; });
  add("s_mulk_i32", "bok", [](u64 a, u64 k, bool) { return V(U(a * k)); });
}

void AddComparisons(std::vector<Case>& cases) {
  const auto add = Appender(cases);
  const struct {
    const char* name;
    bool less, equal, greater;
  } kCompares[] = {{"eq", 0, 1, 0}, {"lg", 1, 0, 1}, {"gt", 0, 0, 1},
                   {"ge", 0, 1, 1}, {"lt", 1, 0, 0}, {"le", 1, 1, 0}};
  for (const auto& c : kCompares) {
    add(absl::StrCat("s_cmp_", c.name, "_i32"), "-bb", [c](u64 a, u64 b, bool) {
      return C(S(a) < S(b) ? c.less : a == b ? c.equal : c.greater);
    });
    add(absl::StrCat("s_cmp_", c.name, "_u32"), "-bb", [c](u64 a, u64 b, bool) {
      return C(a < b ? c.less : a == b ? c.equal : c.greater);
    });
    add(absl::StrCat("s_cmpk_", c.name, "_i32"), "-bk", [c](u64 a, u64 k, bool) {
      return C(S(a) < L(k) ? c.less : S(a) == L(k) ? c.equal : c.greater);
    });
    add(absl::StrCat("s_cmpk_", c.name, "_u32"), "-bk", [c](u64 a, u64 k, bool) {
      return C(a < (k & 0xffff) ? c.less : a == (k & 0xffff) ? c.equal : c.greater);
    });
  }
  add("s_cmp_eq_u64", "-qq", [](u64 a, u64 b, bool) { return C(a == b); });
  add("s_cmp_lg_u64", "-qq", [](u64 a, u64 b, bool) { return C(a != b); });
}

float F32(u64 x) { return std::bit_cast<float>(static_cast<u32>(x)); }
u64 Bits32(double x) { return std::bit_cast<u32>(static_cast<float>(x)); }
/// A half as a number, and the nearest half of a number.
double FromHalf(u64 x) {
  const int exponent = static_cast<int>(x >> 10 & 31), mantissa = static_cast<int>(x & 1023);
  const double sign = (x >> 15 & 1) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * INFINITY;
  return exponent == 0 ? sign * std::ldexp(mantissa, -24)
                       : sign * std::ldexp(1024 + mantissa, exponent - 25);
}

/// The lesser or the greater, where -0 is less than +0; of a number and a NaN the number, or the
/// NaN.
double Prefer(double a, double b, bool max, bool number) {
  if (std::isnan(a) || std::isnan(b)) return !number ? NAN : std::isnan(a) ? b : a;
  const bool less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
  return less != max ? a : b;
}

/// What gfx12 computes with floats: 32 and 16 bits by the same expressions in double.
void AddFloats(std::vector<Case>& cases) {
  const std::pair<const char*, std::function<double(double, double)>> kTwo[] = {
      {"add", [](double a, double b) { return a + b; }},
      {"sub", [](double a, double b) { return a - b; }},
      {"mul", [](double a, double b) { return a * b; }},
      {"min_num", [=](double a, double b) { return Prefer(a, b, false, true); }},
      {"max_num", [=](double a, double b) { return Prefer(a, b, true, true); }},
      {"minimum", [=](double a, double b) { return Prefer(a, b, false, false); }},
      {"maximum", [=](double a, double b) { return Prefer(a, b, true, false); }},
  };
  const std::pair<const char*, double (*)(double)> kOne[] = {
      {"s_ceil", [](double a) { return std::ceil(a); }},
      {"s_floor", [](double a) { return std::floor(a); }},
      {"s_trunc", [](double a) { return std::trunc(a); }},
      {"s_rndne", [](double a) { return std::nearbyint(a); }},
      {"v_s_rcp", [](double a) { return 1 / a; }},
      {"v_s_sqrt", [](double a) { return std::sqrt(a); }},
  };
  // v_s_*_f32 know no denormals.
  const auto without_denormals = [](double x) {
    return std::fabs(x) < 0x1p-126 ? std::copysign(0.0, x) : x;
  };
  const struct {
    const char* name;
    bool less, equal, greater, unordered;
  } kCompares[] = {{"lt", 1, 0, 0, 0},  {"eq", 0, 1, 0, 0},  {"le", 1, 1, 0, 0},
                   {"gt", 0, 0, 1, 0},  {"lg", 1, 0, 1, 0},  {"ge", 0, 1, 1, 0},
                   {"o", 1, 1, 1, 0},   {"u", 0, 0, 0, 1},   {"nge", 1, 0, 0, 1},
                   {"nlg", 0, 1, 0, 1}, {"ngt", 1, 1, 0, 1}, {"nle", 0, 0, 1, 1},
                   {"neq", 1, 0, 1, 1}, {"nlt", 0, 1, 1, 1}};
  for (const char t : {'f', 'e'}) {
    const std::string n = t == 'f' ? "_f32" : "_f16";
    const auto get = [t](u64 x) { return t == 'f' ? double{F32(x)} : FromHalf(x); };
    const auto put = [t](double x) { return t == 'f' ? Bits32(x) : u64{HalfBits(x)}; };
    for (const auto& [name, f] : kTwo) {
      cases.push_back({absl::StrCat("s_", name, n), std::string(3, t),
                       [=, f = f](u64 a, u64 b, bool) { return V(put(f(get(a), get(b)))); },
                       "gfx1201"});
    }
    for (const auto& [name, f] : kOne) {
      const bool flushes = t == 'f' && name[0] == 'v';
      cases.push_back({name + n, std::string(2, t),
                       [=, f = f](u64 a, u64, bool) {
                         return V(flushes ? put(without_denormals(f(without_denormals(get(a)))))
                                          : put(f(get(a))));
                       },
                       "gfx1201"});
    }
    for (const auto& c : kCompares) {
      cases.push_back({absl::StrCat("s_cmp_", c.name, n), std::string("-") + t + t,
                       [=](u64 x, u64 y, bool) {
                         const double a = get(x), b = get(y);
                         if (std::isnan(a) || std::isnan(b)) return C(c.unordered);
                         return C(a < b ? c.less : a == b ? c.equal : c.greater);
                       },
                       "gfx1201"});
    }
  }
}

/// The conversions and 64-bit arithmetic that gfx12 has.
void AddConversions(std::vector<Case>& cases) {
  const auto add = Appender(cases, "gfx1201");
  add("s_cvt_f32_i32", "fb", [](u64 a, u64, bool) { return V(Bits32(static_cast<double>(S(a)))); });
  add("s_cvt_f32_u32", "fb", [](u64 a, u64, bool) { return V(Bits32(static_cast<double>(a))); });
  const auto whole = [](u64 a, double lowest, double highest) {
    const double x = F32(a);
    return std::isnan(x) ? V(0)
                         : V(U(static_cast<u64>(static_cast<i64>(
                               std::min(std::max(std::trunc(x), lowest), highest)))));
  };
  add("s_cvt_i32_f32", "bf",
      [=](u64 a, u64, bool) { return whole(a, -2147483648.0, 2147483647.0); });
  add("s_cvt_u32_f32", "bf", [=](u64 a, u64, bool) { return whole(a, 0, 4294967295.0); });
  add("s_cvt_f16_f32", "ef", [](u64 a, u64, bool) { return V(HalfBits(F32(a))); });
  add("s_cvt_f32_f16", "fe", [](u64 a, u64, bool) { return V(Bits32(FromHalf(a))); });
  add("s_cvt_hi_f32_f16", "fb", [](u64 a, u64, bool) { return V(Bits32(FromHalf(a >> 16))); });
  add("s_mul_u64", "qqq", [](u64 a, u64 b, bool) { return V(a * b); });
  add("s_add_nc_u64", "qqq", [](u64 a, u64 b, bool) { return V(a + b); });
  add("s_sub_nc_u64", "qqq", [](u64 a, u64 b, bool) { return V(a - b); });
}

void AddRdnaBits(std::vector<Case>& cases) {
  cases.push_back({"s_pack_hl_b32_b16", "bbb",
                   [](u64 a, u64 b, bool) { return V(U(a >> 16 | (b & 0xffff) << 16)); }});
  cases.push_back({"s_bitreplicate_b64_b32", "qb", [](u64 a, u64, bool) {
                     u64 r = 0;
                     for (int i = 0; i < 64; ++i) r |= (a >> (i / 2) & 1) << i;
                     return V(r);
                   }});
  for (const int bits : {32, 64}) {
    const std::string q = bits == 64 ? "q" : "b", n = std::to_string(bits);
    cases.push_back({"s_quadmask_b" + n, q + q, [=](u64 a, u64, bool) {
                       u64 r = 0;
                       for (int i = 0; i < bits; ++i) r |= (a >> i & 1) << (i / 4);
                       return NonZero(r);
                     }});
    cases.push_back({"s_wqm_b" + n, q + q, [=](u64 a, u64, bool) {
                       u64 r = 0;
                       for (int i = 0; i < bits; ++i)
                         r |= (a >> (i / 4 * 4) & 15) != 0 ? u64{1} << i : 0;
                       return NonZero(r);
                     }});
  }
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  AddBitwise(cases);
  AddBits(cases);
  AddArithmetic(cases);
  AddComparisons(cases);
  AddRdnaBits(cases);
  AddFloats(cases);
  AddConversions(cases);
  return cases;
}

u64 RandomValue(char type, std::mt19937_64& random) {
  static constexpr u64 kEdges[] = {
      0, 1, 31, 32, 63, 0x7fffffff, 0x80000000, 0xffffffff, 0x8000000000000000, ~u64{0}};
  const u64 bits =
      random() % 3 == 0 ? kEdges[random() % std::size(kEdges)] : random() >> (random() % 48);
  if (type == 'k') return static_cast<u64>(i64{static_cast<int16_t>(bits)});
  if (type == 'f' || type == 'e') {
    static constexpr u32 kFloats[] = {0,          0x80000000, 1,          0x007fffff, 0x00800000,
                                      0x3f800000, 0xbfc00000, 0x4effffff, 0x4f000000, 0xcf000000,
                                      0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001};
    static constexpr u32 kHalves[] = {0,      0x8000, 1,      0x3ff,  0x400,  0x3c00, 0xbe00,
                                      0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0x6400, 0x3800};
    const u64 any = random();
    if (type == 'e') return any % 2 == 0 ? kHalves[random() % std::size(kHalves)] : any >> 48;
    return any % 3 == 0   ? kFloats[random() % std::size(kFloats)]
           : any % 3 == 1 ? std::bit_cast<u32>(static_cast<float>(static_cast<i32>(any)) * 0x1p-20f)
                          : any >> 32;
  }
  return type == 'q' ? bits : U(bits);
}

bool Same(u64 actual, u64 expected, char type) {
  const bool nan = type == 'f'   ? std::isnan(F32(actual)) && std::isnan(F32(expected))
                   : type == 'e' ? std::isnan(FromHalf(actual)) && std::isnan(FromHalf(expected))
                                 : false;
  return actual == expected || (nan && (type == 'f' || actual < 0x10000));
}

void Check(const Case& c, const SimTarget& target, std::mt19937_64& random) {
  TestWave wave(BestHandlers(), target.gfx);
  const auto pair = [](char type, int reg) {
    return type == 'q' ? absl::StrCat("s[", reg, ":", reg + 1, "]") : absl::StrCat("s", reg);
  };
  std::vector<std::string> operands;
  u64 args[2] = {};
  if (c.types[0] != '-') operands.push_back(pair(c.types[0], 20));
  SetScalar64(*wave, 20, 0x1234567887654321);
  for (size_t i = 1; i < c.types.size(); ++i) {
    const char type = c.types[i] == 'o' ? c.types[0] : c.types[i];
    const int reg = c.types[i] == 'o' ? 20 : 8 + 2 * static_cast<int>(i);
    args[i - 1] = RandomValue(type, random);
    if (c.types[i] != 'k') SetScalar64(*wave, reg, args[i - 1]);
    if (c.types[i] == 'k') operands.push_back(absl::StrCat("0x", absl::Hex(args[i - 1] & 0xffff)));
    if (c.types[i] != 'k' && c.types[i] != 'o') operands.push_back(pair(type, reg));
  }
  const u32 scc = random() & 1;
  wave->s[kScc] = scc;
  std::string text = c.mnemonic;
  for (size_t i = 0; i < operands.size(); ++i)
    absl::StrAppend(&text, i == 0 ? " " : ", ", operands[i]);
  const absl::Status status = wave.Execute(text);
  ASSERT_TRUE(status.ok()) << status;
  const Result expected = c.expected(args[0], args[1], scc != 0);
  EXPECT_EQ(wave->s[kScc], expected.scc < 0 ? scc : static_cast<u32>(expected.scc)) << text;
  if (c.types[0] == '-') return;
  const u64 actual = c.types[0] == 'q' ? Scalar64(*wave, 20) : wave->s[20];
  EXPECT_TRUE(Same(actual, expected.value, c.types[0]))
      << std::hex << actual << " instead of " << expected.value << ": " << text << " of " << args[0]
      << ", " << args[1] << ", SCC " << scc;
}

TEST(Salu, EveryOperationComputesItsDefinition) {
  std::mt19937_64 random(11);
  for (const Case& c : Cases()) {
    const Binding* own = BestHandlers().Find(c.mnemonic, FindTarget(c.gfx)->bit);
    ASSERT_NE(own, nullptr) << c.mnemonic;
    for (const SimTarget& target : kSimTargets) {
      if (BestHandlers().Find(c.mnemonic, target.bit) != own) continue;
      for (int i = 0; i < 200; ++i) Check(c, target, random);
    }
  }
}

TEST(Salu, EveryOperationHasACase) {
  std::set<std::string> tested = {
      // those of salu_forms_test.cc
      "s_getpc_b64",      "s_getreg_b32",         "s_setreg_b32",      "s_setreg_imm32_b32",
      "s_set_gpr_idx_on", "s_set_gpr_idx_off",    "s_set_gpr_idx_idx", "s_round_mode",
      "s_denorm_mode",    "s_movrels_b32",        "s_movrels_b64",     "s_movreld_b32",
      "s_movreld_b64",    "s_fmac_f32",           "s_fmac_f16",        "s_fmaak_f32",
      "s_fmamk_f32",      "s_cvt_pk_rtz_f16_f32", "v_s_exp_f32",       "v_s_exp_f16",
      "v_s_log_f32",      "v_s_log_f16",          "v_s_rsq_f32",       "v_s_rsq_f16",
      "s_setvskip",       "s_get_barrier_state"};
  for (const Case& c : Cases()) tested.insert(c.mnemonic);
  for (const SimTarget& target : kSimTargets) {
    for (const Binding* binding : BestHandlers().All(target.bit)) {
      const std::string mnemonic = binding->mnemonic;
      if (binding->op_class != OpClass::kSalu || mnemonic.starts_with("@") ||
          absl::StrContains(mnemonic, "saveexec") || absl::StrContains(mnemonic, "wrexec")) {
        continue;
      }
      EXPECT_EQ(tested.count(mnemonic), 1) << mnemonic << " on " << target.gfx;
    }
  }
}

/// The examples of the CDNA3 ISA document.
TEST(Salu, AbsoluteDifferences) {
  const struct {
    u32 a, b, difference;
  } kExamples[] = {{2, 5, 3},
                   {0xffffffff, 0, 1},
                   {0x80000000, 0, 0x80000000},
                   {0x80000000, 1, 0x7fffffff},
                   {0x80000000, 0xffffffff, 0x7fffffff},
                   {0x80000000, 0xfffffffe, 0x7ffffffe}};
  for (const auto& e : kExamples) {
    TestWave wave;
    wave->s[10] = e.a;
    wave->s[12] = e.b;
    ASSERT_TRUE(wave.Execute("s_absdiff_i32 s20, s10, s12").ok());
    EXPECT_EQ(wave->s[20], e.difference) << e.a << ", " << e.b;
    EXPECT_EQ(wave->s[kScc], 1u);
  }
}

}  // namespace
}  // namespace gridwise::sim
