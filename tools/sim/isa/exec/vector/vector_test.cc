// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/test_wave.h"
#include "tools/sim/isa/testing/valu_cases.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

/// Every vector operation against a scalar expression of its definition in the ISA document, on
/// random and edge values, at every x86 level that this machine executes, with all lanes on and
/// with some off.

namespace gridwise::sim::valu {
namespace {

bool SameFloat(u64 actual, u64 expected, char type, double ulps) {
  if (type == 'w')
    return SameFloat(U(actual), U(expected), 'f', ulps) &&
           SameFloat(actual >> 32, expected >> 32, 'f', ulps);
  if (type == 'k' || type == 'g') {
    const char half = type == 'k' ? 'e' : 'y';
    return SameFloat(U16(actual), U16(expected), half, ulps) &&
           SameFloat(U16(actual >> 16), U16(expected >> 16), half, ulps);
  }
  if (type == 'y') return SameFloat(actual << 16, expected << 16, 'f', ulps);
  const double a = type == 'f' ? F(actual) : type == 'd' ? D(actual) : H(actual);
  const double e = type == 'f' ? F(expected) : type == 'd' ? D(expected) : H(expected);
  if (std::isnan(e)) return std::isnan(a);  // payloads are not specified
  if (actual == expected) return true;
  const i64 distance = static_cast<i64>(actual) - static_cast<i64>(expected);
  return std::signbit(a) == std::signbit(e) && static_cast<double>(std::abs(distance)) <= ulps;
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

std::string Mask(int index, int lanes) {
  return lanes == 32 ? absl::StrCat("s", index) : absl::StrCat("s[", index, ":", index + 1, "]");
}
std::string Register(char type, int index, int lanes) {
  if (type == 'm') return Mask(index, lanes);
  return Bits(type) == 64 ? absl::StrCat("v[", index, ":", index + 1, "]")
                          : absl::StrCat("v", index);
}

/// Results are v[20:21] and s[20:21], sources v[0:1], v[2:3], v[4:5], a mask s[10:11].
std::string Text(const Case& c, int lanes) {
  std::string mnemonic = c.mnemonic;
  const bool clamps = mnemonic.ends_with(".clamp");
  if (clamps) mnemonic.resize(mnemonic.size() - 6);
  std::string text = absl::StrCat(mnemonic, " ", Register(c.types[0], 20, lanes));
  if ((c.form & kCarry) != 0) absl::StrAppend(&text, ", ", Mask(20, lanes));
  const size_t written = c.types.size() - 1 - ((c.form & (kOldIsLast | kVccIsLast)) != 0 ? 1 : 0);
  for (size_t i = 0; i < written; ++i) {
    const char type = c.types[i + 1];
    absl::StrAppend(&text, ", ", Register(type, type == 'm' ? 10 : static_cast<int>(2 * i), lanes));
  }
  if (!c.suffix.empty()) absl::StrAppend(&text, " ", c.suffix);
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

void Check(const Case& c, const Handlers& handlers, const SimTarget& target, u64 exec,
           std::mt19937_64& random) {
  const std::string text = Text(c, target.wave_size);
  const bool rdna = (target.bit & kRdna) != 0;
  SCOPED_TRACE(testing::Message() << text << " on " << target.gfx << " at level "
                                  << handlers.level() << ", EXEC " << std::hex << exec);
  TestWave wave(handlers, target.gfx);
  exec &= wave->all_lanes;
  const std::vector<std::vector<u64>> values = Prepare(c, wave, random);
  SetScalar64(*wave, kExecLo, exec);
  std::vector<u64> old(kLanes);
  for (int l = 0; l < kLanes; ++l)
    old[static_cast<size_t>(l)] = wave->v[20][l] | u64{wave->v[21][l]} << 32;
  const absl::Status status = wave.Execute(text);
  ASSERT_TRUE(status.ok()) << status;
  u64 expected_mask = 0;
  for (int l = 0; l < target.wave_size; ++l) {
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
    if ((c.form & kKeepsHigh) != 0 || (rdna && Bits(c.types[0]) == 16)) {
      ASSERT_EQ(U(wide) >> 16, U(before) >> 16);
      actual &= 0xffff;
    }
    const bool is_float = std::string_view("fdewkgy").find(c.types[0]) != std::string_view::npos;
    ASSERT_TRUE(is_float ? SameFloat(actual, expected.value, c.types[0], c.ulps)
                         : actual == expected.value)
        << "lane " << l << std::hex << ": " << actual << " instead of " << expected.value << " of "
        << a[0] << ", " << a[1] << ", " << a[2];
  }
  if (c.types[0] == 'm' || (c.form & kCarry) != 0)
    EXPECT_EQ(Scalar64(*wave, 20) & wave->all_lanes, expected_mask);
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  AddInteger(cases);
  AddInteger16(cases);
  AddClamped(cases);
  for (const char t : {'f', 'd', 'e'}) AddFloat(cases, t);
  AddFloatSpecials(cases);
  AddConversions(cases);
  AddComparisons(cases);
  AddRdna(cases);
  AddCdna4(cases);
  return cases;
}

/// Operations that other tests execute: whole divisions, lanes, NaN rules that single expressions
/// do not tell.
constexpr const char* kTestedElsewhere[] = {
    "v_div_scale_f32",       "v_div_scale_f64",     "v_div_fmas_f32",
    "v_div_fmas_f64",        "v_div_fixup_f32",     "v_div_fixup_f64",
    "v_div_fixup_f16",       "v_readfirstlane_b32", "v_readlane_b32",
    "v_writelane_b32",       "v_swap_b32",          "v_mbcnt_lo_u32_b32",
    "v_mbcnt_hi_u32_b32",    "v_med3_f32",          "v_med3_f16",
    "v_fma_mixhi_f16",       "v_cvt_pkrtz_f16_f32", "v_cvt_pknorm_i16_f32",
    "v_cvt_pknorm_u16_f32",  "v_dot2_f32_f16",      "v_dot2c_f32_f16",
    "v_pk_add_f16",          "v_pk_mul_f16",        "v_pk_fma_f16",
    "v_pk_min_f16",          "v_pk_max_f16",        "v_permlane16_swap_b32",
    "v_permlane32_swap_b32", "v_swap_b16",          "v_dot4_i32_iu8",
    "v_dot8_i32_iu4",        "v_dot2_f16_f16",      "v_dot2_bf16_bf16",
    "v_permlane16_b32",      "v_permlanex16_b32",   "v_permlane16_var_b32",
    "v_permlanex16_var_b32", "v_permlane64_b32",    "v_movrels_b32",
    "v_movreld_b32",         "v_movrelsd_b32",      "v_movrelsd_2_b32",
    "v_swaprel_b32",         "v_pk_min_num_f16",    "v_pk_max_num_f16",
    "v_pk_minimum_f16",      "v_pk_maximum_f16",    "v_pk_fmac_f16",
    "v_mqsad_u32_u8",
};

TEST(Valu, EveryOperationHasACase) {
  std::set<std::string> tested(std::begin(kTestedElsewhere), std::end(kTestedElsewhere));
  for (const Case& c : Cases()) tested.insert(c.mnemonic);
  for (const TargetBit target : {kGfx90a, kGfx942, kGfx950, kGfx1100, kGfx1201}) {
    for (const Binding* binding : BestHandlers().All(target)) {
      const std::string mnemonic = binding->mnemonic;
      if (binding->op_class != OpClass::kValu || mnemonic.starts_with("@")) continue;
      const auto has = [&](const char* part) { return mnemonic.find(part) != std::string::npos; };
      if (has("fp8") || has("bf8") || has("scalef32")) continue;  // small_float_test.cc
      EXPECT_EQ(tested.count(mnemonic), 1) << mnemonic;
    }
  }
}

TEST(Valu, EveryOperationComputesItsDefinition) {
  std::mt19937_64 random(20240607);
  ASSERT_FALSE(UsableHandlers().empty());
  for (const Handlers* handlers : UsableHandlers()) {
    for (const Case& c : Cases()) {
      const Binding* own = handlers->Find(c.mnemonic, FindTarget(c.gfx)->bit);
      ASSERT_NE(own, nullptr) << c.mnemonic << " on " << c.gfx;
      for (const SimTarget& target : kSimTargets) {
        // Where the operation is the same one.
        if (handlers->Find(c.mnemonic, target.bit) != own) continue;
        for (const u64 exec : {~u64{0}, ~u64{0}, u64{0x5a5a00ff12345678}, u64{0}}) {
          Check(c, *handlers, target, exec, random);
        }
      }
    }
  }
}

}  // namespace
}  // namespace gridwise::sim::valu
