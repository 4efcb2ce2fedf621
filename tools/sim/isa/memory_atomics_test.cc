#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tools/sim/isa/bind.h"
#include "tools/sim/isa/binding.h"
#include "tools/sim/isa/memory_wave.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/machine/wave.h"

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
  std::string name;     // behind "global_atomic_"; empty: LDS only
  std::string ds_name;  // "add_u32"; "_rtn" goes before the type. Empty: not in LDS
  int dwords;
  int operands;
  Values values;
  Update update;
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
    const auto add = [&](const std::string& name, const std::string& ds_name, const Update& f,
                         int operands = 1) {
      cases.push_back({name.empty() ? "" : name + x2, ds_name.empty() ? "" : ds_name + n, bits / 32,
                       operands, Values::kInteger,
                       [=](u64 old, u64 a, u64 b) { return f(old, a, b) & all; }});
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
  cases.push_back({"add_f32", "add_f32", 1, 1, Values::kFloat,
                   [](u64 old, u64 a, u64) { return Of(F(old) + F(a)); }});
  cases.push_back({"add_f64", "add_f64", 2, 1, Values::kDouble,
                   [](u64 old, u64 a, u64) { return Of(D(old) + D(a)); }});
  cases.push_back({"", "min_f32", 1, 1, Values::kFloat,
                   [](u64 old, u64 a, u64) { return Of(std::fmin(F(old), F(a))); }});
  cases.push_back({"", "max_f32", 1, 1, Values::kFloat,
                   [](u64 old, u64 a, u64) { return Of(std::fmax(F(old), F(a))); }});
  cases.push_back({"min_f64", "min_f64", 2, 1, Values::kDouble,
                   [](u64 old, u64 a, u64) { return Of(std::fmin(D(old), D(a))); }});
  cases.push_back({"max_f64", "max_f64", 2, 1, Values::kDouble,
                   [](u64 old, u64 a, u64) { return Of(std::fmax(D(old), D(a))); }});
  cases.push_back({"", "cmpst_f32", 1, 2, Values::kFloat,
                   [](u64 old, u64 a, u64 b) { return F(old) == F(a) ? b : old; }});
  cases.push_back({"", "cmpst_f64", 2, 2, Values::kDouble,
                   [](u64 old, u64 a, u64 b) { return D(old) == D(a) ? b : old; }});
  cases.push_back({"pk_add_f16", "pk_add_f16", 1, 1, Values::kHalves, AddHalves});
  cases.push_back({"pk_add_bf16", "pk_add_bf16", 1, 1, Values::kBfloats, AddBfloats});
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
std::string Text(const Space& space, const Case& c, bool returns) {
  const std::string prefix = space.prefix;
  if (prefix == "ds") {
    std::string name = c.ds_name;
    if (returns) name.insert(name.rfind('_'), "_rtn");
    std::string data = Register(kData, c.dwords);
    if (c.operands == 2) data += ", " + Register(kSecond, c.dwords);
    return "ds_" + name + " " + (returns ? Register(kResult, c.dwords) + ", " : "") +
           space.Store(data);
  }
  std::string operands = space.Store(Register(kData, c.dwords * c.operands));
  if (returns && prefix != "buffer") operands = Register(kResult, c.dwords) + ", " + operands;
  return prefix + "_atomic_" + c.name + " " + operands + (returns ? " sc0" : "");
}

void PutRow(MemoryWave& w, int reg, int lane, int dwords, u64 value) {
  w->v[reg][lane] = static_cast<u32>(value);
  if (dwords == 2) w->v[reg + 1][lane] = static_cast<u32>(value >> 32);
}

void Check(const Space& space, const Case& c, u64 exec, bool returns, bool same,
           std::mt19937_64& random) {
  MemoryWave w;
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
  SpoilInactive(w, exec);
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
  w.Check(Text(space, c, returns));
}

TEST(Atomics, EveryOperationInEverySpace) {
  std::mt19937_64 random(5);
  for (const Space& space : kSpaces) {
    const std::string prefix = space.prefix;
    if (prefix == "scratch") continue;
    for (const Case& c : Cases()) {
      if (prefix == "ds" ? c.ds_name.empty() : c.name.empty()) continue;
      for (const u64 exec : kMasks) {
        for (const bool returns : {false, true}) {
          if (!space.uniform) Check(space, c, exec, returns, false, random);
          Check(space, c, exec, returns, true, random);  // lanes take turns
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
      if (c.ds_name.empty()) continue;
      std::string name = "ds_" + c.ds_name;
      tested.insert(name.insert(name.rfind('_'), rtn));
    }
  }
  for (const Binding* binding : Handlers::Best().All(kGfx942)) {
    const std::string mnemonic = binding->mnemonic;
    bool atomic = mnemonic.find("atomic") != std::string::npos || mnemonic.starts_with("ds_");
    for (const char* other : {"ds_read", "ds_write", "permute", "swizzle"})
      atomic = atomic && mnemonic.find(other) == std::string::npos;
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

TEST(Atomics, Faults) {
  MemoryWave w;
  const std::vector<u32> offsets(kLanes, MemoryWave::kBytes - 4);
  SetWide(w, w.base(), offsets.data());
  w.CheckFault("global_atomic_add_x2 v[2:3], v[12:13], off",
               "updates memory outside every allocation", 0, w.base() + MemoryWave::kBytes - 4);
  SetNarrow(w, 0, offsets.data());
  w.CheckFault("ds_add_u64 v2, v[12:13]", "writes LDS outside what the workgroup has", 0,
               MemoryWave::kBytes - 4);
}

}  // namespace
}  // namespace gridwise::sim
