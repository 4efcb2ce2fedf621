// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/memory_wave.h"
#include "tools/sim/isa/testing/spaces.h"
#include "tools/sim/wave/wave.h"

/// Instructions that only LDS has: two accesses at once, addresses from M0 and the lane, counters,
/// transposing loads, exchanges between lanes; and what lies outside LDS.

namespace gridwise::sim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

// The kth value is at address + offset_k * unit, times 64 for st64.
TEST(Lds, TwoAtOnce) {
  const struct {
    const char* modifiers;
    u32 offset0, offset1;
  } kOffsets[] = {{"", 0, 0},
                  {" offset1:1", 0, 1},
                  {" offset0:3 offset1:2", 3, 2},
                  {" offset0:2 offset1:3", 2, 3}};
  for (const u64 exec : kMasks) {
    for (const u32 dwords : {1u, 2u}) {
      for (const bool strided : {false, true}) {
        for (const auto& offsets : kOffsets) {
          for (const bool load : {false, true}) {
            MemoryWave w;
            const u32 unit = 4 * dwords * (strided ? 64 : 1);
            for (u32 l = 0; l < kLanes; ++l)
              w->v[2][l] = (l * 5 + 3) % 64 * (strided ? 4 * dwords : 24);
            const auto address = w->v[2];
            std::vector<u32> at(address, address + kLanes);
            SpoilInactive(w, exec);
            w.Expect();
            for (int l = 0; l < kLanes; ++l) {
              if (!(exec >> l & 1)) continue;
              for (u32 d = 0; d < 2 * dwords; ++d) {
                const u32 offset = d < dwords ? offsets.offset0 : offsets.offset1;
                const u32 from = at[static_cast<size_t>(l)] + offset * unit + 4 * (d % dwords);
                const int reg = static_cast<int>(d < dwords ? 8 + d : 12 + d - dwords);
                if (load) {
                  w.Row(2 + static_cast<int>(d), l) =
                      static_cast<u32>(w.Number(Storage::kLds, l, from, 4));
                } else {
                  w.SetNumber(Storage::kLds, l, from, 4, w.Row(reg, l));
                }
              }
            }
            const std::string name =
                std::string(strided ? "2st64" : "2") + "_b" + std::to_string(32 * dwords) + " ";
            const int n = static_cast<int>(dwords);
            // The address register is in the destination.
            w.Check((load ? "ds_read" + name + Registers('v', 2, 2 * n) + ", v2"
                          : "ds_write" + name + "v2, " + Registers('v', 8, n) + ", " +
                                Registers('v', 12, n)) +
                    offsets.modifiers);
          }
        }
      }
    }
  }
}

TEST(Lds, AddThreadId) {
  for (const u64 mask : kMasks) {
    MemoryWave w;
    w->s[kM0] = 300;
    const u64 exec = SpoilInactive(w, mask);
    w.Expect();
    for (int l = 0; l < kLanes; ++l) {
      if (exec >> l & 1)
        w.Row(8, l) =
            static_cast<u32>(w.Number(Storage::kLds, l, 316 + 4 * static_cast<u32>(l), 4));
    }
    w.Check("ds_read_addtid_b32 v8 offset:16");
    for (int l = 0; l < kLanes; ++l) {
      if (exec >> l & 1)
        w.SetNumber(Storage::kLds, l, 360 + 4 * static_cast<u32>(l), 4, w.Row(9, l));
    }
    w.Check("ds_write_addtid_b32 v9 offset:60");
  }
}

// Two values are exchanged; the results may go to the registers of the address and of the second
// value.
TEST(Lds, ExchangeTwo) {
  for (const u64 exec : kMasks) {
    for (const u32 dwords : {1u, 2u}) {
      for (const bool strided : {false, true}) {
        MemoryWave w;
        const u32 unit = 4 * dwords * (strided ? 64 : 1);
        u32 address[kLanes];
        for (u32 l = 0; l < kLanes; ++l)
          address[l] = (l * 5 + 3) % 64 * (strided ? 4 * dwords : 24);
        std::copy(address, address + kLanes, w->v[2]);
        SetScalar64(*w, kExecLo, exec);
        w.Expect();
        const int n = static_cast<int>(dwords);
        for (int l = 0; l < kLanes; ++l) {
          if (!(exec >> l & 1)) continue;
          u32 data[4];
          for (int i = 0; i < 2 * n; ++i) data[i] = w.Row(i < n ? 8 + i : 2 + i, l);
          for (int i = 0; i < 2 * n; ++i) {
            const u32 at = address[l] + (i < n ? 2 : 1) * unit + 4 * static_cast<u32>(i % n);
            w.Row(2 + i, l) = static_cast<u32>(w.Number(Storage::kLds, l, at, 4));
            w.SetNumber(Storage::kLds, l, at, 4, data[i]);
          }
        }
        const std::string name = std::string("ds_wrxchg2") + (strided ? "st64" : "") + "_rtn_b" +
                                 std::to_string(32 * dwords) + " ";
        w.Check(name + Registers('v', 2, 2 * n) + ", v2, " + Registers('v', 8, n) + ", " +
                Registers('v', 2 + n, n) + " offset0:2 offset1:1");
      }
    }
  }
}

// The number of active lanes is added or subtracted once; every lane gets the value before that.
TEST(Lds, AppendAndConsume) {
  for (const SimTarget& target : kSimTargets) {
    for (const u64 mask : kMasks) {
      MemoryWave w(BestHandlers(), target.gfx);
      const u64 exec = SpoilInactive(w, mask);
      w->s[kM0] = 0x10000 + 300;  // bits above 15 are something else
      for (const bool append : {true, false}) {
        w.Expect();
        const u64 old = w.Number(Storage::kLds, 0, 320, 4);
        u64 count = 0;
        for (int l = 0; l < kLanes; ++l) {
          if (!(exec >> l & 1)) continue;
          w.Row(8, l) = static_cast<u32>(old);
          ++count;
        }
        w.SetNumber(Storage::kLds, 0, 320, 4, append ? old + count : old - count);
        w.Check(append ? "ds_append v8 offset:20" : "ds_consume v8 offset:20");
      }
    }
  }
}

/// An exchange of elements between lanes that have loaded `bytes` bytes each: element n of lane l
/// is element[l % elements] of lane source(l, n).
struct Transposition {
  const char* gfx;
  const char* text;
  bool global;
  u32 bytes, bits;
  int (*source)(int l, int n);
  int lanes = 0;  // lanes of the wave; 0: as many as the target's waves usually have
};
const Transposition kTranspositions[] = {
    // 16 lanes fetch the rows of a matrix with 16 columns, and lane c of them gets column c: row r
    // is with the lanes r * 16 / elements and up.
    {"gfx950", "ds_read_b64_tr_b16 v[8:9], v2 offset:8", false, 8, 16,
     [](int l, int n) { return (l & ~15) + (l >> 2 & 3) + 4 * n; }},
    {"gfx950", "ds_read_b64_tr_b8 v[8:9], v2 offset:8", false, 8, 8,
     [](int l, int n) { return l / 16 * 16 + (l % 16 < 8 ? 0 : 1) + 2 * n; }},
    {"gfx950", "ds_read_b64_tr_b4 v[8:9], v2 offset:8", false, 8, 4,
     [](int l, int n) { return l / 16 * 16 + n; }},
    {"gfx950", "ds_read_b96_tr_b6 v[8:10], v2 offset:8", false, 12, 6,
     [](int l, int n) { return l / 16 * 16 + n; }},
    // 8 x 8 halves within 8 lanes.
    {"gfx1201", "global_load_tr_b128 v[8:11], v[2:3], off offset:8", true, 16, 16,
     [](int l, int n) { return l / 8 * 8 + n; }},
    // Rows 0..3 and 4..7 of 16 bytes: each four left halves, then four right halves.
    {"gfx1201", "global_load_tr_b64 v[8:9], v[2:3], off offset:8", true, 8, 8,
     [](int l, int n) { return l / 16 * 16 + (n < 4 ? 0 : 8) + (l % 16 < 8 ? 0 : 4) + n % 4; }},
    // The same matrices in a wave64: lanes 0..31 fetch, each lane gets half as much, first lanes
    // 0..31.
    {"gfx1201", "global_load_tr_b128 v[8:9], v[2:3], off offset:8", true, 16, 16,
     [](int l, int n) { return l / 8 * 8 + n; }, 64},
    {"gfx1201", "global_load_tr_b64 v8, v[2:3], off offset:8", true, 8, 8,
     [](int l, int n) { return l / 16 * 16 + (n < 4 ? 0 : 8) + (l % 16 < 8 ? 0 : 4) + n % 4; }, 64},
};

TEST(Lds, TransposingLoads) {
  for (const Transposition& t : kTranspositions) {
    MemoryWave w(BestHandlers(), t.gfx, t.lanes);
    const Storage storage = t.global ? Storage::kGlobal : Storage::kLds;
    const int elements = static_cast<int>(8 * t.bytes / t.bits);
    std::vector<u32> at;
    for (u32 l = 0; l < kLanes; ++l) at.push_back((l * 29 + 7) % kLanes * 20);
    if (t.lanes == 64) std::fill(at.begin() + 32, at.end(), 1u << 30);  // not looked at
    if (t.global) {
      SetWide(w, w.base(), at.data());
    } else {
      SetNarrow(w, 0, at.data());
    }
    w.Expect();
    const auto bit = [&](int lane, int i) {
      const u32 byte = at[static_cast<size_t>(lane)] + 8 + static_cast<u32>(i / 8);
      return w.Byte(storage, lane, byte) >> i % 8 & 1u;
    };
    const int fetching = t.lanes == 64 ? 32 : w.target().wave_size;
    const int registers = static_cast<int>(t.bytes) / 4 / (t.lanes == 64 ? 2 : 1);
    for (int l = 0; l < fetching; ++l) {
      for (int i = 0; i < static_cast<int>(8 * t.bytes); ++i) {
        const int n = i / static_cast<int>(t.bits), within = i % static_cast<int>(t.bits);
        const u32 value = bit(t.source(l, n), l % elements * static_cast<int>(t.bits) + within);
        u32& reg = w.Row(8 + i / 32 % registers, i / 32 < registers ? l : l + 32);
        reg = (reg & ~(1u << i % 32)) | value << i % 32;
      }
    }
    w.Check(t.text);
    SetScalar64(*w, kExecLo, 5);
    EXPECT_EQ(w.Execute(t.text).message(),
              "transposes while some lanes are off, which is not defined");
  }
}

TEST(Exchanges, FetchesInactiveLanes) {
  MemoryWave w(BestHandlers(), "gfx1201");
  SetScalar64(*w, kExecLo, 0x0ff00ff1);
  w.Expect();
  for (int l = 0; l < 32; ++l) {
    if (0x0ff00ff1 >> l & 1) w.Row(8, l) = w.Row(3, static_cast<int>((w.Row(2, l) + 4) / 4 % 32));
  }
  w.Check("ds_bpermute_fi_b32 v8, v2, v3 offset:4");
}

/// Lanes exchange with those of their group: of a wave64 all, on gfx1100 those of their half.
void CheckPermutes(const char* gfx, int lanes, u32 group, u64 mask, u32 offset) {
  MemoryWave w(BestHandlers(), gfx, lanes);  // the addresses in v2 are any bits: they wrap
  const u64 exec = mask & w->all_lanes;
  SetScalar64(*w, kExecLo, exec);
  const std::string modifier = offset == 0 ? "" : " offset:20";
  w.Expect();
  u32 sent[kLanes] = {};
  for (int l = 0; l < lanes; ++l) {
    if (!(exec >> l & 1)) continue;
    const u32 first = static_cast<u32>(l) / group * group;
    const u32 lane = first + (w.Row(2, l) + offset) / 4 % group;
    w.Row(8, l) = exec >> lane & 1 ? w.Row(3, static_cast<int>(lane)) : 0;
    sent[lane] = w.Row(3, l);
  }
  w.Check("ds_bpermute_b32 v8, v2, v3" + modifier);
  for (int l = 0; l < lanes; ++l) w.Row(8, l) = exec >> l & 1 ? sent[l] : w.Row(8, l);
  w.Check("ds_permute_b32 v8, v2, v3" + modifier);
}

TEST(Exchanges, Permutes) {
  const struct {
    const char* gfx;
    int lanes;
    u32 group;
  } kWaves[] = {{"gfx942", 64, 64},  {"gfx950", 64, 64},  {"gfx1100", 32, 32},
                {"gfx1100", 64, 32}, {"gfx1201", 32, 32}, {"gfx1201", 64, 64}};
  for (const auto& wave : kWaves) {
    for (const u64 exec : kMasks) {
      for (const u32 offset : {0u, 20u}) {
        SCOPED_TRACE(testing::Message() << wave.gfx << ", " << wave.lanes << " lanes");
        CheckPermutes(wave.gfx, wave.lanes, wave.group, exec, offset);
      }
    }
  }
}

/// What LLVM selects for a rotation of a wave64 by 32 lanes where ds_bpermute does not reach the
/// other half: bpermute in each half, v_permlane64, and a choice by the lane.
TEST(Exchanges, RotationOfAWave64) {
  for (const u32 by : {1u, 32u}) {
    TestWave wave(BestHandlers(), "gfx1100", 64);
    for (u32 l = 0; l < kLanes; ++l) {
      wave->v[0][l] = 100 + l;
      wave->v[1][l] = (l + by) % kLanes * 4;
      wave->v[2][l] = (l + by) % kLanes / 32 == l / 32 ? 1 : 0;
    }
    ASSERT_TRUE(wave.ExecuteAll({"v_permlane64_b32 v3, v0", "ds_bpermute_b32 v4, v1, v0",
                                 "ds_bpermute_b32 v5, v1, v3", "v_cmp_eq_u32_e32 vcc, 1, v2",
                                 "v_cndmask_b32_e32 v6, v5, v4, vcc"})
                    .ok());
    for (u32 l = 0; l < kLanes; ++l) EXPECT_EQ(wave->v[6][l], 100 + (l + by) % kLanes);
  }
}

TEST(Exchanges, Swizzle) {
  const struct {
    const char* pattern;
    int (*from)(int lane);
  } kCases[] = {
      {"swizzle(QUAD_PERM,3,0,0,1)",
       [](int l) {
         return l / 4 * 4 + (l % 4 == 0 ? 3 : l % 4 == 3 ? 1 : 0);
       }},
      {"swizzle(SWAP,16)", [](int l) { return l % 32 < 16 ? l + 16 : l - 16; }},
      {"swizzle(SWAP,1)", [](int l) { return l % 2 == 0 ? l + 1 : l - 1; }},
      {"swizzle(REVERSE,8)", [](int l) { return l / 8 * 8 + 7 - l % 8; }},
      {"swizzle(BROADCAST,4,2)", [](int l) { return l / 4 * 4 + 2; }},
      {"swizzle(BROADCAST,32,31)", [](int l) { return l / 32 * 32 + 31; }},
      {"swizzle(BITMASK_PERM,\"0p1ip\")",  // bits 4..0: 0, kept, 1, inverted, kept
       [](int l) { return l / 32 * 32 + (l & 9) + 4 + (l & 2 ? 0 : 2); }},
      {"0x1c1f", [](int l) { return l ^ 7; }},  // and 31, or 0, xor 7
      {"0x80b1", [](int l) { return l ^ 1; }},  // quad 1, 0, 3, 2
      {"", [](int l) { return l / 32 * 32; }},
      // Bits of the lane in reverse: of all five, and of the upper three.
      {"swizzle(FFT,0)",
       [](int l) {
         return l / 32 * 32 + (l & 1) * 16 + (l & 2) * 4 + (l & 4) + (l & 8) / 4 + (l & 16) / 16;
       }},
      {"swizzle(FFT,24)",  // the reversed bits 4..2 move down to 2..0, under the kept bits 4 and 3
       [](int l) { return l / 8 * 8 + ((l & 1) * 4 + (l & 2) + (l & 4) / 4); }},
      {"swizzle(ROTATE,0,1)", [](int l) { return l / 32 * 32 + (l + 1) % 32; }},
      {"swizzle(ROTATE,1,3)", [](int l) { return l / 32 * 32 + (l + 29) % 32; }},
  };
  for (const auto& c : kCases) {
    for (const u64 exec : kMasks) {
      MemoryWave w;
      SetScalar64(*w, kExecLo, exec);
      w.Expect();
      for (int l = 0; l < kLanes; ++l) {
        const int from = c.from(l);
        if (exec >> l & 1) w.Row(8, l) = exec >> from & 1 ? w.Row(9, from) : 0;
      }
      const std::string pattern = c.pattern;
      w.Check("ds_swizzle_b32 v8, v9" + (pattern.empty() ? "" : " offset:" + pattern));
    }
  }
}

TEST(Lds, DirectLoad) {
  const struct {
    u32 type, bytes;
    bool is_signed;
  } kTypes[] = {{0, 1, false}, {1, 2, false}, {2, 4, false}, {4, 1, true}, {5, 2, true}};
  for (const auto& type : kTypes) {
    for (const bool gfx12 : {false, true}) {
      for (const u64 mask : kMasks) {
        MemoryWave w(BestHandlers(), gfx12 ? "gfx1201" : "gfx1100");
        const u64 exec = SpoilInactive(w, mask);
        w->s[kM0] = type.type << 16 | 700;
        w.Expect();
        const u32 raw = static_cast<u32>(w.Number(Storage::kLds, 0, 700, type.bytes));
        const u32 sign = 1u << (8 * type.bytes - 1);
        const u32 value = type.is_signed && (raw & sign) != 0 ? raw - 2 * sign : raw;
        for (int l = 0; l < kLanes; ++l) w.Row(8, l) = exec >> l & 1 ? value : w.Row(8, l);
        w.Check(gfx12 ? "ds_direct_load v8 wait_va_vdst:15 wait_vm_vsrc:1"
                      : "lds_direct_load v8 wait_vdst:15");
      }
    }
  }
}

TEST(Faults, TwoAtOnceNamesTheOneOutside) {
  MemoryWave w;
  w.BeObserved();
  for (int l = 0; l < kLanes; ++l) w->v[2][l] = MemoryWave::kBytes - 16;
  EXPECT_TRUE(w.Execute("ds_write2_b64 v2, v[8:9], v[10:11] offset1:1").ok());
  EXPECT_TRUE(w.Execute("ds_read2_b32 v[8:9], v2 offset1:3").ok());
  w.CheckOutsideLds("ds_read2_b32 v[8:9], v2 offset1:4", "reads LDS outside what the workgroup has",
                    0, MemoryWave::kBytes);
}

// Loads that clear registers are no mistake; indices that are too large or below zero are.
TEST(Faults, NotWhereLoadsClearRegisters) {
  MemoryWave w;
  w.BeObserved();
  const auto put = [&](u32 address) {
    for (int l = 0; l < kLanes; ++l) w->v[2][l] = address;
  };
  put(0xf00000);
  w.Expect();
  for (int l = 0; l < kLanes; ++l) w.Row(8, l) = w.Row(9, l) = 0;
  w.Check("ds_read_b64 v[8:9], v2");
  w.CheckOutsideLds("ds_write_b64 v2, v[8:9]", "writes LDS outside what the workgroup has", 0,
                    0xf00000);
  put(0u - 4);
  w.CheckOutsideLds("ds_read_b32 v8, v2", "reads LDS outside what the workgroup has", 0, 0u - 4);
  put(MemoryWave::kBytes);
  w.CheckOutsideLds("ds_read_b32 v8, v2", "reads LDS outside what the workgroup has", 0,
                    MemoryWave::kBytes);
  put(0xf00000);
  w->v[2][7] += 4;
  w.CheckOutsideLds("ds_read_b32 v8, v2", "reads LDS outside what the workgroup has", 0, 0xf00000);
}

/// An instruction at LDS addresses around the end of LDS: `bytes` bytes at address[l] + offset.
struct Straddler {
  const char* text;
  u32 bytes, offset;
  bool loads, stores, flat = false;
};
constexpr Straddler kStraddlers[] = {
    {"ds_read_u8 v8, v2", 1, 0, true, false},
    {"ds_read_b32 v8, v2 offset:8", 4, 8, true, false},
    {"ds_read_b64 v[8:9], v2", 8, 0, true, false},
    {"ds_read_b96 v[8:10], v2", 12, 0, true, false},
    {"ds_read_b128 v[8:11], v2 offset:4", 16, 4, true, false},
    {"ds_write_b8 v2, v8", 1, 0, false, true},
    {"ds_write_b32 v2, v8", 4, 0, false, true},
    {"ds_write_b128 v2, v[8:11]", 16, 0, false, true},
    {"ds_wrxchg_rtn_b32 v8, v2, v8", 4, 0, true, true},
    {"flat_load_dwordx2 v[8:9], v[2:3]", 8, 0, true, false, true},
    {"flat_store_dword v[2:3], v8", 4, 0, false, true, true},
};

/// What hardware does outside check mode: all of a lane's load is 0 if a part of it is outside, and
/// nothing of its store happens. gfx12 looks at each dword, but not of an atomic.
void CheckStraddler(const Straddler& s, const char* gfx) {
  for (const u64 mask : kMasks) {
    MemoryWave w(BestHandlers(), gfx);
    const bool by_dword = w.target().bit == kGfx1201 && !(s.loads && s.stores);
    u32 address[kLanes];
    for (u32 l = 0; l < kLanes; ++l) address[l] = MemoryWave::kBytes - 128 + 4 * (l * 7 % kLanes);
    if (s.flat) SetWide(w, u64{kSharedAperture} << 32, address);
    if (!s.flat) SetNarrow(w, 0, address);
    const u64 exec = SpoilInactive(w, mask);
    w.Expect();
    for (int l = 0; l < kLanes; ++l) {
      if (!(exec >> l & 1)) continue;
      const u32 first = address[l] + s.offset;
      for (u32 done = 0; done < s.bytes; done += 4) {
        const u32 bytes = s.bytes < 4 ? s.bytes : 4;
        const u32 needed = by_dword ? done + bytes : s.bytes;
        const bool inside = first + needed <= MemoryWave::kBytes;
        u32& data = w.Row(8 + static_cast<int>(done / 4), l);
        const u32 stored = data;
        if (s.loads) {
          data = inside ? static_cast<u32>(w.Number(Storage::kLds, l, first + done, bytes)) : 0;
        }
        if (s.stores && inside) w.SetNumber(Storage::kLds, l, first + done, bytes, stored);
      }
    }
    w.Check(s.text);
  }
}

TEST(Lds, OutsideLoadsAreZeroAndStoresAreDropped) {
  for (const char* gfx : {"gfx942", "gfx1201"}) {
    for (const Straddler& s : kStraddlers) {
      SCOPED_TRACE(testing::Message() << s.text << " on " << gfx);
      CheckStraddler(s, gfx);
    }
  }
}

/// The two halves of ds_read2 are accesses of their own, wherever they are.
TEST(Lds, HalvesOutsideApart) {
  for (const char* gfx : {"gfx942", "gfx1201"}) {
    for (const int dwords : {1, 2}) {
      MemoryWave w(BestHandlers(), gfx);
      const int lanes = w.target().wave_size;
      const u32 bytes = 4 * static_cast<u32>(dwords);
      for (int l = 0; l < kLanes; ++l) w->v[2][l] = MemoryWave::kBytes - bytes;
      w.Expect();
      for (int l = 0; l < lanes; ++l) {
        for (int d = 0; d < 2 * dwords; ++d) {
          const u32 at = MemoryWave::kBytes - bytes + 4 * static_cast<u32>(d);
          w.Row(8 + d, l) = d < dwords ? static_cast<u32>(w.Number(Storage::kLds, l, at, 4)) : 0;
        }
      }
      w.Check(dwords == 1 ? "ds_read2_b32 v[8:9], v2 offset1:1"
                          : "ds_read2_b64 v[8:11], v2 offset1:1");
    }
  }
}

/// The address without the instruction's offset says whether it is one of LDS or scratch.
TEST(Faults, FlatAddressesOutsideOfTheirAperture) {
  for (const char* gfx : {"gfx942", "gfx1100", "gfx1201"}) {
    for (const u32 aperture : {kSharedAperture, kPrivateAperture}) {
      MemoryWave w(BestHandlers(), gfx);
      for (int l = 0; l < kLanes; ++l) {
        w->v[2][l] = 0u - 4;
        w->v[3][l] = aperture - 1;
      }
      if (aperture == kPrivateAperture) w->s[kSharedBase + 1] = 0x50000000;
      w.CheckFault("flat_load_dword v8, v[2:3] offset:4", "reads outside every allocation", 0,
                   u64{aperture} << 32);
    }
    MemoryWave w(BestHandlers(), gfx);
    for (int l = 0; l < kLanes; ++l) {
      w->v[2][l] = 40;
      w->v[3][l] = kSharedAperture;
    }
    w.Expect();
    for (int l = 0; l < w.target().wave_size; ++l)
      w.Row(8, l) = static_cast<u32>(w.Number(Storage::kLds, l, 44, 4));
    w.Check("flat_load_dword v8, v[2:3] offset:4");
  }
}

TEST(Lds, OutsideOfAddressesThatAreNotTheLanes) {
  MemoryWave w;
  w->s[kM0] = MemoryWave::kBytes - 128;
  w.Expect();
  for (int l = 0; l < kLanes; ++l) {
    const u32 at = MemoryWave::kBytes - 128 + 4 * static_cast<u32>(l);
    w.Row(8, l) = l < 32 ? static_cast<u32>(w.Number(Storage::kLds, l, at, 4)) : 0;
    if (l < 32) w.SetNumber(Storage::kLds, l, at, 4, w.Row(9, l));
  }
  EXPECT_TRUE(w.Execute("ds_read_addtid_b32 v8").ok());
  w.Check("ds_write_addtid_b32 v9");

  SetScalar64(*w, 4, w.base());
  for (u32 l = 0; l < kLanes; ++l) w->v[2][l] = 4 * l;
  w.Expect();
  for (u32 l = 0; l < 32; ++l) {
    const u64 value = w.Number(Storage::kGlobal, 0, 4 * l, 4);
    w.SetNumber(Storage::kLds, 0, MemoryWave::kBytes - 128 + 4 * l, 4, value);
  }
  w.Check("global_load_lds_dword v2, s[4:5]");

  w->s[kM0] = MemoryWave::kBytes - 3;
  w.Expect();
  for (int l = 0; l < kLanes; ++l) w.Row(8, l) = 0;
  w.Check("ds_append v8");
  w.BeObserved();
  w.CheckOutsideLds("ds_append v8", "writes LDS outside what the workgroup has", -1,
                    MemoryWave::kBytes - 3);

  MemoryWave direct(BestHandlers(), "gfx1100");
  direct->s[kM0] = 2 << 16 | (MemoryWave::kBytes - 3);
  direct.Expect();
  for (int l = 0; l < kLanes; ++l) direct.Row(8, l) = 0;
  direct.Check("lds_direct_load v8 wait_vdst:15");
}

}  // namespace
}  // namespace gridwise::sim
