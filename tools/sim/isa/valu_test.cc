#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/constants.h"
#include "tools/sim/isa/test_wave.h"

/// Every vector operation against a scalar expression of its definition in the ISA document, on
/// random and edge values, at every x86 level that this machine executes, with all lanes on and
/// with some off.

namespace gridwise::sim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = int64_t;

float F(u64 x) { return std::bit_cast<float>(static_cast<u32>(x)); }
double D(u64 x) { return std::bit_cast<double>(x); }
u64 B(float x) { return std::bit_cast<u32>(x); }
u64 B(double x) { return std::bit_cast<u64>(x); }
i32 S(u64 x) { return static_cast<i32>(static_cast<u32>(x)); }
u32 U(u64 x) { return static_cast<u32>(x); }
int16_t S16(u64 x) { return static_cast<int16_t>(x); }
uint16_t U16(u64 x) { return static_cast<uint16_t>(x); }

/// A half as a double, from the definition of the format.
double H(u64 x) {
  const int exponent = static_cast<int>(x >> 10 & 31), mantissa = static_cast<int>(x & 1023);
  const double sign = (x >> 15 & 1) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * INFINITY;
  return exponent == 0 ? sign * std::ldexp(mantissa, -24)
                       : sign * std::ldexp(1024 + mantissa, exponent - 25);
}
u64 HB(double x) { return HalfBits(x); }

/// Result of an operation; the mask bit is checked where the table says that there is one.
struct Result {
  u64 value = 0;
  bool mask = false;
};
using Args = const u64*;

enum Form : u32 {
  kCarry = 1,      // a second result, in s[20:21]
  kOldIsLast = 2,  // the last argument is the destination's old value
  kVccIsLast = 4,  // the last argument is VCC
  kKeepsHigh = 8,  // writes the low half and keeps the high one
};

struct Case {
  std::string mnemonic;
  std::string types;  // of result and arguments: b 32 bits, q 64, h 16, f d e floats of 32, 64, 16
                      // bits, m lane mask
  std::function<Result(Args)> expected;
  u32 form = 0;
  double ulps = 0;  // tolerated, for functions that hardware approximates
};

Result V(u64 x) { return {x, false}; }
Result M(bool x) { return {0, x}; }

bool SameFloat(u64 actual, u64 expected, char type, double ulps) {
  if (type == 'w')
    return SameFloat(U(actual), U(expected), 'f', ulps) &&
           SameFloat(actual >> 32, expected >> 32, 'f', ulps);
  const double a = type == 'f' ? F(actual) : type == 'd' ? D(actual) : H(actual);
  const double e = type == 'f' ? F(expected) : type == 'd' ? D(expected) : H(expected);
  if (std::isnan(e)) return std::isnan(a);  // payloads are not specified
  if (actual == expected) return true;
  const i64 distance = static_cast<i64>(actual) - static_cast<i64>(expected);
  return std::signbit(a) == std::signbit(e) && static_cast<double>(std::abs(distance)) <= ulps;
}

int Bits(char type) {
  return type == 'q' || type == 'd' || type == 'w' ? 64 : type == 'h' || type == 'e' ? 16 : 32;
}

u64 RandomValue(char type, std::mt19937_64& random) {
  static constexpr u32 kEdges32[] = {
      0,          1,          2,          31,         32,         33,         63,
      0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xffff,     0x10000,    0x8000,
      0x3f800000, 0xbf800000, 0x40490fdb, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
      0x00800000, 0x007fffff, 0x7f7fffff, 0x4f000000, 0xcf000000, 0x4f800000, 0xff7fffff};
  static constexpr u64 kEdges64[] = {0,
                                     1,
                                     ~u64{0},
                                     u64{1} << 63,
                                     (u64{1} << 63) - 1,
                                     0x3ff0000000000000,
                                     0xbff0000000000000,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x7ff8000000000000,
                                     0x000fffffffffffff,
                                     0x0010000000000000,
                                     0x7fefffffffffffff,
                                     0x41dfffffffc00000,
                                     0xc1e0000000000000,
                                     0x41efffffffe00000,
                                     0x100000000};
  static constexpr uint16_t kEdges16[] = {0,      1,      15,     16,     17,     0x7fff,
                                          0x8000, 0xffff, 0x3c00, 0xbc00, 0x7c00, 0xfc00,
                                          0x7e00, 0x0400, 0x03ff, 0x7bff, 0xfbff, 0x8001};
  const u64 bits = random();
  const bool edge = random() % 3 == 0;
  if (type == 'f' && !edge && random() % 2 == 0)
    return B(static_cast<float>(static_cast<i32>(bits)) * 0x1p-20f);
  if (type == 'd' && !edge && random() % 2 == 0)
    return B(static_cast<double>(static_cast<i64>(bits)) * 0x1p-40);
  if (Bits(type) == 64) return edge ? kEdges64[bits % std::size(kEdges64)] : bits;
  if (Bits(type) == 16) return edge ? kEdges16[bits % std::size(kEdges16)] : U16(bits);
  return edge ? kEdges32[bits % std::size(kEdges32)] : bits >> 60 == 0 ? bits & 63 : U(bits);
}

std::string Register(char type, int index) {
  if (type == 'm') return absl::StrCat("s[", index, ":", index + 1, "]");
  return Bits(type) == 64 ? absl::StrCat("v[", index, ":", index + 1, "]")
                          : absl::StrCat("v", index);
}

/// Results are v[20:21] and s[20:21], sources v[0:1], v[2:3], v[4:5], a mask s[10:11].
std::string Text(const Case& c) {
  std::string mnemonic = c.mnemonic;
  const bool clamps = mnemonic.ends_with(".clamp");
  if (clamps) mnemonic.resize(mnemonic.size() - 6);
  std::string text = absl::StrCat(mnemonic, " ", Register(c.types[0], 20));
  if ((c.form & kCarry) != 0) absl::StrAppend(&text, ", s[20:21]");
  const size_t written = c.types.size() - 1 - ((c.form & (kOldIsLast | kVccIsLast)) != 0 ? 1 : 0);
  for (size_t i = 0; i < written; ++i) {
    const char type = c.types[i + 1];
    absl::StrAppend(&text, ", ", Register(type, type == 'm' ? 10 : static_cast<int>(2 * i)));
  }
  return clamps ? absl::StrCat(text, " clamp") : text;
}

/// Sets the wave's registers; returns the arguments of each lane.
std::vector<std::vector<u64>> Prepare(const Case& c, TestWave& wave, std::mt19937_64& random) {
  std::vector<std::vector<u64>> values(kLanes, std::vector<u64>(4));
  u64 mask = 0;
  for (int l = 0; l < kLanes; ++l) {
    wave->v[20][l] = 0xdead0000 + static_cast<u32>(l);
    wave->v[21][l] = 0xbeef0000 + static_cast<u32>(l);
    for (size_t i = 0; i + 1 < c.types.size(); ++i) {
      const char type = c.types[i + 1];
      u64& value = values[static_cast<size_t>(l)][i];
      value = type == 'm' ? random() % 2 : RandomValue(type, random);
      if (type == 'm') mask |= value << l;
      const bool old = (c.form & kOldIsLast) != 0 && i + 2 == c.types.size();
      const size_t reg = old ? 20 : 2 * i;
      wave->v[reg][l] = U(value | (Bits(type) == 16 ? random() << 16 : 0));
      if (Bits(type) == 64) wave->v[reg + 1][l] = U(value >> 32);
    }
  }
  SetScalar64(*wave, 10, mask);
  SetScalar64(*wave, kVccLo, mask);
  return values;
}

void Check(const Case& c, const Handlers& handlers, u64 exec, std::mt19937_64& random) {
  const std::string text = Text(c);
  SCOPED_TRACE(testing::Message() << text << " at level " << handlers.level() << ", EXEC "
                                  << std::hex << exec);
  TestWave wave(handlers);
  const std::vector<std::vector<u64>> values = Prepare(c, wave, random);
  SetScalar64(*wave, kExecLo, exec);
  std::vector<u64> old(kLanes);
  for (int l = 0; l < kLanes; ++l)
    old[static_cast<size_t>(l)] = wave->v[20][l] | u64{wave->v[21][l]} << 32;
  const absl::Status status = wave.Execute(text);
  ASSERT_TRUE(status.ok()) << status;
  u64 expected_mask = 0;
  for (int l = 0; l < kLanes; ++l) {
    const Args a = values[static_cast<size_t>(l)].data();
    const Result expected = c.expected(a);
    const u64 before = old[static_cast<size_t>(l)];
    const bool on = (exec >> l & 1) != 0;
    expected_mask |= u64{on && expected.mask} << l;
    if (c.types[0] == 'm') continue;
    const u64 wide = wave->v[20][l] | u64{wave->v[21][l]} << 32;
    if (!on) {
      ASSERT_EQ(wide, before) << "lane " << l << " is off";
      continue;
    }
    u64 actual = Bits(c.types[0]) == 64 ? wide : U(wide);
    if ((c.form & kKeepsHigh) != 0) {
      ASSERT_EQ(U(wide) >> 16, U(before) >> 16);
      actual &= 0xffff;
    }
    const bool is_float =
        c.types[0] == 'f' || c.types[0] == 'd' || c.types[0] == 'e' || c.types[0] == 'w';
    ASSERT_TRUE(is_float ? SameFloat(actual, expected.value, c.types[0], c.ulps)
                         : actual == expected.value)
        << "lane " << l << std::hex << ": " << actual << " instead of " << expected.value << " of "
        << a[0] << ", " << a[1] << ", " << a[2];
  }
  if (c.types[0] == 'm' || (c.form & kCarry) != 0) EXPECT_EQ(Scalar64(*wave, 20), expected_mask);
}

// --- Definitions, of single values ---

u64 Bytes4(Args a, const std::function<u32(u32, u32, u32)>& f) {
  u64 r = 0;
  for (int i = 0; i < 32; i += 8)
    r |= u64{f(a[0] >> i & 255, a[1] >> i & 255, a[2] >> i & 255) & 255} << i;
  return r;
}
std::function<Result(Args)> Halves(std::function<u64(u64, u64, u64)> f) {
  return [f](Args a) {
    const u64 low = f(U16(a[0]), U16(a[1]), U16(a[2])) & 0xffff;
    return V(low | (f(U16(a[0] >> 16), U16(a[1] >> 16), U16(a[2] >> 16)) & 0xffff) << 16);
  };
}
std::function<Result(Args)> Pairs(std::function<float(float, float, float)> f) {
  return [f](Args a) {
    return V(B(f(F(a[0]), F(a[1]), F(a[2]))) | B(f(F(a[0] >> 32), F(a[1] >> 32), F(a[2] >> 32)))
                                                   << 32);
  };
}
i64 Clip(i64 x, i64 lowest, i64 highest) { return std::min(std::max(x, lowest), highest); }
template <class T>
T Middle(T a, T b, T c) {
  T v[] = {a, b, c};
  std::sort(v, v + 3);
  return v[1];
}
i64 Field24(u64 x) { return static_cast<i64>(x << 40) >> 40; }
u64 DotProduct(u64 a, u64 b, u64 c, int bits, bool is_signed) {
  i64 sum = static_cast<i64>(c);
  for (int i = 0; i < 32; i += bits) {
    i64 x = static_cast<i64>(a >> i & ((u64{1} << bits) - 1)),
        y = static_cast<i64>(b >> i & ((u64{1} << bits) - 1));
    if (is_signed && x >> (bits - 1) != 0) x -= i64{1} << bits;
    if (is_signed && y >> (bits - 1) != 0) y -= i64{1} << bits;
    sum += x * y;
  }
  return U(static_cast<u64>(sum));
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
double Value(u64 x, char type) { return type == 'f' ? F(x) : type == 'd' ? D(x) : H(x); }
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

void AddInteger(std::vector<Case>& cases) {
  const auto add = [&](std::string m, std::string t, std::function<Result(Args)> f, u32 form = 0) {
    cases.push_back({std::move(m), std::move(t), std::move(f), form});
  };
  for (const char* m :
       {"v_mov_b32", "v_accvgpr_read_b32", "v_accvgpr_write_b32", "v_accvgpr_mov_b32"}) {
    add(m, "bb", [](Args a) { return V(a[0]); });
  }
  add("v_mov_b64", "qq", [](Args a) { return V(a[0]); });
  add("v_add_u32", "bbb", [](Args a) { return V(U(a[0] + a[1])); });
  add("v_add_u32.clamp", "bbb", [](Args a) { return V(std::min<u64>(a[0] + a[1], ~0u)); });
  add("v_sub_u32", "bbb", [](Args a) { return V(U(a[0] - a[1])); });
  add("v_sub_u32.clamp", "bbb", [](Args a) { return V(a[0] < a[1] ? 0 : a[0] - a[1]); });
  add("v_subrev_u32", "bbb", [](Args a) { return V(U(a[1] - a[0])); });
  add("v_subrev_u32.clamp", "bbb", [](Args a) { return V(a[1] < a[0] ? 0 : a[1] - a[0]); });
  add("v_add_i32", "bbb", [](Args a) { return V(U(a[0] + a[1])); });
  add("v_add_i32.clamp", "bbb", [](Args a) {
    return V(U(static_cast<u64>(Clip(i64{S(a[0])} + S(a[1]), INT32_MIN, INT32_MAX))));
  });
  add("v_sub_i32", "bbb", [](Args a) { return V(U(a[0] - a[1])); });
  add("v_sub_i32.clamp", "bbb", [](Args a) {
    return V(U(static_cast<u64>(Clip(i64{S(a[0])} - S(a[1]), INT32_MIN, INT32_MAX))));
  });
  add(
      "v_add_co_u32", "bbb",
      [](Args a) { return Result{U(a[0] + a[1]), (a[0] + a[1]) >> 32 != 0}; }, kCarry);
  add("v_sub_co_u32", "bbb", [](Args a) { return Result{U(a[0] - a[1]), a[0] < a[1]}; }, kCarry);
  add("v_subrev_co_u32", "bbb", [](Args a) { return Result{U(a[1] - a[0]), a[1] < a[0]}; }, kCarry);
  add(
      "v_addc_co_u32", "bbbm",
      [](Args a) { return Result{U(a[0] + a[1] + a[2]), (a[0] + a[1] + a[2]) >> 32 != 0}; },
      kCarry);
  add(
      "v_subb_co_u32", "bbbm",
      [](Args a) { return Result{U(a[0] - a[1] - a[2]), a[0] < a[1] + a[2]}; }, kCarry);
  add(
      "v_subbrev_co_u32", "bbbm",
      [](Args a) { return Result{U(a[1] - a[0] - a[2]), a[1] < a[0] + a[2]}; }, kCarry);
  add("v_add3_u32", "bbbb", [](Args a) { return V(U(a[0] + a[1] + a[2])); });
  add("v_lshl_add_u32", "bbbb", [](Args a) { return V(U((a[0] << (a[1] % 32)) + a[2])); });
  add("v_add_lshl_u32", "bbbb", [](Args a) { return V(U((a[0] + a[1]) << (a[2] % 32))); });
  add("v_lshl_add_u64", "qqbq", [](Args a) { return V((a[0] << (a[1] % 8)) + a[2]); });
  add("v_lshl_or_b32", "bbbb", [](Args a) { return V(U(a[0] << (a[1] % 32)) | a[2]); });
  add("v_and_or_b32", "bbbb", [](Args a) { return V((a[0] & a[1]) | a[2]); });
  add("v_or3_b32", "bbbb", [](Args a) { return V(a[0] | a[1] | a[2]); });
  add("v_xad_u32", "bbbb", [](Args a) { return V(U((a[0] ^ a[1]) + a[2])); });
  add("v_and_b32", "bbb", [](Args a) { return V(a[0] & a[1]); });
  add("v_or_b32", "bbb", [](Args a) { return V(a[0] | a[1]); });
  add("v_xor_b32", "bbb", [](Args a) { return V(a[0] ^ a[1]); });
  add("v_xnor_b32", "bbb", [](Args a) { return V(U(~(a[0] ^ a[1]))); });
  add("v_not_b32", "bb", [](Args a) { return V(U(~a[0])); });
  add("v_lshlrev_b32", "bbb", [](Args a) { return V(U(a[1] << (a[0] % 32))); });
  add("v_lshrrev_b32", "bbb", [](Args a) { return V(a[1] >> (a[0] % 32)); });
  add("v_ashrrev_i32", "bbb",
      [](Args a) { return V(U(static_cast<u64>(i64{S(a[1])} >> (a[0] % 32)))); });
  add("v_lshlrev_b64", "qbq", [](Args a) { return V(a[1] << (a[0] % 64)); });
  add("v_lshrrev_b64", "qbq", [](Args a) { return V(a[1] >> (a[0] % 64)); });
  add("v_ashrrev_i64", "qbq",
      [](Args a) { return V(static_cast<u64>(static_cast<i64>(a[1]) >> (a[0] % 64))); });
  add("v_mul_lo_u32", "bbb", [](Args a) { return V(U(a[0] * a[1])); });
  add("v_mul_hi_u32", "bbb", [](Args a) { return V(a[0] * a[1] >> 32); });
  add("v_mul_hi_i32", "bbb",
      [](Args a) { return V(U(static_cast<u64>(i64{S(a[0])} * S(a[1]) >> 32))); });
  add("v_mul_u32_u24", "bbb", [](Args a) { return V(U((a[0] & 0xffffff) * (a[1] & 0xffffff))); });
  add("v_mul_hi_u32_u24", "bbb",
      [](Args a) { return V((a[0] & 0xffffff) * (a[1] & 0xffffff) >> 32); });
  add("v_mul_i32_i24", "bbb",
      [](Args a) { return V(U(static_cast<u64>(Field24(a[0]) * Field24(a[1])))); });
  add("v_mul_hi_i32_i24", "bbb",
      [](Args a) { return V(U(static_cast<u64>(Field24(a[0]) * Field24(a[1]) >> 32))); });
  add("v_mad_u32_u24", "bbbb",
      [](Args a) { return V(U((a[0] & 0xffffff) * (a[1] & 0xffffff) + a[2])); });
  add("v_mad_i32_i24", "bbbb",
      [](Args a) { return V(U(static_cast<u64>(Field24(a[0]) * Field24(a[1])) + a[2])); });
  add(
      "v_mad_u64_u32", "qbbq",
      [](Args a) {
        const unsigned __int128 sum = static_cast<unsigned __int128>(a[0]) * a[1] + a[2];
        return Result{static_cast<u64>(sum), static_cast<u64>(sum >> 64) != 0};
      },
      kCarry);
  add(
      "v_mad_i64_i32", "qbbq",
      [](Args a) {
        const __int128 sum = static_cast<__int128>(S(a[0])) * S(a[1]) + static_cast<i64>(a[2]);
        return Result{static_cast<u64>(sum), sum != static_cast<i64>(sum)};
      },
      kCarry);
  add("v_min_u32", "bbb", [](Args a) { return V(std::min(a[0], a[1])); });
  add("v_max_u32", "bbb", [](Args a) { return V(std::max(a[0], a[1])); });
  add("v_min_i32", "bbb",
      [](Args a) { return V(U(static_cast<u64>(std::min(S(a[0]), S(a[1]))))); });
  add("v_max_i32", "bbb",
      [](Args a) { return V(U(static_cast<u64>(std::max(S(a[0]), S(a[1]))))); });
  add("v_min3_u32", "bbbb", [](Args a) { return V(std::min({a[0], a[1], a[2]})); });
  add("v_max3_u32", "bbbb", [](Args a) { return V(std::max({a[0], a[1], a[2]})); });
  add("v_med3_u32", "bbbb", [](Args a) { return V(Middle(a[0], a[1], a[2])); });
  add("v_min3_i32", "bbbb",
      [](Args a) { return V(U(static_cast<u64>(std::min({S(a[0]), S(a[1]), S(a[2])})))); });
  add("v_max3_i32", "bbbb",
      [](Args a) { return V(U(static_cast<u64>(std::max({S(a[0]), S(a[1]), S(a[2])})))); });
  add("v_med3_i32", "bbbb",
      [](Args a) { return V(U(static_cast<u64>(Middle(S(a[0]), S(a[1]), S(a[2]))))); });
  add("v_bfe_u32", "bbbb",
      [](Args a) { return V(a[0] >> (a[1] % 32) & ((u64{1} << (a[2] % 32)) - 1)); });
  add("v_bfe_i32", "bbbb", [](Args a) {
    const int width = static_cast<int>(a[2] % 32);
    if (width == 0) return V(0);
    const u64 field = static_cast<u64>(i64{S(a[0])} >> (a[1] % 32)) & ((u64{1} << width) - 1);
    return V(U(field >> (width - 1) != 0 ? field - (u64{1} << width) : field));
  });
  add("v_bfi_b32", "bbbb", [](Args a) { return V((a[0] & a[1]) | (U(~a[0]) & a[2])); });
  add("v_bfm_b32", "bbb",
      [](Args a) { return V(U(((u64{1} << (a[0] % 32)) - 1) << (a[1] % 32))); });
  add("v_bfrev_b32", "bb", [](Args a) {
    u64 r = 0;
    for (int i = 0; i < 32; ++i) r |= (a[0] >> i & 1) << (31 - i);
    return V(r);
  });
  add("v_bcnt_u32_b32", "bbb",
      [](Args a) { return V(U(static_cast<u64>(std::popcount(U(a[0]))) + a[1])); });
  add("v_ffbh_u32", "bb",
      [](Args a) { return V(a[0] == 0 ? ~0u : static_cast<u64>(std::countl_zero(U(a[0])))); });
  add("v_ffbl_b32", "bb",
      [](Args a) { return V(a[0] == 0 ? ~0u : static_cast<u64>(std::countr_zero(U(a[0])))); });
  add("v_ffbh_i32", "bb", [](Args a) {
    for (u32 i = 1; i < 32; ++i) {
      if ((a[0] >> (31 - i) & 1) != a[0] >> 31) return V(i);
    }
    return V(~0u);
  });
  add("v_alignbit_b32", "bbbb", [](Args a) { return V(U((a[0] << 32 | a[1]) >> (a[2] % 32))); });
  add("v_alignbyte_b32", "bbbb",
      [](Args a) { return V(U((a[0] << 32 | a[1]) >> (8 * (a[2] % 4)))); });
  add("v_perm_b32", "bbbb", [](Args a) {
    const u64 data = a[0] << 32 | a[1];
    u64 r = 0;
    for (int i = 0; i < 4; ++i) {
      const u64 s = a[2] >> (8 * i) & 255;
      const u64 byte = s >= 13   ? 255
                       : s == 12 ? 0
                       : s >= 8  ? (data >> (16 * (s - 8) + 15) & 1) * 255
                                 : data >> (8 * s) & 255;
      r |= byte << (8 * i);
    }
    return V(r);
  });
  add("v_sad_u8", "bbbb", [](Args a) {
    u64 r = a[2];
    for (int i = 0; i < 32; i += 8)
      r += static_cast<u64>(std::abs(S(a[0] >> i & 255) - S(a[1] >> i & 255)));
    return V(U(r));
  });
  add("v_sad_u32", "bbbb",
      [](Args a) { return V(U((a[0] > a[1] ? a[0] - a[1] : a[1] - a[0]) + a[2])); });
  add("v_lerp_u8", "bbbb", [](Args a) {
    return V(Bytes4(a, [](u32 x, u32 y, u32 z) { return (x + y + (z & 1)) >> 1; }));
  });
  add("v_cndmask_b32", "bbbm", [](Args a) { return V(a[2] != 0 ? a[1] : a[0]); });
}

void AddInteger16(std::vector<Case>& cases) {
  const auto add = [&](std::string m, std::string t, std::function<Result(Args)> f, u32 form = 0) {
    cases.push_back({std::move(m), std::move(t), std::move(f), form});
  };
  using Op = std::function<i64(i64, i64, i64)>;
  const auto both = [&](const std::string& name, const char* types, bool is_signed, Op f,
                        u32 form = 0) {
    add(
        name, types,
        [f, is_signed](Args a) {
          const auto get = [&](u64 x) { return is_signed ? i64{S16(x)} : i64{U16(x)}; };
          return V(U16(static_cast<u64>(f(get(a[0]), get(a[1]), get(a[2])))));
        },
        form);
  };
  const Op sum = [](i64 a, i64 b, i64) { return a + b; },
           difference = [](i64 a, i64 b, i64) { return a - b; };
  const Op reverse = [](i64 a, i64 b, i64) { return b - a; },
           mad = [](i64 a, i64 b, i64 c) { return a * b + c; };
  const auto clip = [](Op f, i64 low, i64 high) {
    return [=](i64 a, i64 b, i64 c) { return Clip(f(a, b, c), low, high); };
  };
  both("v_add_u16", "hhh", false, sum);
  both("v_add_u16.clamp", "hhh", false, clip(sum, 0, 65535));
  both("v_sub_u16", "hhh", false, difference);
  both("v_sub_u16.clamp", "hhh", false, clip(difference, 0, 65535));
  both("v_subrev_u16", "hhh", false, reverse);
  both("v_subrev_u16.clamp", "hhh", false, clip(reverse, 0, 65535));
  both("v_add_i16", "hhh", true, sum);
  both("v_add_i16.clamp", "hhh", true, clip(sum, -32768, 32767));
  both("v_sub_i16", "hhh", true, difference);
  both("v_sub_i16.clamp", "hhh", true, clip(difference, -32768, 32767));
  both("v_mul_lo_u16", "hhh", false, [](i64 a, i64 b, i64) { return a * b; });
  both("v_mad_u16", "hhhh", false, mad, kKeepsHigh);
  both("v_mad_i16", "hhhh", true, mad, kKeepsHigh);
  both("v_mad_legacy_u16", "hhhh", false, mad);
  both("v_mad_legacy_i16", "hhhh", true, mad);
  add("v_mad_u32_u16", "bhhb", [](Args a) { return V(U(a[0] * a[1] + a[2])); });
  add("v_mad_i32_i16", "bhhb",
      [](Args a) { return V(U(static_cast<u64>(i64{S16(a[0])} * S16(a[1])) + a[2])); });
  for (const bool is_signed : {false, true}) {
    const std::string t = is_signed ? "i16" : "u16";
    both("v_min_" + t, "hhh", is_signed, [](i64 a, i64 b, i64) { return std::min(a, b); });
    both("v_max_" + t, "hhh", is_signed, [](i64 a, i64 b, i64) { return std::max(a, b); });
    both("v_min3_" + t, "hhhh", is_signed, [](i64 a, i64 b, i64 c) { return std::min({a, b, c}); });
    both("v_max3_" + t, "hhhh", is_signed, [](i64 a, i64 b, i64 c) { return std::max({a, b, c}); });
    both("v_med3_" + t, "hhhh", is_signed, [](i64 a, i64 b, i64 c) { return Middle(a, b, c); });
    const auto packed = [&](const std::string& name, const char* types, Op f) {
      add("v_pk_" + name, types, Halves([f, is_signed](u64 a, u64 b, u64 c) {
            const auto get = [&](u64 x) { return is_signed ? i64{S16(x)} : i64{U16(x)}; };
            return static_cast<u64>(f(get(a), get(b), get(c)));
          }));
    };
    const i64 low = is_signed ? -32768 : 0, high = is_signed ? 32767 : 65535;
    packed("add_" + t, "bbb", sum);
    packed("add_" + t + ".clamp", "bbb", clip(sum, low, high));
    packed("sub_" + t, "bbb", difference);
    packed("sub_" + t + ".clamp", "bbb", clip(difference, low, high));
    packed("mad_" + t, "bbbb", mad);
    packed("min_" + t, "bbb", [](i64 a, i64 b, i64) { return std::min(a, b); });
    packed("max_" + t, "bbb", [](i64 a, i64 b, i64) { return std::max(a, b); });
    if (!is_signed) packed("mul_lo_u16", "bbb", [](i64 a, i64 b, i64) { return a * b; });
  }
  add("v_lshlrev_b16", "hhh", [](Args a) { return V(U16(a[1] << (a[0] % 16))); });
  add("v_lshrrev_b16", "hhh", [](Args a) { return V(a[1] >> (a[0] % 16)); });
  add("v_ashrrev_i16", "hhh",
      [](Args a) { return V(U16(static_cast<u64>(i64{S16(a[1])} >> (a[0] % 16)))); });
  add("v_pk_lshlrev_b16", "bbb", Halves([](u64 a, u64 b, u64) { return b << (a % 16); }));
  add("v_pk_lshrrev_b16", "bbb", Halves([](u64 a, u64 b, u64) { return b >> (a % 16); }));
  add("v_pk_ashrrev_i16", "bbb",
      Halves([](u64 a, u64 b, u64) { return static_cast<u64>(i64{S16(b)} >> (a % 16)); }));
  add("v_pack_b32_f16", "bhh", [](Args a) { return V(a[0] | a[1] << 16); });
  add("v_pk_mov_b32", "qqq", [](Args a) { return V(U(a[0]) | u64{U(a[1])} << 32); });
  for (const u32 form : {0u, u32{kOldIsLast}}) {
    const auto dot = [&](const std::string& name, int bits, bool is_signed) {
      add(
          name, "bbbb", [=](Args a) { return V(DotProduct(a[0], a[1], a[2], bits, is_signed)); },
          form);
    };
    dot(form == 0 ? "v_dot2_i32_i16" : "v_dot2c_i32_i16", 16, true);
    dot(form == 0 ? "v_dot4_i32_i8" : "v_dot4c_i32_i8", 8, true);
    dot(form == 0 ? "v_dot8_i32_i4" : "v_dot8c_i32_i4", 4, true);
    if (form != 0) continue;
    dot("v_dot2_u32_u16", 16, false);
    dot("v_dot4_u32_u8", 8, false);
    dot("v_dot8_u32_u4", 4, false);
  }
}

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
  add("sqrt", 1, [](double a, double, double) { return std::sqrt(a); }, 0, 1);
  add("rcp", 1, [](double a, double, double) { return 1 / a; }, 0, 1);
  add("rsq", 1, [](double a, double, double) { return 1 / std::sqrt(a); }, 0, 1);
  if (t != 'd') {
    add("sub", 2, [](double a, double b, double) { return a - b; });
    add("subrev", 2, [](double a, double b, double) { return b - a; });
    add("exp", 1, [](double a, double, double) { return std::exp2(a); }, 0, 1);
    add("log", 1, [](double a, double, double) { return std::log2(a); }, 0, 1);
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
  add("v_mad_f32", "ffff",
      [](Args a) { return V(B(static_cast<float>(double{F(a[0])} * F(a[1])) + F(a[2]))); });
  add(
      "v_mac_f32", "ffff",
      [](Args a) { return V(B(static_cast<float>(double{F(a[0])} * F(a[1])) + F(a[2]))); },
      kOldIsLast);
  add("v_mul_legacy_f32", "fff",
      [](Args a) { return V(F(a[0]) == 0 || F(a[1]) == 0 ? 0 : B(F(a[0]) * F(a[1]))); });
  add(
      "v_rcp_iflag_f32", "ff", [](Args a) { return V(B(static_cast<float>(1 / double{F(a[0])}))); },
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
        static_cast<i64>(Saturated(std::floor(F(a[0]) + 0.5f), INT32_MIN, INT32_MAX)))));
  });
  add("v_cvt_pk_u16_u32", "bbb",
      [](Args a) { return V(std::min<u64>(a[0], 65535) | std::min<u64>(a[1], 65535) << 16); });
}

void AddComparisons(std::vector<Case>& cases) {
  const struct {
    const char* suffix;
    char type;
    bool is_signed;
  } kIntegers[] = {{"i16", 'h', true},  {"u16", 'h', false}, {"i32", 'b', true},
                   {"u32", 'b', false}, {"i64", 'q', true},  {"u64", 'q', false}};
  for (const auto& k : kIntegers) {
    const int shift = 64 - Bits(k.type);
    const auto add = [&](const std::string& op,
                         std::function<bool(int)> holds) {  // of the sign of a - b
      cases.push_back({"v_cmp_" + op + "_" + k.suffix, std::string("m") + k.type + k.type,
                       [holds, shift, is_signed = k.is_signed](Args a) {
                         const u64 x = a[0] << shift, y = a[1] << shift;
                         const bool less =
                             is_signed ? static_cast<i64>(x) < static_cast<i64>(y) : x < y;
                         return M(holds(x == y ? 0 : less ? -1 : 1));
                       }});
    };
    add("f", [](int) { return false; });
    add("lt", [](int s) { return s < 0; });
    add("eq", [](int s) { return s == 0; });
    add("le", [](int s) { return s <= 0; });
    add("gt", [](int s) { return s > 0; });
    add("ne", [](int s) { return s != 0; });
    add("ge", [](int s) { return s >= 0; });
    add("t", [](int) { return true; });
  }
  for (const char t : {'e', 'f', 'd'}) {
    const std::string suffix = t == 'f' ? "f32" : t == 'd' ? "f64" : "f16";
    const struct {
      const char* name;
      bool less, equal, greater, unordered;
    } kOps[] = {{"f", 0, 0, 0, 0},   {"lt", 1, 0, 0, 0},  {"eq", 0, 1, 0, 0},  {"le", 1, 1, 0, 0},
                {"gt", 0, 0, 1, 0},  {"lg", 1, 0, 1, 0},  {"ge", 0, 1, 1, 0},  {"o", 1, 1, 1, 0},
                {"u", 0, 0, 0, 1},   {"nge", 1, 0, 0, 1}, {"nlg", 0, 1, 0, 1}, {"ngt", 1, 1, 0, 1},
                {"nle", 0, 0, 1, 1}, {"neq", 1, 0, 1, 1}, {"nlt", 0, 1, 1, 1}, {"tru", 1, 1, 1, 1}};
    for (const auto& op : kOps) {
      cases.push_back({std::string("v_cmp_") + op.name + "_" + suffix, std::string("m") + t + t,
                       [op, t](Args a) {
                         const double x = Value(a[0], t), y = Value(a[1], t);
                         if (std::isnan(x) || std::isnan(y)) return M(op.unordered);
                         return M(x < y ? op.less : x == y ? op.equal : op.greater);
                       }});
    }
  }
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  AddInteger(cases);
  AddInteger16(cases);
  for (const char t : {'f', 'd', 'e'}) AddFloat(cases, t);
  AddFloatSpecials(cases);
  AddConversions(cases);
  AddComparisons(cases);
  return cases;
}

/// Operations that other tests execute: whole divisions, lanes, NaN rules that single expressions
/// do not tell.
constexpr const char* kTestedElsewhere[] = {
    "v_div_scale_f32",     "v_div_scale_f64",      "v_div_fmas_f32",       "v_div_fmas_f64",
    "v_div_fixup_f32",     "v_div_fixup_f64",      "v_div_fixup_f16",      "v_readfirstlane_b32",
    "v_readlane_b32",      "v_writelane_b32",      "v_swap_b32",           "v_mbcnt_lo_u32_b32",
    "v_mbcnt_hi_u32_b32",  "v_med3_f32",           "v_med3_f16",           "v_fma_mixhi_f16",
    "v_cvt_pkrtz_f16_f32", "v_cvt_pknorm_i16_f32", "v_cvt_pknorm_u16_f32", "v_dot2_f32_f16",
    "v_dot2c_f32_f16",     "v_pk_add_f16",         "v_pk_mul_f16",         "v_pk_fma_f16",
    "v_pk_min_f16",        "v_pk_max_f16",
};

TEST(Valu, EveryOperationHasACase) {
  std::set<std::string> tested(std::begin(kTestedElsewhere), std::end(kTestedElsewhere));
  for (const Case& c : Cases()) tested.insert(c.mnemonic);
  for (const Binding* binding : Handlers::OfLevel(1).All()) {
    const std::string mnemonic = binding->mnemonic;
    if (binding->op_class != OpClass::kValu || mnemonic.starts_with("@")) continue;
    EXPECT_EQ(tested.count(mnemonic), 1) << mnemonic;
  }
}

TEST(Valu, EveryOperationComputesItsDefinition) {
  std::mt19937_64 random(20240607);
  for (const int level : {1, 3, 4}) {
    if (level > Handlers::Best().level()) continue;
    for (const Case& c : Cases()) {
      for (const u64 exec : {~u64{0}, ~u64{0}, u64{0x5a5a00ff12345678}, u64{0}}) {
        Check(c, Handlers::OfLevel(level), exec, random);
      }
    }
  }
}

}  // namespace
}  // namespace gridwise::sim
