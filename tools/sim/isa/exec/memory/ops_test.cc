// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/memory_wave.h"
#include "tools/sim/isa/testing/spaces.h"
#include "tools/sim/isa/testing/test_wave.h"
#include "tools/sim/memory/memory.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

/// Loads and stores in every address space against what they should do byte by byte, and faults.

namespace gridwise::sim {
namespace {

/// Where a value is in its register.
enum class Part { kAll, kLow, kHigh };

struct Move {
  const char* name;     // after "global_", "buffer_", ...
  const char* ds_name;  // after "ds_"
  const char* rdna_name;
  const char* rdna_ds_name;
  bool load;
  uint32_t bytes;
  bool is_signed;
  Part part;
};
constexpr Move kMoves[] = {
    {"load_ubyte", "read_u8", "load_u8", "load_u8", true, 1, false, Part::kAll},
    {"load_sbyte", "read_i8", "load_i8", "load_i8", true, 1, true, Part::kAll},
    {"load_ushort", "read_u16", "load_u16", "load_u16", true, 2, false, Part::kAll},
    {"load_sshort", "read_i16", "load_i16", "load_i16", true, 2, true, Part::kAll},
    {"load_ubyte_d16", "read_u8_d16", "load_d16_u8", "load_u8_d16", true, 1, false, Part::kLow},
    {"load_ubyte_d16_hi", "read_u8_d16_hi", "load_d16_hi_u8", "load_u8_d16_hi", true, 1, false,
     Part::kHigh},
    {"load_sbyte_d16", "read_i8_d16", "load_d16_i8", "load_i8_d16", true, 1, true, Part::kLow},
    {"load_sbyte_d16_hi", "read_i8_d16_hi", "load_d16_hi_i8", "load_i8_d16_hi", true, 1, true,
     Part::kHigh},
    {"load_short_d16", "read_u16_d16", "load_d16_b16", "load_u16_d16", true, 2, false, Part::kLow},
    {"load_short_d16_hi", "read_u16_d16_hi", "load_d16_hi_b16", "load_u16_d16_hi", true, 2, false,
     Part::kHigh},
    {"load_dword", "read_b32", "load_b32", "load_b32", true, 4, false, Part::kAll},
    {"load_dwordx2", "read_b64", "load_b64", "load_b64", true, 8, false, Part::kAll},
    {"load_dwordx3", "read_b96", "load_b96", "load_b96", true, 12, false, Part::kAll},
    {"load_dwordx4", "read_b128", "load_b128", "load_b128", true, 16, false, Part::kAll},
    {"store_byte", "write_b8", "store_b8", "store_b8", false, 1, false, Part::kAll},
    {"store_byte_d16_hi", "write_b8_d16_hi", "store_d16_hi_b8", "store_b8_d16_hi", false, 1, false,
     Part::kHigh},
    {"store_short", "write_b16", "store_b16", "store_b16", false, 2, false, Part::kAll},
    {"store_short_d16_hi", "write_b16_d16_hi", "store_d16_hi_b16", "store_b16_d16_hi", false, 2,
     false, Part::kHigh},
    {"store_dword", "write_b32", "store_b32", "store_b32", false, 4, false, Part::kAll},
    {"store_dwordx2", "write_b64", "store_b64", "store_b64", false, 8, false, Part::kAll},
    {"store_dwordx3", "write_b96", "store_b96", "store_b96", false, 12, false, Part::kAll},
    {"store_dwordx4", "write_b128", "store_b128", "store_b128", false, 16, false, Part::kAll},
};

/// The register after a load of less than a dword. One of CDNA has error correction, and is written
/// as a whole.
uint32_t Merged(const Move& m, bool rdna, uint32_t old, uint32_t value) {
  if (!rdna) old = 0;
  if (m.is_signed && (value >> (8 * m.bytes - 1) & 1)) value |= ~0u << (8 * m.bytes);
  if (m.part == Part::kLow) return (old >> 16 << 16) + value % 65536;
  if (m.part == Part::kHigh) return value * 65536 + old % 65536;
  return value;
}

void ExpectMove(MemoryWave& w, const Move& m, Storage storage, int data, int lane, uint32_t at) {
  for (uint32_t done = 0; done < m.bytes; done += 4, ++data) {
    const uint32_t bytes = m.bytes < 4 ? m.bytes : 4;
    uint32_t& reg = w.Row(data, lane);
    if (m.load) {
      reg = Merged(m, w.rdna(), reg,
                   static_cast<uint32_t>(w.Number(storage, lane, at + done, bytes)));
    } else {
      w.SetNumber(storage, lane, at + done, bytes, m.part == Part::kHigh ? reg >> 16 : reg);
    }
  }
}

std::string Register(int first, uint32_t bytes) {
  const std::string name = std::to_string(first);
  if (bytes <= 4) return "v" + name;
  return "v[" + name + ":" + std::to_string(first + static_cast<int>(bytes) / 4 - 1) + "]";
}

std::string Mnemonic(const Space& space, const Move& m, bool rdna) {
  const std::string prefix = space.prefix;
  const bool lds = prefix == "ds";
  return prefix + "_" + (rdna ? (lds ? m.rdna_ds_name : m.rdna_name) : (lds ? m.ds_name : m.name));
}

/// Text of `m` in `space` with data in v<data>... .
std::string Text(const Space& space, const Move& m, int data, bool rdna = false) {
  const std::string reg = Register(data, m.bytes);
  return Mnemonic(space, m, rdna) + " " + (m.load ? space.Load(reg) : space.Store(reg));
}

/// Patterns of the lanes' offsets. Lanes do not overlap but in kSame.
enum Pattern { kConsecutive, kScattered, kUnaligned, kSame };
std::vector<uint32_t> Offsets(Pattern pattern, uint32_t bytes) {
  std::vector<uint32_t> offsets;
  for (uint32_t l = 0; l < kLanes; ++l) {
    const uint32_t slot = 256 + (l * 29 + 7) % kLanes * 20;
    offsets.push_back(pattern == kConsecutive ? 264 + l * bytes
                      : pattern == kScattered ? slot
                      : pattern == kUnaligned ? slot + 1 + l % 3
                                              : 520);
  }
  return offsets;
}

void CheckMoves(const Handlers& handlers, const SimTarget& target, const Space& space,
                const Move& m) {
  for (const Pattern pattern : {kConsecutive, kScattered, kUnaligned, kSame}) {
    if (space.uniform && pattern != kSame) continue;
    if (pattern == kSame && !m.load && space.storage != Storage::kScratch) continue;
    for (const uint64_t mask : kMasks) {
      if (target.bit != kGfx942 && mask == kMasks[2]) break;  // the others have the same handlers
      MemoryWave w(handlers, target.gfx);
      const std::vector<uint32_t> offsets = Offsets(pattern, m.bytes);
      space.set(w, offsets.data());
      const uint64_t exec = SpoilInactive(w, mask);
      w.Expect();
      for (int l = 0; l < kLanes; ++l) {
        if (exec >> l & 1) ExpectMove(w, m, space.storage, 8, l, offsets[static_cast<size_t>(l)]);
      }
      if (!w.Check(Text(space, m, 8, w.rdna()))) return;
    }
  }
}

TEST(LoadsAndStores, EveryWidthInEverySpace) {
  for (const Space& space : kSpaces) {
    for (const Move& m : kMoves) {
      for (const SimTarget& target : kSimTargets) {
        for (const Handlers* handlers : UsableHandlers()) CheckMoves(*handlers, target, space, m);
      }
    }
  }
}

TEST(LoadsAndStores, EveryOperationHasACase) {
  std::set<std::string> tested;
  for (const Space& space : kSpaces) {
    for (const Move& m : kMoves) tested.insert(Mnemonic(space, m, false));
  }
  for (const Binding* binding : BestHandlers().All(kGfx942)) {
    const std::string mnemonic = binding->mnemonic;
    bool vector = binding->op_class == OpClass::kVmem;
    // Atomics, typed accesses and forms of their own have other tests; cache control has no effect.
    for (const char* other : {"atomic", "lds", "_format_", "addtid", "_tr_", "inv", "_wb"})
      vector = vector && mnemonic.find(other) == std::string::npos;
    const bool lds = mnemonic.find("_tr_") == std::string::npos &&
                     (mnemonic.starts_with("ds_read_b") || mnemonic.starts_with("ds_read_u") ||
                      mnemonic.starts_with("ds_read_i") || mnemonic.starts_with("ds_write_b"));
    if (vector || lds) EXPECT_EQ(tested.count(mnemonic), 1) << mnemonic;
  }
}

TEST(LoadsAndStores, DestinationMayHoldTheAddress) {
  for (const Space& space : kSpaces) {
    for (const Move& m : kMoves) {
      if (!m.load || space.uniform) continue;
      for (const int data : {2, 1, 0}) {
        for (const Pattern pattern : {kConsecutive, kScattered}) {
          MemoryWave w;
          const std::vector<uint32_t> offsets = Offsets(pattern, m.bytes);
          space.set(w, offsets.data());
          w.Expect();
          for (int l = 0; l < kLanes; ++l)
            ExpectMove(w, m, space.storage, data, l, offsets[static_cast<size_t>(l)]);
          w.Check(Text(space, m, data));
        }
      }
    }
  }
}

/// A wave that does `texts` again and again at lanes' addresses `v1` + s[4:5], 16 bytes each.
void RepeatAt(Memory& memory, const void* base, uint64_t exec,
              const std::vector<std::string_view>& texts, TestWave& wave) {
  wave->memory = &memory;
  for (uint32_t l = 0; l < kLanes; ++l) {
    wave->v[1][l] = 16 * l;
    for (int r = 2; r < 16; ++r) wave->v[r][l] = 0;
  }
  SetScalar64(*wave, 4, reinterpret_cast<uint64_t>(base));
  SetScalar64(*wave, kExecLo, exec);
  constexpr int kTimes = 100'000;
  const absl::Status status = wave.ExecuteAll(texts, kTimes);
  EXPECT_TRUE(status.ok()) << status;
}

// Aligned accesses of 8 and of 16 bytes are seen as a whole by other workgroups, which run on other
// cores: one stores equal dwords, another loads them and collects in v15 whatever differs.
TEST(LoadsAndStores, TwoAndFourDwordsAreOneAccess) {
  const std::vector<std::string_view> kStores[] = {
      {"v_add_u32_e32 v2, 1, v2", "v_add_u32_e32 v3, 1, v3",
       "global_store_dwordx2 v1, v[2:3], s[4:5]"},
      {"v_add_u32_e32 v2, 1, v2", "v_add_u32_e32 v3, 1, v3", "v_add_u32_e32 v4, 1, v4",
       "v_add_u32_e32 v5, 1, v5", "global_store_dwordx4 v1, v[2:5], s[4:5]"}};
  const std::vector<std::string_view> kLoads[] = {
      {"global_load_dwordx2 v[8:9], v1, s[4:5]", "v_xor_b32_e32 v8, v8, v9",
       "v_or_b32_e32 v15, v15, v8"},
      {"global_load_dwordx4 v[8:11], v1, s[4:5]", "v_xor_b32_e32 v9, v8, v9",
       "v_xor_b32_e32 v10, v8, v10", "v_xor_b32_e32 v11, v8, v11", "v_or_b32_e32 v15, v15, v9",
       "v_or_b32_e32 v15, v15, v10", "v_or_b32_e32 v15, v15, v11"}};
  for (const int form : {0, 1}) {
    for (const uint64_t exec : {uint64_t{2}, uint64_t{0xffff}, ~uint64_t{0}}) {
      alignas(64) std::byte bytes[16 * kLanes] = {};
      Memory memory;
      ASSERT_TRUE(memory.Register(bytes, sizeof(bytes), "test's allocation").ok());
      TestWave store, load;
      std::thread other([&] { RepeatAt(memory, bytes, exec, kStores[form], store); });
      RepeatAt(memory, bytes, exec, kLoads[form], load);
      other.join();
      for (int l = 0; l < kLanes; ++l)
        EXPECT_EQ(load->v[15][l], 0u)
            << kStores[form].back() << ", lane " << l << ", exec " << exec;
    }
  }
}

TEST(LoadsAndStores, FlatLanesInDifferentSpaces) {
  for (const Move& m : kMoves) {
    MemoryWave w;
    const Storage kStorages[] = {Storage::kGlobal, Storage::kLds, Storage::kScratch};
    const uint64_t kBases[] = {w.base(), uint64_t{kSharedAperture} << 32,
                               uint64_t{kPrivateAperture} << 32};
    const std::vector<uint32_t> offsets = Offsets(kUnaligned, m.bytes);
    for (size_t l = 0; l < kLanes; ++l) {
      const uint64_t address = kBases[l % 3] + offsets[l] - 8;
      w->v[2][l] = static_cast<uint32_t>(address);
      w->v[3][l] = static_cast<uint32_t>(address >> 32);
    }
    w.Expect();
    for (size_t l = 0; l < kLanes; ++l)
      ExpectMove(w, m, kStorages[l % 3], 8, static_cast<int>(l), offsets[l]);
    const std::string reg = Register(8, m.bytes);
    w.Check(std::string("flat_") + m.name + " " + (m.load ? reg + ", v[2:3]" : "v[2:3], " + reg) +
            " offset:8");
  }
}

// One lane ends `past` bytes after the end of what there is: a fault of that lane if it is
// active and `past` is positive.
TEST(Faults, OnePastTheEndInEverySpace) {
  for (const Space& space : kSpaces) {
    const std::string prefix = space.prefix;
    if (prefix == "buffer" || space.uniform) continue;
    for (const Move& m : kMoves) {
      const std::string text = Text(space, m, 8);
      const uint32_t fits = MemoryWave::kBytes - m.bytes;
      for (const uint32_t bad : {fits + 1, MemoryWave::kBytes + 100}) {
        MemoryWave w;
        w.BeObserved();
        std::vector<uint32_t> offsets = Offsets(kScattered, m.bytes);
        offsets[17] = bad;
        space.set(w, offsets.data());
        const std::string verb = m.load ? "reads " : "writes ";
        const uint64_t first = space.storage == Storage::kGlobal ? w.base() : 0;
        const std::string what =
            space.storage == Storage::kGlobal ? verb + "outside every allocation"
            : space.storage == Storage::kLds  ? verb + "LDS outside what the workgroup has"
                                              : verb + "outside the lane's scratch";
        SetScalar64(*w, kExecLo, uint64_t{0x60000});  // lanes 17 and 18, which is not reached
        if (space.storage == Storage::kLds) {
          w.CheckOutsideLds(text, what, 17, first + bad);
        } else {
          w.CheckFault(text, what, 17, first + bad);
        }
        SetScalar64(*w, kExecLo, uint64_t{0x40000});
        EXPECT_TRUE(w.Execute(text).ok()) << text;
        offsets[17] = fits;
        space.set(w, offsets.data());
        SetScalar64(*w, kExecLo, ~uint64_t{0});
        EXPECT_TRUE(w.Execute(text).ok()) << text;
      }
    }
  }
}

TEST(Faults, BeforeTheBeginning) {
  MemoryWave w;
  const std::vector<uint32_t> offsets(kLanes, 0);
  SetWide(w, w.base(), offsets.data());
  w.CheckFault("global_load_dword v8, v[2:3], off offset:-1", "reads outside every allocation", 0,
               w.base() - 1);
  SetNarrow(w, 0, offsets.data());
  SetScalar64(*w, kExecLo, 1);
  w.CheckFault("scratch_store_dword v2, v8, off offset:-4", "writes outside the lane's scratch", 0,
               0xfffffffc);
  w.SetResource(4, w.base() - 4, 0, MemoryWave::kBytes);
  w.CheckFault("buffer_load_dword v8, v2, s[4:7], 0 offen", "reads outside every allocation", 0,
               w.base() - 4);
}

}  // namespace
}  // namespace gridwise::sim
