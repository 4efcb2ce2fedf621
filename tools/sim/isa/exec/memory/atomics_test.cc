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

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/memory_wave.h"
#include "tools/sim/isa/testing/spaces.h"
#include "tools/sim/wave/wave.h"

/// Atomics in every address space against their definitions (CDNA3 ISA, DS, BUFFER and GLOBAL
/// instructions).

namespace gridwise::sim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;
using i64 = int64_t;

/// New value in memory from the old one, DATA and, of two-operand forms, DATA2 (LDS).
using Update = std::function<u64(u64 old, u64 a, u64 b)>;

enum class Values { kInteger, kFloat, kDouble, kHalves, kBfloats };

struct Case {
  std::string name;                     // after "global_atomic_"; empty: LDS only
  std::string ds_name;                  // "add_u32"; "_rtn" goes before the type. Empty: not in LDS
  std::string rdna_name, rdna_ds_name;  // if they have others there
  int dwords;
  int operands;
  Values values;
  Update update;
  bool always_returns = false;  // LDS: there is no form without _rtn
};

float F(u64 x) { return std::bit_cast<float>(static_cast<u32>(x)); }
double D(u64 x) { return std::bit_cast<double>(x); }
u64 Of(float x) { return std::bit_cast<u32>(x); }
u64 Of(double x) { return std::bit_cast<u64>(x); }

/// The nearest bf16 of x, ties to the even one.
u32 NearestBfloat(double x) {
  const u32 below = std::bit_cast<u32>(static_cast<float>(x)) >> 16;  // or the one above, by chance
  u32 best = below;
  const auto error = [&](u32 bits) { return std::fabs(double{F(u64{bits} << 16)} - x); };
  for (const u32 candidate : {below - 1, below, below + 1}) {
    if (error(candidate) < error(best) ||
        (error(candidate) == error(best) && candidate % 2 == 0 && best % 2 != 0)) {
      best = candidate;
    }
  }
  return best;
}
double HalfValue(u64 bits) {
  return static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
}
u64 AddHalves(u64 old, u64 a, u64) {
  u64 result = 0;
  for (const int shift : {0, 16}) {
    const auto sum = static_cast<_Float16>(HalfValue(old >> shift) + HalfValue(a >> shift));
    result |= u64{std::bit_cast<uint16_t>(sum)} << shift;
  }
  return result;
}
u64 AddBfloats(u64 old, u64 a, u64) {
  const auto value = [](u64 bits) { return double{F((bits & 0xffff) << 16)}; };
  return NearestBfloat(value(old) + value(a)) | NearestBfloat(value(old >> 16) + value(a >> 16))
                                                    << 16;
}

std::vector<Case> IntegerCases() {
  std::vector<Case> cases;
  for (const int bits : {32, 64}) {
    const u64 all = bits == 64 ? ~u64{0} : 0xffffffff;
    const std::string n = std::to_string(bits), x2 = bits == 64 ? "_x2" : "";
    const auto s = [bits](u64 x) {
      return bits == 64 ? static_cast<i64>(x) : i64{static_cast<int32_t>(x)};
    };
    // RDNA's names in memory are those of LDS but for two.
    const auto add = [&](const std::string& name, const std::string& ds_name, const Update& f,
                         int operands = 1) {
      const bool swap = name == "swap", compare = name == "cmpswap";
      cases.push_back({name.empty() ? "" : name + x2, ds_name + n,
                       swap || compare ? absl::StrCat(name, "_b", n) : ds_name + n,
                       swap      ? "storexchg_b" + n
                       : compare ? "cmpstore_b" + n
                                 : ds_name + n,
                       bits / 32, operands, Values::kInteger,
                       [=](u64 old, u64 a, u64 b) { return f(old, a, b) & all; }, swap});
    };
    add("add", "add_u", [](u64 old, u64 a, u64) { return old + a; });
    add("sub", "sub_u", [](u64 old, u64 a, u64) { return old - a; });
    add("", "rsub_u", [](u64 old, u64 a, u64) { return a - old; });
    add("inc", "inc_u", [](u64 old, u64 a, u64) { return old >= a ? 0 : old + 1; });
    add("dec", "dec_u", [](u64 old, u64 a, u64) { return old == 0 || old > a ? a : old - 1; });
    add("smin", "min_i", [=](u64 old, u64 a, u64) { return s(old) < s(a) ? old : a; });
    add("smax", "max_i", [=](u64 old, u64 a, u64) { return s(old) > s(a) ? old : a; });
    add("umin", "min_u", [](u64 old, u64 a, u64) { return old < a ? old : a; });
    add("umax", "max_u", [](u64 old, u64 a, u64) { return old > a ? old : a; });
    add("and", "and_b", [](u64 old, u64 a, u64) { return old & a; });
    add("or", "or_b", [](u64 old, u64 a, u64) { return old | a; });
    add("xor", "xor_b", [](u64 old, u64 a, u64) { return old ^ a; });
    add("swap", "wrxchg_b", [](u64, u64 a, u64) { return a; });
    add("", "mskor_b", [](u64 old, u64 a, u64 b) { return (old & ~a) | b; }, 2);
    add("cmpswap", "cmpst_b", [](u64 old, u64 a, u64 b) { return old == a ? b : old; }, 2);
  }
  return cases;
}

std::vector<Case> Cases() {
  std::vector<Case> cases = IntegerCases();
  cases.push_back({"add_f32", "add_f32", "", "", 1, 1, Values::kFloat,
                   [](u64 old, u64 a, u64) { return Of(F(old) + F(a)); }});
  cases.push_back({"add_f64", "add_f64", "", "", 2, 1, Values::kDouble,
                   [](u64 old, u64 a, u64) { return Of(D(old) + D(a)); }});
  cases.push_back({"min_f32", "min_f32", "", "", 1, 1, Values::kFloat,
                   [](u64 old, u64 a, u64) { return Of(std::fmin(F(old), F(a))); }});
  cases.push_back({"max_f32", "max_f32", "", "", 1, 1, Values::kFloat,
                   [](u64 old, u64 a, u64) { return Of(std::fmax(F(old), F(a))); }});
  cases.push_back({"min_f64", "min_f64", "", "", 2, 1, Values::kDouble,
                   [](u64 old, u64 a, u64) { return Of(std::fmin(D(old), D(a))); }});
  cases.push_back({"max_f64", "max_f64", "", "", 2, 1, Values::kDouble,
                   [](u64 old, u64 a, u64) { return Of(std::fmax(D(old), D(a))); }});
  cases.push_back({"cmpswap_f32", "cmpst_f32", "", "cmpstore_f32", 1, 2, Values::kFloat,
                   [](u64 old, u64 a, u64 b) { return F(old) == F(a) ? b : old; }});
  cases.push_back({"", "cmpst_f64", "", "cmpstore_f64", 2, 2, Values::kDouble,
                   [](u64 old, u64 a, u64 b) { return D(old) == D(a) ? b : old; }});
  cases.push_back({"pk_add_f16", "pk_add_f16", "", "", 1, 1, Values::kHalves, AddHalves});
  cases.push_back({"pk_add_bf16", "pk_add_bf16", "", "", 1, 1, Values::kBfloats, AddBfloats});
  // -0 is less than +0 for these, and a NaN gives way to a number.
  const auto least = [](auto x, auto y) {
    if (x == 0 && y == 0) return std::signbit(x) || std::signbit(y) ? -decltype(x){} : x;
    return std::fmin(x, y);
  };
  const auto greatest = [=](auto x, auto y) { return -least(-x, -y); };
  const auto bits32 = [](auto f) {
    return [=](u64 old, u64 a, u64) { return Of(f(F(old), F(a))); };
  };
  const auto bits64 = [](auto f) {
    return [=](u64 old, u64 a, u64) { return Of(f(D(old), D(a))); };
  };
  cases.push_back({"min_num_f32", "min_num_f32", "", "", 1, 1, Values::kFloat, bits32(least)});
  cases.push_back({"max_num_f32", "max_num_f32", "", "", 1, 1, Values::kFloat, bits32(greatest)});
  cases.push_back({"", "min_num_f64", "", "", 2, 1, Values::kDouble, bits64(least)});
  cases.push_back({"", "max_num_f64", "", "", 2, 1, Values::kDouble, bits64(greatest)});
  // Integers that stop at 0, or stay where they are.
  const auto clamped = [](u64 old, u64 a, u64) { return old > a ? old - a : 0; };
  cases.push_back({"csub_u32", "", "", "", 1, 1, Values::kInteger, clamped});
  cases.push_back({"sub_clamp_u32", "sub_clamp_u32", "", "", 1, 1, Values::kInteger, clamped});
  cases.push_back({"cond_sub_u32", "cond_sub_u32", "", "", 1, 1, Values::kInteger,
                   [](u64 old, u64 a, u64) { return a <= old ? old - a : old; }});
  cases.push_back(
      {"", "wrap_b32", "", "", 1, 2, Values::kInteger,
       [](u64 old, u64 a, u64 b) { return (a <= old ? old - a : old + b) & 0xffffffff; }, true});
  cases.push_back({"", "condxchg32_b64", "", "", 2, 1, Values::kInteger,
                   [](u64 old, u64 a, u64) {
                     u64 result = old;
                     if (a >> 31 & 1) result = result >> 32 << 32 | (a & 0x7fffffff);
                     if (a >> 63) result = (result & 0xffffffff) | (a << 1 >> 33 << 32);
                     return result;
                   },
                   true});
  return cases;
}

u64 RandomValue(Values values, int dwords, std::mt19937_64& random) {
  static constexpr u64 kEdges[] = {
      0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, ~u64{0} >> 1, u64{1} << 63, ~u64{0}};
  const double number = std::ldexp(static_cast<double>(static_cast<i64>(random()) >> 40),
                                   static_cast<int>(random() % 8) - 20);
  const auto bfloat = [&] { return random() % 0x300 + 0x3f00 + (random() % 2 << 15); };
  const auto half = [&] { return random() % 0x1800 + 0x3000 + (random() % 2 << 15); };
  switch (values) {
    case Values::kInteger: {
      const u64 x =
          random() % 3 != 0 ? random() >> (random() % 60) : kEdges[random() % std::size(kEdges)];
      return dwords == 2 ? x : x & 0xffffffff;
    }
    case Values::kFloat:
      return Of(static_cast<float>(number));
    case Values::kDouble:
      return Of(number);
    case Values::kHalves:
      return half() | half() << 16;
    case Values::kBfloats:
      return bfloat() | bfloat() << 16;
  }
}

std::string Register(int first, int dwords) {
  if (dwords == 1) return "v" + std::to_string(first);
  return "v[" + std::to_string(first) + ":" + std::to_string(first + dwords - 1) + "]";
}

constexpr int kResult = 8, kData = 12, kSecond = 16;  // first registers

/// Text of a case. The old value goes to kResult, of a buffer instruction to the data's registers.
std::string Text(const MemoryWave& w, const Space& space, const Case& c, bool returns) {
  const std::string prefix = space.prefix;
  if (prefix == "ds") {
    std::string name = w.rdna() && !c.rdna_ds_name.empty() ? c.rdna_ds_name : c.ds_name;
    // cmpstore has the operands of cmpst the other way round.
    const bool reversed = name.starts_with("cmpstore");
    if (returns) name.insert(name.rfind('_'), "_rtn");
    std::string data = Register(reversed ? kSecond : kData, c.dwords);
    if (c.operands == 2) data += ", " + Register(reversed ? kData : kSecond, c.dwords);
    return "ds_" + name + " " + (returns ? Register(kResult, c.dwords) + ", " : "") +
           space.Store(data);
  }
  std::string operands = space.Store(Register(kData, c.dwords * c.operands));
  if (returns && prefix != "buffer") operands = Register(kResult, c.dwords) + ", " + operands;
  const char* const kReturns = !w.rdna()                    ? " sc0"
                               : w.target().bit == kGfx1100 ? " glc"
                                                            : " th:TH_ATOMIC_RETURN";
  return prefix + "_atomic_" + (w.rdna() && !c.rdna_name.empty() ? c.rdna_name : c.name) + " " +
         operands + (returns ? kReturns : "");
}

void PutRow(MemoryWave& w, int reg, int lane, int dwords, u64 value) {
  w->v[reg][lane] = static_cast<u32>(value);
  if (dwords == 2) w->v[reg + 1][lane] = static_cast<u32>(value >> 32);
}

void Check(const SimTarget& target, const Space& space, const Case& c, u64 mask, bool returns,
           bool same, std::mt19937_64& random) {
  MemoryWave w(BestHandlers(), target.gfx);
  const std::string prefix = space.prefix;
  const u32 bytes = static_cast<u32>(4 * c.dwords);
  std::vector<u32> offsets;
  for (u32 l = 0; l < kLanes; ++l) offsets.push_back(same ? 512 : 256 + (l * 29 + 7) % 64 * 16);
  // Memory gets its contents by stores of the wave, which memory_ops_test.cc tests.
  space.set(w, offsets.data());
  u64 old[kLanes], a[kLanes], b[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    old[l] = RandomValue(c.values, c.dwords, random);
    a[l] = random() % 4 == 0 ? old[l] : RandomValue(c.values, c.dwords, random);
    b[l] = RandomValue(c.values, c.dwords, random);
    PutRow(w, 20, l, c.dwords, old[l]);
  }
  const std::string wide = c.dwords == 2 ? "x2 " : " ";
  const std::string set = prefix == "ds" ? "ds_write_b" + std::to_string(32 * c.dwords) + " "
                                         : prefix + "_store_dword" + wide;
  ASSERT_TRUE(w.Execute(set + space.Store(Register(20, c.dwords))).ok());
  const bool new_value_first = c.operands == 2 && prefix != "ds";
  for (int l = 0; l < kLanes; ++l) {
    PutRow(w, kData, l, c.dwords, new_value_first ? b[l] : a[l]);
    if (new_value_first) PutRow(w, kData + c.dwords, l, c.dwords, a[l]);
    if (!new_value_first) PutRow(w, kSecond, l, c.dwords, b[l]);
  }
  const u64 exec = SpoilInactive(w, mask);
  w.Expect();
  const int result = prefix == "buffer" ? kData : kResult;
  for (int l = 0; l < kLanes; ++l) {
    if (!(exec >> l & 1)) continue;
    const u32 at = offsets[static_cast<size_t>(l)];
    const u64 before = w.Number(space.storage, l, at, bytes);
    w.SetNumber(space.storage, l, at, bytes, c.update(before, a[l], b[l]));
    if (!returns) continue;
    w.Row(result, l) = static_cast<u32>(before);
    if (c.dwords == 2) w.Row(result + 1, l) = static_cast<u32>(before >> 32);
  }
  w.Check(Text(w, space, c, returns));
}

TEST(Atomics, EveryOperationInEverySpace) {
  std::mt19937_64 random(5);
  for (const SimTarget& target : kSimTargets) {
    for (const Space& space : kSpaces) {
      const std::string prefix = space.prefix;
      if (prefix == "scratch") continue;
      for (const Case& c : Cases()) {
        if (prefix == "ds" ? c.ds_name.empty() : c.name.empty()) continue;
        for (const u64 exec : kMasks) {
          if (target.bit != kGfx942 && exec == kMasks[2]) break;  // the same handlers
          for (const bool returns : {false, true}) {
            if (prefix == "ds" && c.always_returns && !returns) continue;
            if (!space.uniform) Check(target, space, c, exec, returns, false, random);
            Check(target, space, c, exec, returns, true, random);  // lanes take turns
          }
        }
      }
    }
  }
}

TEST(Atomics, EveryOperationHasACase) {
  std::set<std::string> tested;
  for (const Case& c : Cases()) {
    for (const std::string prefix : {"global", "flat", "buffer"})
      tested.insert(prefix + "_atomic_" + c.name);
    for (const std::string rtn : {"", "_rtn"}) {
      for (const std::string& ds_name : {c.ds_name, c.rdna_ds_name}) {
        if (ds_name.empty()) continue;
        std::string name = "ds_" + ds_name;
        tested.insert(name.insert(name.rfind('_'), rtn));
      }
    }
  }
  for (const Binding* binding : BestHandlers().All(kGfx942)) {
    const std::string mnemonic = binding->mnemonic;
    bool atomic = mnemonic.find("atomic") != std::string::npos || mnemonic.starts_with("ds_");
    for (const char* other : {"ds_read", "ds_write", "permute", "swizzle", "ds_wrxchg2",
                              "ds_append", "ds_consume", "ds_nop", "ds_direct_load", "ds_gws"})
      atomic = atomic && mnemonic.find(other) == std::string::npos;
    atomic = atomic && !mnemonic.starts_with("s_");  // scalar ones: memory_scalar_test.cc
    if (atomic) EXPECT_EQ(tested.count(mnemonic), 1) << mnemonic;
  }
}

// An atomic is in a buffer's range as a whole or not at all; outside it changes nothing and
// returns 0.
TEST(Atomics, BufferRange) {
  for (const u32 records : {600u, 601u, 603u, 604u, 607u, 608u}) {
    MemoryWave w;
    w.SetResource(4, w.base(), 0, records);
    for (int l = 0; l < kLanes; ++l) w->v[2][l] = 600 - 4 * 20 + 4 * static_cast<u32>(l);
    SetScalar64(*w, kExecLo, 0x5500000);  // offsets 600, 608, ...
    w.Expect();
    for (int l = 20; l <= 26; l += 2) {
      const u32 at = 520 + 4 * static_cast<u32>(l);
      const bool inside = at + 8 <= records;
      const u64 a = w.Row(12, l) | u64{w.Row(13, l)} << 32;
      const u64 before = inside ? w.Number(Storage::kGlobal, l, at, 8) : 0;
      if (inside) w.SetNumber(Storage::kGlobal, l, at, 8, before + a);
      w.Row(12, l) = static_cast<u32>(before);
      w.Row(13, l) = static_cast<u32>(before >> 32);
    }
    w.Check("buffer_atomic_add_x2 v[12:13], v2, s[4:7], 0 offen sc0");
  }
}

// What is given back is a number if one of the operands is, and NaN if none is.
TEST(Atomics, NotANumber) {
  const u32 kNan = 0x7fc00000, kOne = 0x3f800000;
  const struct {
    u32 old, data, least, greatest;
  } kPairs[] = {{kNan, kOne, kOne, kOne}, {kOne, kNan, kOne, kOne}, {kNan, kNan, kNan, kNan}};
  for (const auto& pair : kPairs) {
    for (const char* name : {"ds_min_f32", "ds_max_f32", "ds_min_num_f32", "ds_max_num_f32"}) {
      MemoryWave w;
      SetScalar64(*w, kExecLo, 1);
      w->v[2][0] = 512;
      w->v[3][0] = pair.old;
      w->v[4][0] = pair.data;
      ASSERT_TRUE(w.Execute("ds_write_b32 v2, v3").ok());
      w.Expect();
      const bool least = std::string(name).find("min") != std::string::npos;
      w.SetNumber(Storage::kLds, 0, 512, 4, least ? pair.least : pair.greatest);
      w.Check(std::string(name) + " v2, v4");
    }
  }
}

/// Which payload a NaN then has nobody says: told of the lanes that computed with one, in memory or
/// as operand, and of no others.
TEST(Atomics, TellOfNans) {
  static int told;
  const struct {
    const char *name, *ds_name;
    u32 nan, number;
  } kCases[] = {{"add_f32", "add_f32", 0x7f800001, 0x7f800000},
                {"", "max_f32", 0xffffffff, 0xff800000},
                {"pk_add_f16", "pk_add_f16", 0x3c007c01, 0x3c007c00},
                {"pk_add_bf16", "pk_add_bf16", 0xff813f80, 0xff803f80},
                {"add", "add_u32", 0, 0x7fc00000},
                {"swap", "", 0, 0x7fc00000},
                {"", "cmpst_f32", 0, 0x7fc00000}};
  for (const auto& c : kCases) {
    for (const bool lds : {true, false}) {
      const std::string name = lds ? c.ds_name : c.name;
      if (name.empty()) continue;
      MemoryWave w;
      std::vector<u32> offsets;
      for (u32 l = 0; l < kLanes; ++l) {
        offsets.push_back(4 * l);
        w->v[8][l] = l == 3 && c.nan != 0 ? c.nan : c.number;
        w->v[9][l] = (l == 5 || l == 40) && c.nan != 0 ? c.nan : c.number;
      }
      SetWide(w, w.base(), offsets.data());
      if (lds) SetNarrow(w, 0, offsets.data());
      ASSERT_TRUE(
          w.Execute(lds ? "ds_write_b32 v2, v8" : "global_store_dword v[2:3], v8, off").ok());
      SetScalar64(*w, kExecLo, ~(u64{1} << 40));
      told = 0;
      w->not_known = [](Wave&, const Uop&) { ++told; };
      const std::string second = name == "cmpst_f32" ? ", v9" : "";
      ASSERT_TRUE(w.Execute(lds ? absl::StrCat("ds_", name, " v2, v9", second)
                                : absl::StrCat("global_atomic_", name, " v[2:3], v9, off"))
                      .ok());
      EXPECT_EQ(told, c.nan != 0 ? 2 : 0) << name;
    }
  }
}

// RDNA4's minimum and maximum know that -0 is less than 0.
TEST(Atomics, SignedZeros) {
  const u32 kMinus = 0x80000000;
  for (const u32 old : {0u, kMinus}) {
    for (const u32 data : {0u, kMinus}) {
      MemoryWave w(BestHandlers(), "gfx1201");
      SetScalar64(*w, kExecLo, 1);
      w->v[2][0] = 512;
      w->v[3][0] = old;
      w->v[4][0] = data;
      for (const bool least : {true, false}) {
        ASSERT_TRUE(w.Execute("ds_store_b32 v2, v3").ok());
        w.Expect();
        w.SetNumber(Storage::kLds, 0, 512, 4, least ? old | data : old & data);
        w.Check(least ? "ds_min_num_f32 v2, v4" : "ds_max_num_f32 v2, v4");
      }
    }
  }
}

TEST(Atomics, MustBeAligned) {
  const char* const kMessage = "updates memory at an address that is no multiple of the size";
  MemoryWave w;
  std::vector<u32> offsets(kLanes, 64);
  offsets[5] = 68;
  SetWide(w, w.base(), offsets.data());
  w.CheckFault("global_atomic_add_x2 v[2:3], v[12:13], off", kMessage, 5, w.base() + 68);
  w.CheckFault("flat_atomic_add_x2 v[2:3], v[12:13]", kMessage, 5, w.base() + 68);
  EXPECT_TRUE(w.Execute("global_atomic_add v[2:3], v12, off").ok());
  w.SetResource(4, w.base(), 0, MemoryWave::kBytes);
  SetNarrow(w, 0, offsets.data());
  w.CheckFault("buffer_atomic_swap_x2 v[12:13], v2, s[4:7], 0 offen", kMessage, 5, w.base() + 68);
  w.CheckFault("ds_add_u64 v2, v[12:13]", kMessage, 5, 68);
  EXPECT_TRUE(w.Execute("ds_add_u32 v2, v12").ok());
}

TEST(Atomics, Faults) {
  MemoryWave w;
  const std::vector<u32> offsets(kLanes, MemoryWave::kBytes);
  SetWide(w, w.base(), offsets.data());
  w.CheckFault("global_atomic_add_x2 v[2:3], v[12:13], off",
               "updates memory outside every allocation", 0, w.base() + MemoryWave::kBytes);
  SetNarrow(w, 0, offsets.data());
  w.BeObserved();
  w.CheckOutsideLds("ds_add_u64 v2, v[12:13]", "writes LDS outside what the workgroup has", 0,
                    MemoryWave::kBytes);
}

/// MODE has a say on denormals of floats in LDS, none on those in memory, and none on rounding.
TEST(Atomics, DenormalsOfFloatsAndMode) {
  const struct {
    u32 mode, sum;
  } kModes[] = {{0x3f0, 0x80000007}, {0x3c0, 0x80000000}, {0x3d0, 0x80000000}, {0x3ff, 0x80000007}};
  for (const auto& c : kModes) {
    for (const bool lds : {true, false}) {
      MemoryWave w;
      w->mode = c.mode;
      SetScalar64(*w, kExecLo, 1);
      const Storage storage = lds ? Storage::kLds : Storage::kGlobal;
      w->v[2][0] = lds ? 64 : static_cast<u32>(w.base() + 64);
      w->v[3][0] = static_cast<u32>((w.base() + 64) >> 32);
      w->v[7][0] = 0x80000003;
      w->v[8][0] = 0x80000004;
      const char* store = lds ? "ds_write_b32 v2, v7" : "global_store_dword v[2:3], v7, off";
      ASSERT_TRUE(w.Execute(store).ok());
      w.Expect();
      w.SetNumber(storage, 0, 64, 4, lds ? c.sum : 0x80000007);
      EXPECT_TRUE(w.Check(lds ? "ds_add_f32 v2, v8" : "global_atomic_add_f32 v[2:3], v8, off"))
          << c.mode;
    }
  }
}

}  // namespace
}  // namespace gridwise::sim
