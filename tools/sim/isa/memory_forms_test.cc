#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tools/sim/isa/bind.h"
#include "tools/sim/isa/memory_wave.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/machine/wave.h"

/// Memory instructions of a form of their own: scalar loads, two LDS accesses at once, exchanges
/// between lanes, buffer ranges, loads to LDS.

namespace gridwise::sim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

std::string Registers(char file, int first, int dwords) {
  const std::string name = std::to_string(first);
  if (dwords == 1) return file + name;
  return std::string(1, file) + "[" + name + ":" + std::to_string(first + dwords - 1) + "]";
}
std::string Width(int dwords) { return dwords == 1 ? "" : "x" + std::to_string(dwords); }

struct ScalarWidth {
  const char *gfx9, *rdna;  // behind "s_load_"; null: the target has none
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
    MemoryWave w(Handlers::Best(), target.gfx);
    SetScalar64(*w, 4, w.base() + 256);
    w->s[6] = 1000;
    w.Expect();
    for (int d = 0; d < dwords; ++d) {
      w.scalars[static_cast<size_t>(16 + d)] = static_cast<u32>(
          w.Number(Storage::kGlobal, 0, static_cast<u32>(256 + offset.bytes + 4 * d), 4));
    }
    w.Check(text + offset.offset);
  }
  MemoryWave w(Handlers::Best(), target.gfx);
  const u64 bytes = static_cast<u64>(4 * dwords);
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

// Of less than a dword: from any address that is a multiple of the size, and 0 outside a buffer.
TEST(ScalarLoads, Parts) {
  const struct {
    const char* name;
    u32 bytes;
    bool is_signed;
  } kParts[] = {{"u8", 1, false}, {"i8", 1, true}, {"u16", 2, false}, {"i16", 2, true}};
  for (const auto& part : kParts) {
    for (u32 offset = 90; offset < 110; ++offset) {
      MemoryWave w(Handlers::Best(), "gfx1201");
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

// The new value comes first, what to compare with behind it.
TEST(ScalarAtomics, CompareSwap) {
  for (const bool equal : {true, false}) {
    MemoryWave w;
    SetScalar64(*w, 4, w.base());
    w.Expect();
    w->s[17] = static_cast<u32>(w.Number(Storage::kGlobal, 0, 200, 4)) + (equal ? 0 : 1);
    w.Expect();
    const u64 old = w.Number(Storage::kGlobal, 0, 200, 4);
    if (equal) w.SetNumber(Storage::kGlobal, 0, 200, 4, w.scalars[16]);
    w.scalars[16] = static_cast<u32>(old);
    w.Check("s_atomic_cmpswap s[16:17], s[4:5], 0xc8 glc");
  }
}

// What only caches notice.
TEST(ScalarLoads, HintsDoNothing) {
  MemoryWave w(Handlers::Best(), "gfx1201");
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
      MemoryWave w(Handlers::Best(), target.gfx);
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
};

TEST(Lds, TransposingLoads) {
  for (const Transposition& t : kTranspositions) {
    MemoryWave w(Handlers::Best(), t.gfx);
    const Storage storage = t.global ? Storage::kGlobal : Storage::kLds;
    const int elements = static_cast<int>(8 * t.bytes / t.bits);
    std::vector<u32> at;
    for (u32 l = 0; l < kLanes; ++l) at.push_back((l * 29 + 7) % kLanes * 20);
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
    for (int l = 0; l < w.target().wave_size; ++l) {
      for (int i = 0; i < static_cast<int>(8 * t.bytes); ++i) {
        const int n = i / static_cast<int>(t.bits), within = i % static_cast<int>(t.bits);
        const u32 value = bit(t.source(l, n), l % elements * static_cast<int>(t.bits) + within);
        u32& reg = w.Row(8 + i / 32, l);
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
  MemoryWave w(Handlers::Best(), "gfx1201");
  SetScalar64(*w, kExecLo, 0x0ff00ff1);
  w.Expect();
  for (int l = 0; l < 32; ++l) {
    if (0x0ff00ff1 >> l & 1) w.Row(8, l) = w.Row(3, static_cast<int>((w.Row(2, l) + 4) / 4 % 32));
  }
  w.Check("ds_bpermute_fi_b32 v8, v2, v3 offset:4");
}

TEST(Exchanges, Permutes) {
  for (const u64 exec : kMasks) {
    for (const u32 offset : {0u, 20u}) {
      MemoryWave w;  // the addresses in v2 are any bits: they wrap at the wave's 64 lanes
      SetScalar64(*w, kExecLo, exec);
      const std::string modifier = offset == 0 ? "" : " offset:20";
      w.Expect();
      u32 sent[kLanes] = {};
      for (int l = 0; l < kLanes; ++l) {
        if (!(exec >> l & 1)) continue;
        const u32 lane = (w.Row(2, l) + offset) % 256 / 4;
        w.Row(8, l) = exec >> lane & 1 ? w.Row(3, static_cast<int>(lane)) : 0;
        sent[lane] = w.Row(3, l);
      }
      w.Check("ds_bpermute_b32 v8, v2, v3" + modifier);
      for (int l = 0; l < kLanes; ++l) w.Row(8, l) = exec >> l & 1 ? sent[l] : w.Row(8, l);
      w.Check("ds_permute_b32 v8, v2, v3" + modifier);
    }
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
        MemoryWave w(Handlers::Best(), gfx12 ? "gfx1201" : "gfx1100");
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

TEST(Global, AddThreadId) {
  for (const u64 mask : kMasks) {
    MemoryWave w(Handlers::Best(), "gfx1100");
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
  const char* operands;  // behind the data
  u32 stride, records;
  u32 scalar;               // s8
  u32 (*at)(u32 lane);      // byte behind the base that lane l's access is at
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

// Sub-dword loads are 0 outside; d16 forms keep the other half there too.
TEST(Buffers, RangeOfParts) {
  MemoryWave w;
  w.SetResource(4, w.base(), 0, 31);
  for (u32 l = 0; l < kLanes; ++l) w->v[3][l] = l;
  w.Expect();
  const auto half = [&](int l) {
    return l + 2 <= 31 ? static_cast<u32>(w.Number(Storage::kGlobal, l, static_cast<u32>(l), 2))
                       : 0;
  };
  for (int l = 0; l < kLanes; ++l) w.Row(8, l) = (w.Row(8, l) & 0xffff) | half(l) << 16;
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
                {"global_load_lds_dword v2, s[4:5] offset:12", 4, false, true},
                {"global_load_lds_sshort v2, s[4:5] offset:12", 2, true, true},
                {"global_load_lds_ubyte v2, s[4:5] offset:12", 1, false, true},
                {"global_load_lds_dwordx3 v2, s[4:5] offset:12", 12, false, true},
                {"global_load_lds_dwordx4 v2, s[4:5] offset:12", 16, false, true},
                {"buffer_load_dwordx3 v2, s[4:7], s8 offen offset:12 lds", 12, false, false},
                {"buffer_load_dwordx4 v2, s[4:7], s8 offen offset:12 lds", 16, false, false}};
  for (const auto& c : kCases) {
    for (const u64 exec : kMasks) {
      MemoryWave w(Handlers::Best(), "gfx950");
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

// From scratch to LDS.
TEST(Lds, LoadFromScratch) {
  for (const u64 mask : kMasks) {
    MemoryWave w;
    w->s[kM0] = 512;
    for (u32 l = 0; l < kLanes; ++l) w->v[2][l] = l * 29 % 64 * 20 + 1;
    std::vector<u32> at(w->v[2], w->v[2] + kLanes);
    const u64 exec = SpoilInactive(w, mask);
    w.Expect();
    for (int l = 0; l < kLanes; ++l) {
      if (!(exec >> l & 1)) continue;
      const u64 value = w.Number(Storage::kScratch, l, at[static_cast<size_t>(l)] + 4, 2);
      w.SetNumber(Storage::kLds, l, 516 + 4 * static_cast<u32>(l), 4, value);
    }
    w.Check("scratch_load_lds_ushort v2, off offset:4");
  }
}

TEST(Faults, TwoAtOnceNamesTheOneOutside) {
  MemoryWave w;
  for (int l = 0; l < kLanes; ++l) w->v[2][l] = MemoryWave::kBytes - 16;
  EXPECT_TRUE(w.Execute("ds_write2_b64 v2, v[8:9], v[10:11] offset1:1").ok());
  EXPECT_TRUE(w.Execute("ds_read2_b32 v[8:9], v2 offset1:3").ok());
  w.CheckFault("ds_read2_b32 v[8:9], v2 offset1:4", "reads LDS outside what the workgroup has", 0,
               MemoryWave::kBytes);
}

}  // namespace
}  // namespace gridwise::sim
