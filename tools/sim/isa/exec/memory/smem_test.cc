// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/memory_wave.h"
#include "tools/sim/isa/testing/spaces.h"
#include "tools/sim/wave/wave.h"

/// Scalar loads, stores and atomics.

namespace gridwise::sim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

struct ScalarWidth {
  const char *gfx9, *rdna;  // after "s_load_"; null: the target has none
  int dwords;
};
constexpr ScalarWidth kScalarWidths[] = {
    {"dword", "b32", 1},    {"dwordx2", "b64", 2},  {nullptr, "b96", 3},
    {"dwordx4", "b128", 4}, {"dwordx8", "b256", 8}, {"dwordx16", "b512", 16},
};
const char* NameOn(const SimTarget& target, const ScalarWidth& width) {
  if (target.bit == kGfx1100 && width.dwords == 3) return nullptr;
  return (target.bit & kRdna) != 0 ? width.rdna : width.gfx9;
}

void CheckScalarWidth(const SimTarget& target, const std::string& name, int dwords) {
  const struct {
    const char* offset;
    int64_t bytes;
  } kOffsets[] = {
      {"0x0", 0},   {"0x64", 100}, {"-0x40", -64}, {"s6", 1000}, {"s6 offset:0x10", 1016},
      {"0x66", 100}};  // the last two bits drop
  const std::string text = "s_load_" + name + " " + Registers('s', 16, dwords) + ", s[4:5], ";
  for (const auto& offset : kOffsets) {
    MemoryWave w(BestHandlers(), target.gfx);
    SetScalar64(*w, 4, w.base() + 256);
    w->s[6] = 1000;
    w.Expect();
    for (int d = 0; d < dwords; ++d) {
      w.scalars[16 + static_cast<size_t>(d)] = static_cast<u32>(
          w.Number(Storage::kGlobal, 0, static_cast<u32>(256 + offset.bytes + 4 * d), 4));
    }
    w.Check(text + offset.offset);
  }
  MemoryWave w(BestHandlers(), target.gfx);
  const u64 bytes = 4 * static_cast<u64>(dwords);
  SetScalar64(*w, 4, w.base() + MemoryWave::kBytes - bytes);
  EXPECT_TRUE(w.Execute(text + "0x0").ok());
  w.CheckFault(text + "0x4", "reads outside every allocation", -1,
               w.base() + MemoryWave::kBytes - bytes + 4);
}

TEST(ScalarLoads, EveryWidth) {
  for (const SimTarget& target : kSimTargets) {
    for (const ScalarWidth& width : kScalarWidths) {
      const char* name = NameOn(target, width);
      if (name != nullptr) CheckScalarWidth(target, name, width.dwords);
    }
  }
}

// Loads of less than a dword: any multiple of the size is an address; outside a buffer they give 0.
TEST(ScalarLoads, Parts) {
  const struct {
    const char* name;
    u32 bytes;
    bool is_signed;
  } kParts[] = {{"u8", 1, false}, {"i8", 1, true}, {"u16", 2, false}, {"i16", 2, true}};
  for (const auto& part : kParts) {
    for (u32 offset = 90; offset < 110; ++offset) {
      MemoryWave w(BestHandlers(), "gfx1201");
      SetScalar64(*w, 4, w.base() + 256);
      w.SetResource(8, w.base() + 256, 0, 101);
      w.Expect();
      const u32 at = offset / part.bytes * part.bytes;
      const auto raw = static_cast<u32>(w.Number(Storage::kGlobal, 0, 256 + at, part.bytes));
      const u32 sign = 1u << (8 * part.bytes - 1);
      const u32 value = part.is_signed && (raw & sign) != 0 ? raw - 2 * sign : raw;
      w.scalars[16] = value;
      const std::string operand = std::to_string(offset);
      w.Check(std::string("s_load_") + part.name + " s16, s[4:5], " + operand);
      w.scalars[16] = at + part.bytes <= 101 ? value : 0;
      w.Check(std::string("s_buffer_load_") + part.name + " s16, s[8:11], " + operand);
    }
  }
}

TEST(ScalarStores, WriteMemory) {
  for (const int dwords : {1, 2, 4}) {
    MemoryWave w;
    SetScalar64(*w, 4, w.base());
    w.SetResource(8, w.base(), 0, 110);
    const std::string data = Registers('s', 16, dwords);
    w.Expect();
    for (u32 d = 0; d < static_cast<u32>(dwords); ++d)
      w.SetNumber(Storage::kGlobal, 0, 200 + 4 * d, 4, w.scalars[16 + d]);
    w.Check("s_store_dword" + Width(dwords) + " " + data + ", s[4:5], 0xc8");
    for (u32 d = 0; d < static_cast<u32>(dwords); ++d) {
      if (100 + 4 * (d + 1) <= 110)
        w.SetNumber(Storage::kGlobal, 0, 100 + 4 * d, 4, w.scalars[16 + d]);
    }
    w.Check("s_buffer_store_dword" + Width(dwords) + " " + data + ", s[8:11], 0x64");
  }
}

TEST(ScalarAtomics, EveryOperation) {
  const struct {
    const char* name;
    u64 (*update)(u64 old, u64 a, bool wide);
  } kAtomics[] = {
      {"swap", [](u64, u64 a, bool) { return a; }},
      {"add", [](u64 old, u64 a, bool) { return old + a; }},
      {"sub", [](u64 old, u64 a, bool) { return old - a; }},
      {"umin", [](u64 old, u64 a, bool) { return std::min(old, a); }},
      {"umax", [](u64 old, u64 a, bool) { return std::max(old, a); }},
      {"smin",
       [](u64 old, u64 a, bool wide) {
         const u64 sign = wide ? u64{1} << 63 : u64{1} << 31;
         return (old ^ sign) < (a ^ sign) ? old : a;
       }},
      {"smax",
       [](u64 old, u64 a, bool wide) {
         const u64 sign = wide ? u64{1} << 63 : u64{1} << 31;
         return (old ^ sign) < (a ^ sign) ? a : old;
       }},
      {"and", [](u64 old, u64 a, bool) { return old & a; }},
      {"or", [](u64 old, u64 a, bool) { return old | a; }},
      {"xor", [](u64 old, u64 a, bool) { return old ^ a; }},
      {"inc", [](u64 old, u64 a, bool) { return old < a ? old + 1 : 0; }},
      {"dec", [](u64 old, u64 a, bool) { return old != 0 && old <= a ? old - 1 : a; }},
  };
  for (const auto& atomic : kAtomics) {
    for (const int dwords : {1, 2}) {
      for (const bool buffer : {false, true}) {
        MemoryWave w;
        SetScalar64(*w, 4, w.base());
        w.SetResource(8, w.base(), 0, 256);
        for (const bool returns : {false, true}) {
          w.Expect();
          const u32 bytes = static_cast<u32>(4 * dwords);
          const u64 old = w.Number(Storage::kGlobal, 0, 200, bytes);
          const u64 a = w.scalars[16] | (dwords == 2 ? u64{w.scalars[17]} << 32 : 0);
          w.SetNumber(Storage::kGlobal, 0, 200, bytes, atomic.update(old, a, dwords == 2));
          if (returns) w.scalars[16] = static_cast<u32>(old);
          if (returns && dwords == 2) w.scalars[17] = static_cast<u32>(old >> 32);
          w.Check(std::string(buffer ? "s_buffer_atomic_" : "s_atomic_") + atomic.name +
                  (dwords == 2 ? "_x2 " : " ") + Registers('s', 16, dwords) +
                  (buffer ? ", s[8:11], 0xc8" : ", s[4:5], 0xc8") + (returns ? " glc" : ""));
        }
      }
    }
  }
}

// The new value comes first, what to compare with after it.
TEST(ScalarAtomics, CompareSwap) {
  for (const u32 dwords : {1u, 2u}) {
    for (const bool buffer : {false, true}) {
      for (const bool equal : {true, false}) {
        MemoryWave w;
        SetScalar64(*w, 4, w.base());
        w.SetResource(8, w.base(), 0, 256);
        w.Expect();
        const u64 old = w.Number(Storage::kGlobal, 0, 200, 4 * dwords);
        for (u32 d = 0; d < dwords; ++d) w->s[16 + dwords + d] = static_cast<u32>(old >> 32 * d);
        w->s[16 + 2 * dwords - 1] += equal ? 0 : 1;  // the last dword counts, too
        w.Expect();
        for (u32 d = 0; d < dwords; ++d) {
          if (equal) w.SetNumber(Storage::kGlobal, 0, 200 + 4 * d, 4, w.scalars[16 + d]);
          w.scalars[16 + d] = static_cast<u32>(old >> 32 * d);
        }
        w.Check(std::string(buffer ? "s_buffer_atomic_cmpswap" : "s_atomic_cmpswap") +
                (dwords == 2 ? "_x2 " : " ") + Registers('s', 16, static_cast<int>(2 * dwords)) +
                (buffer ? ", s[8:11], 0xc8 glc" : ", s[4:5], 0xc8 glc"));
      }
    }
  }
}

// What only caches notice.
TEST(ScalarLoads, HintsDoNothing) {
  MemoryWave w(BestHandlers(), "gfx1201");
  w.Expect();
  for (const char* text :
       {"s_prefetch_data s[2:3], 100, s10, 7", "s_prefetch_inst s[2:3], 0x7f, m0, 31",
        "s_prefetch_data_pc_rel 100, s10, 7", "s_buffer_prefetch_data s[4:7], 100, s10, 7",
        "global_inv scope:SCOPE_DEV", "global_wb scope:SCOPE_SYS", "global_wbinv scope:SCOPE_SE"})
    w.Check(text);
}

TEST(ScalarLoads, DestinationMayHoldTheAddress) {
  MemoryWave w;
  SetScalar64(*w, 4, w.base());
  w.Expect();
  for (u32 d = 0; d < 4; ++d)
    w.scalars[4 + d] = static_cast<u32>(w.Number(Storage::kGlobal, 0, 32 + 4 * d, 4));
  w.Check("s_load_dwordx4 s[4:7], s[4:5], 0x20");
}

// Low bits of address and offsets count together, or each by itself: a difference is noted.
TEST(ScalarLoads, NoteLowBitsThatAddUp) {
  const struct {
    u32 base, scalar;
    const char* text;
    int noted;
  } cases[] = {
      {0, 0, "s_load_dword s16, s[4:5], s6 offset:0x10", 0},
      {3, 0, "s_load_dword s16, s[4:5], s6 offset:0x10", 0},
      {0, 3, "s_load_dword s16, s[4:5], s6 offset:0x10", 0},
      {2, 1, "s_load_dword s16, s[4:5], s6 offset:0x10", 0},
      {3, 1, "s_load_dword s16, s[4:5], s6 offset:0x10", 1},
      {2, 1, "s_load_dword s16, s[4:5], s6 offset:0x11", 1},
      {0, 2, "s_buffer_load_dword s16, s[8:11], s6 offset:0x12", 1},
      {0, 2, "s_buffer_load_dword s16, s[8:11], s6 offset:0x11", 0},
  };
  for (const auto& c : cases) {
    MemoryWave w;
    SetScalar64(*w, 4, w.base() + c.base);
    w.SetResource(8, w.base(), 0, 64);
    w->s[6] = c.scalar;
    static int noted;
    noted = 0;
    w->not_known = [](Wave&, const Uop&) { ++noted; };
    ASSERT_TRUE(w.Execute(c.text).ok());
    EXPECT_EQ(noted, c.noted) << c.text;
  }
}

TEST(ScalarLoads, ThreeDwordsOfABuffer) {
  MemoryWave w(BestHandlers(), "gfx1201");
  w.SetResource(8, w.base(), 0, 112);
  w.Expect();
  for (u32 d = 0; d < 3; ++d) {
    w.scalars[16 + d] =
        100 + 4 * d < 112 ? static_cast<u32>(w.Number(Storage::kGlobal, 0, 100 + 4 * d, 4)) : 0;
  }
  w.Check("s_buffer_load_b96 s[16:18], s[8:11], 0x64");
}

// Dwords that end past num_records, or past num_records times the stride, are 0.
TEST(ScalarLoads, BufferRange) {
  for (const int dwords : {1, 2, 4, 8, 16}) {
    for (const u32 stride : {0u, 16u}) {
      for (const u32 bytes : {0u, 96u, 111u, 112u, 130u, 1024u}) {
        for (const bool in_register : {false, true}) {
          MemoryWave w;
          w.SetResource(8, w.base() + 64, stride, stride == 0 ? bytes : bytes / stride);
          const u32 range = stride == 0 ? bytes : bytes / stride * stride;
          w->s[6] = 100;
          w.Expect();
          for (u32 d = 0; d < static_cast<u32>(dwords); ++d) {
            const u32 at = 100 + 4 * d;
            w.scalars[16 + d] =
                at + 4 <= range ? static_cast<u32>(w.Number(Storage::kGlobal, 0, 64 + at, 4)) : 0;
          }
          w.Check("s_buffer_load_dword" + Width(dwords) + " " + Registers('s', 16, dwords) +
                  ", s[8:11], " + (in_register ? "s6" : "0x64"));
        }
      }
    }
  }
}

}  // namespace
}  // namespace gridwise::sim
