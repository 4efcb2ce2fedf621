// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/memory_wave.h"
#include "tools/sim/isa/testing/spaces.h"
#include "tools/sim/wave/wave.h"

/// Memory instructions of a form of their own: addresses from the lane, buffer ranges, loads to
/// LDS.

namespace gridwise::sim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

TEST(Global, AddThreadId) {
  for (const u64 mask : kMasks) {
    MemoryWave w(BestHandlers(), "gfx1100");
    const u64 exec = SpoilInactive(w, mask);
    SetScalar64(*w, 4, w.base());
    w.Expect();
    for (int l = 0; l < kLanes; ++l) {
      if (!(exec >> l & 1)) continue;
      const u32 at = 16 + 4 * static_cast<u32>(l);
      w.Row(8, l) = static_cast<u32>(w.Number(Storage::kGlobal, l, at, 4));
    }
    w.Check("global_load_addtid_b32 v8, s[4:5] offset:16");
    for (int l = 0; l < kLanes; ++l) {
      if (exec >> l & 1)
        w.SetNumber(Storage::kGlobal, l, 1020 + 4 * static_cast<u32>(l), 4, w.Row(9, l));
    }
    w.Check("global_store_addtid_b32 v9, s[4:5] offset:1020");
  }
}

/// A buffer access whose lanes are around the end of the range.
struct RangeCase {
  const char* operands;  // after the data
  u32 stride, records;
  u32 scalar;               // s8
  u32 (*at)(u32 lane);      // byte after the base that lane l's access is at
  u32 (*index)(u32 lane);   // v2
  u32 (*offset)(u32 lane);  // v3
  u32 (*dwords_in_range)(u32 lane, u32 dwords);
};

// gfx9: with IDXEN and a stride, index < num_records. Else dword n of an access is in range if
// offsets + 4 * (n + 1) <= num_records.
const RangeCase kRanges[] = {
    {"v3, s[4:7], s8 offen offset:4", 0, 601, 40, [](u32 l) { return 560 + l; }, nullptr,
     [](u32 l) { return 516 + l; },
     [](u32 l, u32 n) {
       u32 count = 0;
       while (count < n && 560 + l + 4 * (count + 1) <= 601) ++count;
       return count;
     }},
    {"v3, s[4:7], s8 offen", 0, 30, 40, [](u32 l) { return 40 + l; }, nullptr,
     [](u32 l) { return l; }, [](u32, u32) { return 0u; }},  // soffset alone is past the end
    {"v3, s[4:7], 0 offen", 0, 1000, 0, [](u32 l) { return 4 * l; }, nullptr,
     [](u32 l) { return l < 10 ? 4 * l : 0xffffff00 + l; },
     [](u32 l, u32 n) { return l < 10 ? n : 0; }},
    {"v[2:3], s[4:7], s8 idxen offen", 20, 31, 40, [](u32 l) { return 40 + 20 * l + l % 7; },
     [](u32 l) { return l; }, [](u32 l) { return l % 7; },
     [](u32 l, u32 n) { return l < 31 ? n : 0; }},
    {"v2, s[4:7], s8 idxen offset:12", 20, 31, 0, [](u32 l) { return 20 * l + 12; },
     [](u32 l) { return l; }, nullptr, [](u32 l, u32 n) { return l < 31 ? n : 0; }},
    {"v[2:3], s[4:7], 0 idxen offen", 0, 100, 0, [](u32 l) { return 2 * l; },
     [](u32 l) { return 3 * l; }, [](u32 l) { return 2 * l; },  // no stride: the index is not used
     [](u32 l, u32 n) {
       u32 count = 0;
       while (count < n && 2 * l + 4 * (count + 1) <= 100) ++count;
       return count;
     }},
};

void CheckRange(const RangeCase& c, u32 dwords, u64 exec, bool load) {
  MemoryWave w;
  w.SetResource(4, w.base() + 16, c.stride, c.records);
  w->s[8] = c.scalar;
  for (u32 l = 0; l < kLanes; ++l) {
    if (c.index != nullptr) w->v[2][l] = c.index(l);
    if (c.offset != nullptr) w->v[3][l] = c.offset(l);
  }
  SetScalar64(*w, kExecLo, exec);
  w.Expect();
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(exec >> l & 1)) continue;
    const int lane = static_cast<int>(l);
    const u32 count = c.dwords_in_range(l, dwords);
    for (u32 d = 0; d < dwords; ++d) {
      const u32 at = 16 + c.at(l) + 4 * d;
      u32& reg = w.Row(static_cast<int>(8 + d), lane);
      if (load) {
        reg = d < count ? static_cast<u32>(w.Number(Storage::kGlobal, lane, at, 4)) : 0;
      } else if (d < count) {
        w.SetNumber(Storage::kGlobal, lane, at, 4, reg);
      }
    }
  }
  w.Check(std::string(load ? "buffer_load_dword" : "buffer_store_dword") +
          Width(static_cast<int>(dwords)) + " " + Registers('v', 8, static_cast<int>(dwords)) +
          ", " + c.operands);
}

TEST(Buffers, RangeIsCheckedByDword) {
  for (const RangeCase& c : kRanges) {
    for (const u32 dwords : {1u, 2u, 3u, 4u}) {
      for (const u64 exec : kMasks) {
        CheckRange(c, dwords, exec, true);
        // Stores of one lane at a time: neighbours overlap.
        for (int l = 0; l < kLanes; l += 9) CheckRange(c, dwords, exec & u64{1} << l, false);
      }
    }
  }
}

// Sub-dword loads are 0 outside; d16 forms do with the other half what they do inside.
TEST(Buffers, RangeOfParts) {
  MemoryWave w;
  w.SetResource(4, w.base(), 0, 31);
  for (u32 l = 0; l < kLanes; ++l) w->v[3][l] = l;
  w.Expect();
  const auto half = [&](int l) {
    return l + 2 <= 31 ? static_cast<u32>(w.Number(Storage::kGlobal, l, static_cast<u32>(l), 2))
                       : 0;
  };
  for (int l = 0; l < kLanes; ++l) w.Row(8, l) = half(l) << 16;
  w.Check("buffer_load_short_d16_hi v8, v3, s[4:7], 0 offen");
  for (int l = 0; l < kLanes; ++l) w.Row(8, l) = half(l);
  w.Check("buffer_load_ushort v8, v3, s[4:7], 0 offen");
  for (int l = 0; l < 31; ++l)
    w.SetNumber(Storage::kGlobal, l, static_cast<u32>(l), 1, w.Row(9, l));
  w.Check("buffer_store_byte v9, v3, s[4:7], 0 offen");
}

// Lane l's dword goes to LDS at M0 + instruction offset + 4 * l; the instruction offset counts for
// the source too. Lanes outside a buffer's range write 0.
TEST(Buffers, LoadToLds) {
  const struct {
    const char* text;
    u32 bytes;
    bool is_signed, global;
  } kCases[] = {{"buffer_load_dword v2, s[4:7], s8 offen offset:12 lds", 4, false, false},
                {"buffer_load_ushort v2, s[4:7], s8 offen offset:12 lds", 2, false, false},
                {"buffer_load_sbyte v2, s[4:7], s8 offen offset:12 lds", 1, true, false},
                {"buffer_load_ubyte v2, s[4:7], s8 offen offset:12 lds", 1, false, false},
                {"buffer_load_sshort v2, s[4:7], s8 offen offset:12 lds", 2, true, false},
                {"global_load_lds_dword v2, s[4:5] offset:12", 4, false, true},
                {"global_load_lds_sshort v2, s[4:5] offset:12", 2, true, true},
                {"global_load_lds_ubyte v2, s[4:5] offset:12", 1, false, true},
                {"global_load_lds_sbyte v2, s[4:5] offset:12", 1, true, true},
                {"global_load_lds_ushort v2, s[4:5] offset:12", 2, false, true},
                {"global_load_dword v2, s[4:5] offset:12 lds", 4, false, true},
                {"global_load_sshort v2, s[4:5] offset:12 lds", 2, true, true},
                {"global_load_lds_dwordx3 v2, s[4:5] offset:12", 12, false, true},
                {"global_load_lds_dwordx4 v2, s[4:5] offset:12", 16, false, true},
                {"buffer_load_dwordx3 v2, s[4:7], s8 offen offset:12 lds", 12, false, false},
                {"buffer_load_dwordx4 v2, s[4:7], s8 offen offset:12 lds", 16, false, false}};
  for (const auto& c : kCases) {
    for (const u64 exec : kMasks) {
      MemoryWave w(BestHandlers(), "gfx950");
      const u32 scalar = c.global ? 0 : 20;
      w.SetResource(4, w.base(), 0, 700);
      if (c.global) SetScalar64(*w, 4, w.base());
      w->s[8] = scalar;
      w->s[kM0] = 512;
      for (u32 l = 0; l < kLanes; ++l) w->v[2][l] = (l * 29 + 7) % 64 * 14;
      std::vector<u32> offset(w->v[2], w->v[2] + kLanes);
      SpoilInactive(w, exec);
      w.Expect();
      for (int l = 0; l < kLanes; ++l) {
        if (!(exec >> l & 1)) continue;
        const u32 at = offset[static_cast<size_t>(l)] + scalar + 12;
        const u32 bytes = c.bytes < 4 ? c.bytes : 4;
        for (u32 done = 0; done < c.bytes; done += 4) {
          const bool inside = c.global || at + done + bytes <= 700;
          u32 value =
              inside ? static_cast<u32>(w.Number(Storage::kGlobal, l, at + done, bytes)) : 0;
          if (c.is_signed && (value >> (8 * bytes - 1) & 1)) value |= ~0u << (8 * bytes);
          const u32 lane_bytes = c.bytes > 4 ? 16 : 4;
          w.SetNumber(Storage::kLds, l, 524 + lane_bytes * static_cast<u32>(l) + done, 4, value);
        }
      }
      w.Check(c.text);
    }
  }
}

/// The resource by which gfx90a reaches scratch: dwords of a lane are 64 dwords apart, lanes follow
/// by their numbers, and the scalar offset counts bytes of all lanes.
void SetScratchResource(MemoryWave& w, int reg) {
  const auto base = reinterpret_cast<u64>(w->scratch);
  w->s[reg] = static_cast<u32>(base);
  w->s[reg + 1] = static_cast<u32>(base >> 32) | 1u << 31;
  w->s[reg + 2] = MemoryWave::kBytes * kLanes;
  w->s[reg + 3] = 3u << 21 | 1u << 23;
}

TEST(Buffers, ReachScratch) {
  for (const u64 mask : kMasks) {
    MemoryWave w(BestHandlers(), "gfx90a");
    SetScratchResource(w, 4);
    w->s[8] = 3 * 256;  // 12 bytes of each lane
    for (u32 l = 0; l < kLanes; ++l) w->v[2][l] = l * 29 % 64 * 20 + 1;
    std::vector<u32> at(w->v[2], w->v[2] + kLanes);
    for (u32& address : at) address += 12 + 20;
    const u64 exec = SpoilInactive(w, mask);
    const auto for_lanes = [&](auto expect) {
      w.Expect();
      for (int l = 0; l < kLanes; ++l) {
        if ((exec >> l & 1) != 0) expect(l, at[static_cast<size_t>(l)]);
      }
    };
    for_lanes([&](int l, u32 address) {
      for (int d = 0; d < 4; ++d)
        w.Row(8 + d, l) =
            static_cast<u32>(w.Number(Storage::kScratch, l, address + 4 * static_cast<u32>(d), 4));
    });
    w.Check("buffer_load_dwordx4 v[8:11], v2, s[4:7], s8 offen offset:20");
    for_lanes([&](int l, u32 address) {
      w.Row(8, l) = static_cast<u32>(w.Number(Storage::kScratch, l, address, 2));
    });
    w.Check("buffer_load_ushort v8, v2, s[4:7], s8 offen offset:20");
    for_lanes([&](int l, u32 address) {
      w.SetNumber(Storage::kScratch, l, address, 4, w->v[9][l]);
      w.SetNumber(Storage::kScratch, l, address + 4, 4, w->v[10][l]);
    });
    w.Check("buffer_store_dwordx2 v[9:10], v2, s[4:7], s8 offen offset:20");
    for_lanes([&](int l, u32) { w.SetNumber(Storage::kScratch, l, 36, 4, w->v[12][l]); });
    w.Check("buffer_store_dword v12, off, s[4:7], s8 offset:24");
  }
}

TEST(Buffers, OutsideOfScratch) {
  MemoryWave w(BestHandlers(), "gfx90a");
  SetScratchResource(w, 4);
  w.CheckFault("buffer_load_dword v8, off, s[4:7], 0 offset:2045",
               "reads outside the lane's scratch", 63, 2045);
  w->s[8] = 4;
  EXPECT_EQ(w.Execute("buffer_load_dword v8, off, s[4:7], s8").message(),
            "has a scalar offset into scratch that is no multiple of 256");
}

// From scratch to LDS.
TEST(Lds, LoadFromScratch) {
  const struct {
    const char* name;
    u32 bytes;
    bool is_signed;
  } kCases[] = {{"ubyte", 1, false},
                {"sbyte", 1, true},
                {"ushort", 2, false},
                {"sshort", 2, true},
                {"dword", 4, false}};
  for (const auto& c : kCases) {
    for (const u64 mask : kMasks) {
      MemoryWave w;
      w->s[kM0] = 512;
      for (u32 l = 0; l < kLanes; ++l) w->v[2][l] = l * 29 % 64 * 20 + 1;
      std::vector<u32> at(w->v[2], w->v[2] + kLanes);
      const u64 exec = SpoilInactive(w, mask);
      w.Expect();
      for (int l = 0; l < kLanes; ++l) {
        if (!(exec >> l & 1)) continue;
        const u32 offset = at[static_cast<size_t>(l)] + 4;
        auto value = static_cast<u32>(w.Number(Storage::kScratch, l, offset, c.bytes));
        if (c.is_signed && (value >> (8 * c.bytes - 1) & 1)) value |= ~0u << (8 * c.bytes);
        w.SetNumber(Storage::kLds, l, 516 + 4 * static_cast<u32>(l), 4, value);
      }
      w.Check(std::string("scratch_load_lds_") + c.name + " v2, off offset:4");
    }
  }
}

}  // namespace
}  // namespace gridwise::sim
