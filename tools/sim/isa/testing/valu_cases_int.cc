// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/sim/isa/testing/valu_cases.h"

namespace gridwise::sim::valu {
namespace {

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

/// Returns a function that appends a case to `cases`.
auto Appender(std::vector<Case>& cases) {
  return [&cases](std::string m, std::string t, std::function<Result(Args)> f, u32 form = 0) {
    cases.push_back({std::move(m), std::move(t), std::move(f), form});
  };
}

void AddMovesAndSums(std::vector<Case>& cases) {
  const auto add = Appender(cases);
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
  add("v_lshl_add_u64", "qqbq", [](Args a) {
    constexpr u64 kFactors[] = {1, 2, 4, 8, 16, 1, 1, 1};
    return V(a[0] * kFactors[a[1] % 8] + a[2]);
  });
  add("v_lshl_or_b32", "bbbb", [](Args a) { return V(U(a[0] << (a[1] % 32)) | a[2]); });
  add("v_and_or_b32", "bbbb", [](Args a) { return V((a[0] & a[1]) | a[2]); });
  add("v_or3_b32", "bbbb", [](Args a) { return V(a[0] | a[1] | a[2]); });
  add("v_xad_u32", "bbbb", [](Args a) { return V(U((a[0] ^ a[1]) + a[2])); });
}

void AddLogicAndShifts(std::vector<Case>& cases) {
  const auto add = Appender(cases);
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
}

void AddProducts(std::vector<Case>& cases) {
  const auto add = Appender(cases);
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
}

void AddExtremes(std::vector<Case>& cases) {
  const auto add = Appender(cases);
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
}

void AddBits(std::vector<Case>& cases) {
  const auto add = Appender(cases);
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
}

void AddBytes(std::vector<Case>& cases) {
  const auto add = Appender(cases);
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

using Op = std::function<i64(i64, i64, i64)>;

i64 Sum(i64 a, i64 b, i64) { return a + b; }
i64 Difference(i64 a, i64 b, i64) { return a - b; }
i64 Reverse(i64 a, i64 b, i64) { return b - a; }
i64 Product(i64 a, i64 b, i64) { return a * b; }
i64 Mad(i64 a, i64 b, i64 c) { return a * b + c; }
i64 Least(i64 a, i64 b, i64) { return std::min(a, b); }
i64 Greatest(i64 a, i64 b, i64) { return std::max(a, b); }
Op Clipped(Op f, i64 low, i64 high) {
  return [f = std::move(f), low, high](i64 a, i64 b, i64 c) { return Clip(f(a, b, c), low, high); };
}
i64 Extended16(u64 x, bool is_signed) { return is_signed ? i64{S16(x)} : i64{U16(x)}; }

void AddScalar16(std::vector<Case>& cases) {
  const auto add = Appender(cases);
  const auto both = [&](const std::string& name, const char* types, bool is_signed, Op f,
                        u32 form = 0) {
    const auto get = [is_signed](u64 x) { return Extended16(x, is_signed); };
    add(
        name, types,
        [=](Args a) { return V(U16(static_cast<u64>(f(get(a[0]), get(a[1]), get(a[2]))))); }, form);
  };
  both("v_add_u16", "hhh", false, Sum);
  both("v_add_u16.clamp", "hhh", false, Clipped(Sum, 0, 65535));
  both("v_sub_u16", "hhh", false, Difference);
  both("v_sub_u16.clamp", "hhh", false, Clipped(Difference, 0, 65535));
  both("v_subrev_u16", "hhh", false, Reverse);
  both("v_subrev_u16.clamp", "hhh", false, Clipped(Reverse, 0, 65535));
  both("v_add_i16", "hhh", true, Sum);
  both("v_add_i16.clamp", "hhh", true, Clipped(Sum, -32768, 32767));
  both("v_sub_i16", "hhh", true, Difference);
  both("v_sub_i16.clamp", "hhh", true, Clipped(Difference, -32768, 32767));
  both("v_mul_lo_u16", "hhh", false, Product);
  both("v_mad_u16", "hhhh", false, Mad, kKeepsHigh);
  both("v_mad_i16", "hhhh", true, Mad, kKeepsHigh);
  both("v_mad_legacy_u16", "hhhh", false, Mad);
  both("v_mad_legacy_i16", "hhhh", true, Mad);
  add("v_mad_u32_u16", "bhhb", [](Args a) { return V(U(a[0] * a[1] + a[2])); });
  add("v_mad_i32_i16", "bhhb",
      [](Args a) { return V(U(static_cast<u64>(i64{S16(a[0])} * S16(a[1])) + a[2])); });
  for (const bool is_signed : {false, true}) {
    const std::string t = is_signed ? "i16" : "u16";
    both("v_min_" + t, "hhh", is_signed, Least);
    both("v_max_" + t, "hhh", is_signed, Greatest);
    both("v_min3_" + t, "hhhh", is_signed, [](i64 a, i64 b, i64 c) { return std::min({a, b, c}); });
    both("v_max3_" + t, "hhhh", is_signed, [](i64 a, i64 b, i64 c) { return std::max({a, b, c}); });
    both("v_med3_" + t, "hhhh", is_signed, [](i64 a, i64 b, i64 c) { return Middle(a, b, c); });
  }
}

void AddPacked16(std::vector<Case>& cases) {
  const auto add = Appender(cases);
  for (const bool is_signed : {false, true}) {
    const auto packed = [&](const std::string& name, const char* types, Op f) {
      add("v_pk_" + name, types, Halves([f, is_signed](u64 a, u64 b, u64 c) {
            const auto get = [&](u64 x) { return Extended16(x, is_signed); };
            return static_cast<u64>(f(get(a), get(b), get(c)));
          }));
    };
    const std::string t = is_signed ? "i16" : "u16";
    const i64 low = is_signed ? -32768 : 0, high = is_signed ? 32767 : 65535;
    packed("add_" + t, "bbb", Sum);
    packed("add_" + t + ".clamp", "bbb", Clipped(Sum, low, high));
    packed("sub_" + t, "bbb", Difference);
    packed("sub_" + t + ".clamp", "bbb", Clipped(Difference, low, high));
    packed("mad_" + t, "bbbb", Mad);
    packed("min_" + t, "bbb", Least);
    packed("max_" + t, "bbb", Greatest);
    if (!is_signed) packed("mul_lo_u16", "bbb", Product);
  }
}

void AddShifts16(std::vector<Case>& cases) {
  const auto add = Appender(cases);
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
}

void AddDotProducts(std::vector<Case>& cases) {
  const auto add = Appender(cases);
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

using Exact = std::function<__int128(Args)>;

/// Returns a function that appends a case whose exact result is clamped to [low, high].
auto ClampedAppender(std::vector<Case>& cases) {
  return [&cases](const std::string& m, const char* types, Exact exact, __int128 low, __int128 high,
                  u32 form = 0) {
    cases.push_back({m + ".clamp", types,
                     [=](Args a) {
                       const __int128 x = exact(a);
                       const __int128 clipped = x < low ? low : x > high ? high : x;
                       const u64 bits = static_cast<u64>(clipped);
                       const bool wide = types[0] == 'q', half = types[0] == 'h';
                       return Result{wide ? bits : half ? U16(bits) : U(bits), x != clipped};
                     },
                     form});
  };
}

constexpr __int128 kU16 = 65535, kU32 = 0xffffffff, kI32 = 0x7fffffff, kI64 = 0x7fffffffffffffff,
                   kU64 = ~u64{0};

__int128 Wide(u64 x) { return x; }
__int128 I32(u64 x) { return S(x); }
__int128 I16(u64 x) { return S16(x); }
__int128 U24(u64 x) { return x & 0xffffff; }
__int128 I24(u64 x) { return Field24(x); }

void AddClampedSums(std::vector<Case>& cases) {
  const auto add = ClampedAppender(cases);
  add("v_add_co_u32", "bbb", [](Args a) { return Wide(a[0]) + Wide(a[1]); }, 0, kU32, kCarry);
  add("v_sub_co_u32", "bbb", [](Args a) { return Wide(a[0]) - Wide(a[1]); }, 0, kU32, kCarry);
  add("v_subrev_co_u32", "bbb", [](Args a) { return Wide(a[1]) - Wide(a[0]); }, 0, kU32, kCarry);
  add(
      "v_addc_co_u32", "bbbm", [](Args a) { return Wide(a[0]) + Wide(a[1]) + Wide(a[2]); }, 0, kU32,
      kCarry);
  add(
      "v_subb_co_u32", "bbbm", [](Args a) { return Wide(a[0]) - Wide(a[1]) - Wide(a[2]); }, 0, kU32,
      kCarry);
  add(
      "v_subbrev_co_u32", "bbbm", [](Args a) { return Wide(a[1]) - Wide(a[0]) - Wide(a[2]); }, 0,
      kU32, kCarry);
}

void AddClampedProducts(std::vector<Case>& cases) {
  const auto add = ClampedAppender(cases);
  add("v_mul_u32_u24", "bbb", [](Args a) { return U24(a[0]) * U24(a[1]); }, 0, kU32);
  add("v_mul_i32_i24", "bbb", [](Args a) { return I24(a[0]) * I24(a[1]); }, -kI32 - 1, kI32);
  add("v_mad_u32_u24", "bbbb", [](Args a) { return U24(a[0]) * U24(a[1]) + Wide(a[2]); }, 0, kU32);
  add(
      "v_mad_i32_i24", "bbbb", [](Args a) { return I24(a[0]) * I24(a[1]) + I32(a[2]); }, -kI32 - 1,
      kI32);
  add(
      "v_mad_u64_u32", "qbbq", [](Args a) { return Wide(a[0]) * Wide(a[1]) + Wide(a[2]); }, 0, kU64,
      kCarry);
  add(
      "v_mad_i64_i32", "qbbq",
      [](Args a) { return I32(a[0]) * I32(a[1]) + static_cast<__int128>(static_cast<i64>(a[2])); },
      -kI64 - 1, kI64, kCarry);
  for (const char* m : {"v_mad_u16", "v_mad_legacy_u16"}) {
    const u32 form = m[6] == 'l' ? 0 : u32{kKeepsHigh};
    add(m, "hhhh", [](Args a) { return Wide(a[0]) * Wide(a[1]) + Wide(a[2]); }, 0, kU16, form);
  }
  for (const char* m : {"v_mad_i16", "v_mad_legacy_i16"}) {
    const u32 form = m[6] == 'l' ? 0 : u32{kKeepsHigh};
    add(m, "hhhh", [](Args a) { return I16(a[0]) * I16(a[1]) + I16(a[2]); }, -32768, 32767, form);
  }
  add(
      "v_mad_u32_u16", "bhhb", [](Args a) { return Wide(a[0]) * Wide(a[1]) + Wide(a[2]); }, 0,
      kU32);
  add(
      "v_mad_i32_i16", "bhhb", [](Args a) { return I16(a[0]) * I16(a[1]) + I32(a[2]); }, -kI32 - 1,
      kI32);
}

void AddClampedDotProducts(std::vector<Case>& cases) {
  const auto add = ClampedAppender(cases);
  for (const bool is_signed : {false, true}) {
    cases.push_back({is_signed ? "v_pk_mad_i16.clamp" : "v_pk_mad_u16.clamp", "bbbb",
                     Halves([is_signed](u64 a, u64 b, u64 c) {
                       const auto get = [=](u64 x) { return Extended16(x, is_signed); };
                       const i64 low = is_signed ? -32768 : 0;
                       return static_cast<u64>(Clip(get(a) * get(b) + get(c), low, low + 65535));
                     })});
    const char* const sign = is_signed ? "i" : "u";
    for (const int bits : {16, 8, 4}) {
      const auto exact = [=](Args a) {
        __int128 sum = is_signed ? I32(a[2]) : Wide(a[2]);
        for (int k = 0; k < 32; k += bits) {
          const auto field = [&](u64 x) {
            const i64 f = static_cast<i64>(x >> k & ((u64{1} << bits) - 1));
            return is_signed && f >> (bits - 1) != 0 ? f - (i64{1} << bits) : f;
          };
          sum += field(a[0]) * field(a[1]);
        }
        return sum;
      };
      const std::string name = absl::StrCat("v_dot", 32 / bits, "_", sign, "32_", sign, bits);
      add(name, "bbbb", exact, is_signed ? -kI32 - 1 : 0, is_signed ? kI32 : kU32);
    }
  }
}

/// The sum of the distances of the fields of `bits` bits; masked: of those that are not 0 in `b`.
__int128 Distance(u64 a, u64 b, int bits, bool masked) {
  __int128 sum = 0;
  for (int k = 0; k < 32; k += bits) {
    const i64 x = static_cast<i64>(a >> k & ((u64{1} << bits) - 1));
    const i64 y = static_cast<i64>(b >> k & ((u64{1} << bits) - 1));
    if (!masked || y != 0) sum += std::abs(x - y);
  }
  return sum;
}

void AddClampedDistances(std::vector<Case>& cases) {
  const auto add = ClampedAppender(cases);
  add(
      "v_sad_u8", "bbbb", [](Args a) { return Distance(a[0], a[1], 8, false) + Wide(a[2]); }, 0,
      kU32);
  add(
      "v_sad_hi_u8", "bbbb",
      [](Args a) { return Distance(a[0], a[1], 8, false) * 65536 + Wide(a[2]); }, 0, kU32);
  add(
      "v_sad_u16", "bbbb", [](Args a) { return Distance(a[0], a[1], 16, false) + Wide(a[2]); }, 0,
      kU32);
  add(
      "v_sad_u32", "bbbb", [](Args a) { return Distance(a[0], a[1], 32, false) + Wide(a[2]); }, 0,
      kU32);
  add(
      "v_msad_u8", "bbbb", [](Args a) { return Distance(a[0], a[1], 8, true) + Wide(a[2]); }, 0,
      kU32);
  for (const bool masked : {false, true}) {
    cases.push_back(
        {masked ? "v_mqsad_pk_u16_u8.clamp" : "v_qsad_pk_u16_u8.clamp", "qqbq", [=](Args a) {
           u64 result = 0;
           for (int k = 0; k < 4; ++k) {
             const auto sum = static_cast<u64>(Distance(U(a[0] >> 8 * k), a[1], 8, masked) +
                                               Wide(U16(a[2] >> 16 * k)));
             result |= std::min<u64>(sum, 65535) << 16 * k;
           }
           return V(result);
         }});
  }
}

}  // namespace

void AddInteger(std::vector<Case>& cases) {
  AddMovesAndSums(cases);
  AddLogicAndShifts(cases);
  AddProducts(cases);
  AddExtremes(cases);
  AddBits(cases);
  AddBytes(cases);
}

void AddInteger16(std::vector<Case>& cases) {
  AddScalar16(cases);
  AddPacked16(cases);
  AddShifts16(cases);
  AddDotProducts(cases);
}

void AddClamped(std::vector<Case>& cases) {
  AddClampedSums(cases);
  AddClampedProducts(cases);
  AddClampedDotProducts(cases);
  AddClampedDistances(cases);
}

}  // namespace gridwise::sim::valu
