// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/memory_wave.h"
#include "tools/sim/isa/testing/spaces.h"
#include "tools/sim/wave/wave.h"

/// Typed buffer accesses against their definitions in exact arithmetic.

namespace gridwise::sim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

struct Format {
  const char* widths;  // as in names: highest component first
  const char* number;
  u32 unified;        // number on RDNA
  u32 data, numeric;  // on CDNA
};
const Format kFormats[] = {
    {"8", "UNORM", 1, 1, 0},
    {"8_8", "SNORM", 15, 3, 1},
    {"8_8_8_8", "UNORM", 42, 10, 0},
    {"8_8_8_8", "SNORM", 43, 10, 1},
    {"8_8_8_8", "USCALED", 44, 10, 2},
    {"8_8_8_8", "SSCALED", 45, 10, 3},
    {"8_8_8_8", "UINT", 46, 10, 4},
    {"8_8_8_8", "SINT", 47, 10, 5},
    {"16", "UINT", 11, 2, 4},
    {"16_16", "FLOAT", 29, 5, 7},
    {"16_16_16_16", "SINT", 56, 12, 5},
    {"16_16_16_16", "UNORM", 51, 12, 0},
    {"32", "FLOAT", 22, 4, 7},
    {"32_32", "UINT", 48, 11, 4},
    {"32_32_32", "SINT", 59, 13, 5},
    {"32_32_32_32", "FLOAT", 63, 14, 7},
    {"10_11_11", "FLOAT", 30, 6, 7},
    {"11_11_10", "FLOAT", 31, 7, 7},
    {"2_10_10_10", "UNORM", 36, 9, 0},
    {"2_10_10_10", "SINT", 41, 9, 5},
    {"10_10_10_2", "UINT", 34, 8, 4},
};

/// Widths of x, y, z, w.
std::vector<u32> Widths(const Format& f) {
  std::vector<u32> widths;
  for (const std::string_view width : absl::StrSplit(f.widths, '_'))
    widths.insert(widths.begin(), static_cast<u32>(std::stoi(std::string(width))));
  return widths;
}

bool IsInteger(const std::string& number) { return number == "UINT" || number == "SINT"; }

u32 FloatBits(double x) { return std::bit_cast<u32>(static_cast<float>(x)); }

/// What a load gives for `raw`, `bits` wide.
u32 Loaded(u64 raw, u32 bits, const std::string& number) {
  const bool negative = raw >> (bits - 1) != 0;
  const double whole = static_cast<double>(raw);
  const double with_sign = negative ? whole - std::ldexp(1.0, static_cast<int>(bits)) : whole;
  if (number == "UNORM") return FloatBits(whole / (std::ldexp(1.0, static_cast<int>(bits)) - 1));
  if (number == "SNORM") {
    const double most = std::ldexp(1.0, static_cast<int>(bits) - 1) - 1;
    return FloatBits(std::fmax(with_sign / most, -1.0));
  }
  if (number == "USCALED") return FloatBits(whole);
  if (number == "SSCALED") return FloatBits(with_sign);
  if (number == "UINT") return static_cast<u32>(raw);
  if (number == "SINT") return static_cast<u32>(static_cast<int64_t>(with_sign));
  if (bits == 32) return static_cast<u32>(raw);
  // Exponent of 5 bits with a bias of 15; the 16-bit format has a sign too.
  const u32 mantissa = bits == 16 ? 10 : bits - 5;
  const auto fraction = static_cast<double>(raw & ((1u << mantissa) - 1));
  const int exponent = static_cast<int>(raw >> mantissa & 31);
  const double sign = bits == 16 && negative ? -1 : 1;
  const int scale = -static_cast<int>(mantissa);
  if (exponent == 31 && fraction == 0) return FloatBits(sign * INFINITY);
  if (exponent == 0) return FloatBits(sign * std::ldexp(fraction, scale - 14));
  return FloatBits(sign * std::ldexp(fraction + (1 << mantissa), scale + exponent - 15));
}

std::string FormatText(const SimTarget& target, const Format& f) {
  const std::string widths = f.widths, number = f.number;
  if ((target.bit & kRdna) != 0) return " format:[BUF_FMT_" + widths + "_" + number + "]";
  return " format:[BUF_DATA_FORMAT_" + widths + ",BUF_NUM_FORMAT_" + number + "]";
}

constexpr const char* kLetters[] = {"x", "xy", "xyz", "xyzw"};

void CheckLoad(const SimTarget& target, const Format& f, int components, bool typed, u64 mask) {
  MemoryWave w(BestHandlers(), target.gfx);
  for (u32 l = 0; l < kLanes; ++l) w->v[2][l] = l * 29 % 64 * 16;
  w.SetResource(4, w.base(), 0, 900);
  // x and w, then what is 1, then y, in a resource; an instruction's format takes them in order.
  const u32 select[4] = {4, 7, 1, 5};
  const u32 selection = typed ? 0 : 4u | 7u << 3 | 1u << 6 | 5u << 9;
  w->s[7] = w.rdna() ? 0x30000000 | f.unified << 12 | selection
                     : f.data << 15 | f.numeric << 12 | selection;
  const u64 exec = mask & w->all_lanes;
  SetScalar64(*w, kExecLo, exec);
  w.Expect();
  const std::vector<u32> widths = Widths(f);
  u32 bits = 0;
  for (const u32 width : widths) bits += width;
  const u32 one = IsInteger(f.number) ? 1 : 0x3f800000;
  for (int l = 0; l < kLanes; ++l) {
    if (!(exec >> l & 1)) continue;
    const u32 at = static_cast<u32>(l) * 29 % 64 * 16 + 4;
    u32 values[4] = {0, 0, 0, one};
    u32 first = 0;
    for (size_t c = 0; c < widths.size(); ++c) {
      u64 raw = 0;
      for (u32 i = 0; i < widths[c]; ++i) {
        const u32 bit = first + i;
        raw |= u64{w.Byte(Storage::kGlobal, l, at + bit / 8) >> bit % 8 & 1u} << i;
      }
      first += widths[c];
      values[c] = Loaded(raw, widths[c], f.number);
    }
    for (int i = 0; i < components; ++i) {
      const u32 s = typed ? static_cast<u32>(4 + i) : select[i];
      const u32 value = s == 1 ? one : values[s - 4];
      w.Row(8 + i, l) = at + bits / 8 <= 900 ? value : 0;
    }
  }
  const std::string registers =
      components == 1 ? "v8" : "v[8:" + std::to_string(7 + components) + "]";
  w.Check(std::string(typed ? "tbuffer" : "buffer") + "_load_format_" + kLetters[components - 1] +
          " " + registers + ", v2, s[4:7], 0" + (typed ? FormatText(target, f) : "") +
          " offen offset:4");
}

// Floats of less than 32 bits are in SmallFloats, which leaves out NaNs: their payload is not
// modelled.
TEST(Formats, Loads) {
  for (const SimTarget& target : kSimTargets) {
    for (const Format& f : kFormats) {
      const bool small_float = std::string(f.number) == "FLOAT" && f.widths[0] == '1';
      if (small_float) continue;
      for (const bool typed : {true, false}) {
        for (int components = 1; components <= 4; ++components) {
          for (const u64 mask : kMasks) CheckLoad(target, f, components, typed, mask);
        }
      }
    }
  }
}

TEST(Formats, SmallFloats) {
  for (const Format& f : kFormats) {
    if (std::string(f.number) != "FLOAT" || f.widths[0] != '1') continue;
    const std::vector<u32> widths = Widths(f);
    for (u32 raw = 0; raw < 1u << widths[0]; raw += 37) {
      const u32 mantissa = widths[0] == 16 ? 10 : widths[0] - 5;
      if ((raw >> mantissa & 31) == 31 && (raw & ((1u << mantissa) - 1)) != 0) continue;  // NaN
      MemoryWave w(BestHandlers(), "gfx1201");
      w.SetResource(4, w.base(), 0, 900);
      w->v[9][0] = raw;
      SetScalar64(*w, kExecLo, 1);
      ASSERT_TRUE(w.Execute("buffer_store_dword v9, off, s[4:7], 0").ok());
      w.Expect();
      w.Row(8, 0) = Loaded(raw, widths[0], "FLOAT");
      w.Check("tbuffer_load_format_x v8, off, s[4:7], 0" + FormatText(kSimTargets[3], f));
      // And back.
      w->v[8][0] = w.Row(8, 0);
      w.Expect();
      w.SetNumber(Storage::kGlobal, 0, 64, 4, raw);
      w.Check("tbuffer_store_format_x v8, off, s[4:7], 0" + FormatText(kSimTargets[3], f) +
              " offset:64");
    }
  }
}

// Stores round to the nearest, and numbers outside the range go to its ends.
TEST(Formats, Stores) {
  const struct {
    const char* format;
    u32 values[4];
    u32 expected;
  } kStores[] = {
      {"8_8_8_8_UNORM",
       {FloatBits(0.5), FloatBits(1.5), FloatBits(-1), FloatBits(254.4 / 255)},
       0xfe00ff80},  // 127.5 goes to the even 128
      {"8_8_8_8_SNORM", {FloatBits(0.5), FloatBits(1.5), FloatBits(-1), FloatBits(-7)}, 0x81817f40},
      {"8_8_8_8_UINT", {3, 255, 256, 0x80000000}, 0xffffff03},
      {"8_8_8_8_SINT", {3, 0xffffff80, 128, 0x80000000}, 0x807f8003},
      {"16_16_FLOAT", {FloatBits(1), FloatBits(-2), 0, 0}, 0xc0003c00},
      {"2_10_10_10_UNORM", {FloatBits(1), 0, FloatBits(1), FloatBits(0.4)}, 0x7ff003ff},
      {"8_8_8_8_SSCALED",
       {FloatBits(3.9), FloatBits(-3.9), FloatBits(300), FloatBits(-300)},
       0x807ffd03},
  };
  for (const auto& c : kStores) {
    MemoryWave w(BestHandlers(), "gfx1100");
    w.SetResource(4, w.base(), 0, 104);
    for (int i = 0; i < 4; ++i) w->v[8 + i][0] = c.values[i];
    SetScalar64(*w, kExecLo, 1);
    w.Expect();
    w.SetNumber(Storage::kGlobal, 0, 100, 4, c.expected);
    const std::string text = std::string("tbuffer_store_format_xyzw v[8:11], off, s[4:7], 0") +
                             " format:[BUF_FMT_" + c.format + "] offset:";
    w.Check(text + "100");
    w.Check(text + "101");  // ends after the range: nothing is written
  }
}

// Halves: two to a register, and one alone, of whose register CDNA makes the other half 0.
TEST(Formats, Halves) {
  for (const SimTarget& target : kSimTargets) {
    MemoryWave w(BestHandlers(), target.gfx);
    w.SetResource(4, w.base(), 0, 900);
    SetScalar64(*w, kExecLo, 1);
    w->v[8][0] = 0xdeadbeef;
    w->v[20][0] = FloatBits(1), w->v[21][0] = FloatBits(-2), w->v[22][0] = FloatBits(0.5);
    w->v[23][0] = FloatBits(65536);
    ASSERT_TRUE(w.Execute("buffer_store_dwordx4 v[20:23], off, s[4:7], 0").ok());
    const Format kFloats = {"32_32_32_32", "FLOAT", 63, 14, 7};
    const std::string format = FormatText(target, kFloats);
    const std::string name = w.rdna() ? "tbuffer_load_d16_format_" : "tbuffer_load_format_d16_";
    w.Expect();
    w.Row(8, 0) = 0xc0003c00;
    w.Row(9, 0) = 0x7c003800;  // 65536 is too large for a half
    w.Check(absl::StrCat(name, "xyzw v[8:9], off, s[4:7], 0", format));
    w->s[7] = w.rdna() ? 0x3003f004 : 0x00077004;
    w.Expect();
    w.Row(8, 0) = w.rdna() ? 0x3c003c00 : 0x3c000000;
    w.Check(std::string(w.rdna() ? "buffer_load_d16_hi_format_x" : "buffer_load_format_d16_hi_x") +
            " v8, off, s[4:7], 0");
    w.Expect();
    w.Row(8, 0) = w.rdna() ? 0x3c003c00 : 0x00003c00;
    w.Check(absl::StrCat(name, "x v8, off, s[4:7], 0", format));
    w.SetNumber(Storage::kGlobal, 0, 64, 4, FloatBits(0.5));
    w.SetNumber(Storage::kGlobal, 0, 68, 4, 0x7f800000);
    const std::string store =
        w.rdna() ? "tbuffer_store_d16_format_xy" : "tbuffer_store_format_d16_xy";
    const Format kTwoFloats = {"32_32", "FLOAT", 50, 11, 7};
    w.Check(store + " v9, off, s[4:7], 0" + FormatText(target, kTwoFloats) + " offset:64");
  }
}

/// The name of a typed access of `components` halves.
std::string HalvesName(const SimTarget& target, const char* operation, int components) {
  const bool rdna = (target.bit & kRdna) != 0;
  return std::string("tbuffer_") + operation + (rdna ? "_d16_format_" : "_format_d16_") +
         kLetters[components - 1];
}

const Format kFloatsOf[] = {{"32", "FLOAT", 22, 4, 7},
                            {"32_32", "FLOAT", 50, 11, 7},
                            {"32_32_32", "FLOAT", 60, 13, 7},
                            {"32_32_32_32", "FLOAT", 63, 14, 7}};
constexpr double kNumbers[] = {1, -2, 0.5, -0.25};
constexpr u32 kAsHalves[] = {0x3c00, 0xc000, 0x3800, 0xb400};

TEST(Formats, HalvesOfEveryCount) {
  for (const SimTarget& target : kSimTargets) {
    for (int components = 1; components <= 4; ++components) {
      const std::string format = FormatText(target, kFloatsOf[components - 1]);
      const std::string registers = components <= 2 ? "v8" : "v[8:9]";
      MemoryWave w(BestHandlers(), target.gfx);
      w.SetResource(4, w.base(), 0, 900);
      SetScalar64(*w, kExecLo, 1);
      for (int i = 0; i < 4; ++i) w->v[20 + i][0] = FloatBits(kNumbers[i]);
      ASSERT_TRUE(w.Execute("buffer_store_dwordx4 v[20:23], off, s[4:7], 0").ok());
      w->v[8][0] = w->v[9][0] = 0xdeadbeef;
      w.Expect();
      for (int i = 0; i < components; ++i) {
        u32& row = w.Row(8 + i / 2, 0);
        if (i % 2 == 0) row = w.rdna() ? row & 0xffff0000 : 0;
        row = i % 2 == 0 ? row | kAsHalves[i] : (row & 0xffff) | kAsHalves[i] << 16;
      }
      w.Check(absl::StrCat(HalvesName(target, "load", components), " ", registers,
                           ", off, s[4:7], 0", format));
      // And back, to elsewhere.
      for (int i = 0; i < components; ++i) {
        w.SetNumber(Storage::kGlobal, 0, 64 + 4 * static_cast<u32>(i), 4, FloatBits(kNumbers[i]));
      }
      w.Check(absl::StrCat(HalvesName(target, "store", components), " ", registers,
                           ", off, s[4:7], 0", format, " offset:64"));
    }
  }
}

TEST(Formats, StoresOfHighHalves) {
  for (const SimTarget& target : kSimTargets) {
    MemoryWave w(BestHandlers(), target.gfx);
    w.SetResource(4, w.base(), 0, 900);
    w->s[7] = w.rdna() ? 0x30016004 : 0x00027004;  // one float, of component x
    SetScalar64(*w, kExecLo, 1);
    w->v[8][0] = 0x3800beef;
    w.Expect();
    w.SetNumber(Storage::kGlobal, 0, 64, 4, FloatBits(0.5));
    w.Check(
        std::string(w.rdna() ? "buffer_store_d16_hi_format_x" : "buffer_store_format_d16_hi_x") +
        " v8, off, s[4:7], 0 offset:64");
  }
}

TEST(Formats, StoresOfTwoAndThreeComponents) {
  const Format kIntegersOf[] = {{"32_32", "UINT", 48, 11, 4}, {"32_32_32", "UINT", 58, 13, 4}};
  for (const SimTarget& target : kSimTargets) {
    for (int components = 2; components <= 3; ++components) {
      MemoryWave w(BestHandlers(), target.gfx);
      w.SetResource(4, w.base(), 0, 900);
      SetScalar64(*w, kExecLo, 1);
      w.Expect();
      for (int i = 0; i < components; ++i)
        w.SetNumber(Storage::kGlobal, 0, 64 + 4 * static_cast<u32>(i), 4, w.Row(8 + i, 0));
      w.Check(std::string("tbuffer_store_format_") + kLetters[components - 1] + " " +
              Registers('v', 8, components) + ", off, s[4:7], 0" +
              FormatText(target, kIntegersOf[components - 2]) + " offset:64");
    }
  }
}

}  // namespace
}  // namespace gridwise::sim
