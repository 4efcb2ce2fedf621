// SPDX-License-Identifier: MIT
#include <cstdint>
#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/memory_wave.h"
#include "tools/sim/isa/testing/spaces.h"
#include "tools/sim/wave/wave.h"

/// Buffer resources of every kind against a model of one dword's address.

namespace gridwise::sim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

/// A resource, and how an instruction uses it.
struct Case {
  const char* name;
  uint8_t targets;
  bool idxen;
  u32 stride, records;
  u32 swizzle;      // word 1, bits 31:30
  u32 index_group;  // 8, 16, 32, 64
  bool add_thread_id;
  u32 check;   // RDNA: OOB_SELECT
  u32 scalar;  // soffset
};

const Case kCases[] = {
    {"by the byte", kAllTargets, false, 0, 601, 0, 8, false, 3, 40},
    {"soffset past the end", kAllTargets, false, 0, 30, 0, 8, false, 3, 40},
    {"by the record", kAllTargets, true, 20, 31, 0, 8, false, 1, 40},
    {"no stride", kGfx9, true, 0, 40, 0, 8, false, 0, 4},
    {"threads", kAllTargets, false, 20, 1000, 0, 8, true, 3, 40},
    {"threads, unchecked", kGfx9, false, 20, 0, 0, 8, true, 0, 40},
    {"index, threads left out", kGfx9, true, 20, 31, 0, 8, true, 0, 0},
    {"threads, swizzled", kGfx9, false, 20, 0, 2, 64, true, 0, 12},
    {"index and threads, swizzled", kGfx9, true, 8, 20, 2, 16, true, 0, 12},
    {"swizzle bit without threads", kGfx9, true, 20, 31, 2, 8, false, 0, 0},
    {"record and its bytes", kRdna, true, 20, 31, 0, 8, false, 0, 40},
    {"no records", kRdna, true, 20, 0, 0, 8, false, 2, 0},
    {"some records", kRdna, true, 20, 1, 0, 8, false, 2, 0},
    {"indexed bytes", kRdna, true, 20, 701, 0, 8, false, 3, 40},
    {"by the record, swizzled", kRdna, true, 24, 31, 1, 16, false, 1, 4},
    {"record and its bytes, swizzled", kRdna, true, 24, 31, 1, 8, false, 0, 4},
    {"record and its bytes, swizzled by 16", kRdna, true, 24, 31, 3, 8, false, 0, 4},
    {"swizzled by 16 bytes", kRdna, true, 32, 31, 3, 8, false, 1, 4},
    {"threads, swizzled", kRdna, false, 24, 0, 1, 32, true, 2, 4},
    {"threads, swizzled, unchecked", kRdna, false, 24, 1, 1, 32, true, 2, 4},
    {"swizzle without an index", kRdna, false, 24, 500, 1, 8, false, 3, 4},
    {"swizzled, by record of the bytes", kRdna, true, 24, 31, 1, 8, false, 3, 4},
};

/// Byte after the base of the dword at `offset` of a record, or nothing.
std::optional<u32> Address(const Case& c, bool rdna, u32 lane, u32 index, u32 offset) {
  u32 record = c.idxen ? index : 0;
  bool swizzled, inside;
  if (rdna) {
    if (!c.idxen && c.add_thread_id) record = lane;
    swizzled = c.swizzle != 0 && (c.idxen || c.add_thread_id);
    const u32 records =
        c.check == 3 ? (c.records > c.scalar ? c.records - c.scalar : 0) : c.records;
    const bool in_record = offset + 4 <= c.stride;
    inside = c.check == 0   ? record < records && in_record
             : c.check == 1 ? record < records
             : c.check == 2 ? records > 0
             : swizzled     ? record < records && in_record
                            : record * c.stride + offset + 4 <= records;
  } else {
    swizzled = c.swizzle >= 2 && c.add_thread_id;
    if (c.add_thread_id && (swizzled || !c.idxen)) record += lane;
    inside = c.add_thread_id && !c.idxen ? true
             : c.idxen && c.stride != 0  ? index < c.records
                                         : offset + c.scalar + 4 <= c.records;
  }
  if (!inside) return std::nullopt;
  if (!swizzled) return c.scalar + record * c.stride + offset;
  // Groups of records; in a group, the first pieces of all, then the second ones, ...
  const u32 piece = rdna && c.swizzle == 3 ? 16 : 4;
  const u32 of_group = record / c.index_group * c.index_group * c.stride;
  return c.scalar + of_group + (offset / piece * c.index_group + record % c.index_group) * piece +
         offset % piece;
}

void Check(const SimTarget& target, const Case& c, u32 dwords, u64 mask, bool load) {
  SCOPED_TRACE(std::string(target.gfx) + ", " + c.name);
  MemoryWave w(BestHandlers(), target.gfx);
  w.SetResource(4, w.base() + 16, c.stride, c.records);
  const u32 group_bits = c.index_group == 8    ? 0
                         : c.index_group == 16 ? 1
                         : c.index_group == 32 ? 2
                                               : 3;
  w->s[5] |= c.swizzle << 30;
  w->s[7] = group_bits << 21 | (c.add_thread_id ? 1u << 23 : 0) |
            (w.rdna() ? 0x01004000 | c.check << 28 : 0);
  w->s[8] = c.scalar;
  const auto index = [](u32 l) { return l % 32; };
  const auto offset = [&](u32 l) { return c.stride == 0 ? l * 9 / 4 * 4 : l % 3 * 4; };
  const u32 immediate = 4;
  for (u32 l = 0; l < kLanes; ++l) {
    w->v[2][l] = c.idxen ? index(l) : offset(l);
    w->v[3][l] = offset(l);
  }
  const u64 exec = mask & w->all_lanes;
  SetScalar64(*w, kExecLo, exec);
  static int not_known;
  not_known = 0;
  w->not_known = [](Wave&, const Uop&) { ++not_known; };
  w.Expect();
  for (u32 l = 0; l < kLanes; ++l) {
    if (!(exec >> l & 1)) continue;
    const int lane = static_cast<int>(l);
    for (u32 d = 0; d < dwords; ++d) {
      const std::optional<u32> at =
          Address(c, w.rdna(), l, index(l), offset(l) + immediate + 4 * d);
      u32& reg = w.Row(static_cast<int>(8 + d), lane);
      if (load) {
        reg = at ? static_cast<u32>(w.Number(Storage::kGlobal, lane, 16 + *at, 4)) : 0;
      } else if (at) {
        w.SetNumber(Storage::kGlobal, lane, 16 + *at, 4, reg);
      }
    }
  }
  const std::string data = dwords == 1 ? "v8" : "v[8:" + std::to_string(7 + dwords) + "]";
  const std::string width = dwords == 1 ? "" : "x" + std::to_string(dwords);
  w.Check(std::string("buffer_") + (load ? "load" : "store") + "_dword" + width + " " + data +
          ", " + (c.idxen ? "v[2:3], s[4:7], s8 idxen offen" : "v2, s[4:7], s8 offen") +
          " offset:4");
  const bool open = !w.rdna() && c.swizzle >= 2 && !c.add_thread_id;
  EXPECT_EQ(not_known, open ? 1 : 0);
}

TEST(Buffers, Resources) {
  for (const SimTarget& target : kSimTargets) {
    for (const Case& c : kCases) {
      if ((c.targets & target.bit) == 0) continue;
      for (const u32 dwords : {1u, 2u, 3u, 4u}) {
        for (const u64 mask : kMasks) Check(target, c, dwords, mask, true);
        // Stores of one lane at a time: neighbours may overlap.
        for (int l = 0; l < kLanes; l += 7) Check(target, c, dwords, u64{1} << l, false);
      }
    }
  }
}

// An atomic on a swizzled buffer finds its bytes.
TEST(Buffers, SwizzledAtomic) {
  MemoryWave w;
  w.SetResource(4, w.base(), 8, 0);
  w->s[5] |= 1u << 31;
  w->s[7] = 3u << 21 | 1u << 23;
  w.Expect();
  for (int l = 0; l < kLanes; ++l) {
    const u32 at = 256 + 4 * static_cast<u32>(l);
    const u64 old = w.Number(Storage::kGlobal, l, at, 4);
    w.SetNumber(Storage::kGlobal, l, at, 4, old + w.Row(9, l));
  }
  w.Check("buffer_atomic_add v9, off, s[4:7], 0 offset:4");
}

}  // namespace
}  // namespace gridwise::sim
