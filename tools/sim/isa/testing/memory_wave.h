// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/exec/handlers.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/test_wave.h"
#include "tools/sim/memory/memory.h"
#include "tools/sim/wave/wave.h"

/// A wave with memory around it, for tests of memory instructions: set registers, call Expect,
/// change the expected state as the instruction should, call Check.

namespace gridwise::sim {

inline constexpr uint32_t kSharedAperture = 0x40020000;
inline constexpr uint32_t kPrivateAperture = 0x40020001;

enum class Storage { kGlobal, kLds, kScratch };

class MemoryWave {
 public:
  /// Bytes of the global allocation, of LDS, and of one lane's scratch.
  static constexpr uint32_t kBytes = 2048;
  /// Rows that instructions of tests may use, and scalar registers.
  static constexpr int kRows = 32, kScalars = 64;

  explicit MemoryWave(const Handlers& handlers = BestHandlers(), std::string_view gfx = "gfx942",
                      int wave_size = 0)
      : target_(*FindTarget(gfx)), wave_(handlers, gfx, wave_size) {
    if (wave_size != 0) target_.wave_size = wave_size;
    for (int r = 0; r < kRows; ++r) {
      for (int l = 0; l < kLanes; ++l)
        wave_->v[r][l] = 0x9e3779b9u * static_cast<uint32_t>(r * kLanes + l + 1);
    }
    for (int i = 0; i < kScalars; ++i) wave_->s[i] = 0x85ebca6bu * static_cast<uint32_t>(i + 1);
    const auto fill = [](std::vector<uint8_t>& bytes, size_t size, uint32_t seed) {
      bytes.resize(size);
      for (uint8_t& byte : bytes)
        byte = static_cast<uint8_t>((seed = seed * 1664525 + 1013904223) >> 24);
    };
    fill(storage_[0], kBytes + 2 * kGuard, 1);
    fill(storage_[1], kBytes + kGuard, 2);
    fill(storage_[2], size_t{kBytes} * kLanes, 3);
    EXPECT_TRUE(memory_.Register(storage_[0].data() + kGuard, kBytes, "test's allocation").ok());
    wave_->memory = &memory_;
    wave_->lds = reinterpret_cast<std::byte*>(storage_[1].data());
    wave_->lds_bytes = kBytes;
    wave_->scratch = reinterpret_cast<std::byte*>(storage_[2].data());
    wave_->scratch_bytes = kBytes;
    SetScalar64(*wave_, kSharedBase, uint64_t{kSharedAperture} << 32);
    SetScalar64(*wave_, kPrivateBase, uint64_t{kPrivateAperture} << 32);
  }

  Wave& operator*() { return *wave_; }
  Wave* operator->() { return &*wave_; }
  /// Device address of the global allocation.
  uint64_t base() const { return reinterpret_cast<uint64_t>(storage_[0].data() + kGuard); }

  const SimTarget& target() const { return target_; }
  bool rdna() const { return (target_.bit & kRdna) != 0; }

  /// A buffer resource in four scalar registers: base48, stride, records. On RDNA, where a resource
  /// says how its range is checked: by the index if there is a stride, else by the byte.
  void SetResource(int reg, uint64_t address, uint32_t stride, uint32_t records) {
    wave_->s[reg] = static_cast<uint32_t>(address);
    wave_->s[reg + 1] = static_cast<uint32_t>(address >> 32 & 0xffff) | stride << 16;
    wave_->s[reg + 2] = records;
    wave_->s[reg + 3] = !rdna() ? 0x00027000 : stride == 0 ? 0x31004000 : 0x11004000;
  }

  /// The expected state becomes the present one.
  void Expect() {
    for (int i = 0; i < 3; ++i) expected_[i] = storage_[i];
    rows.assign(&wave_->v[0][0], &wave_->v[0][0] + kRows * kLanes);
    scalars.assign(wave_->s, wave_->s + kScalars);
  }
  uint32_t& Row(int r, int lane) {
    return rows[static_cast<size_t>(r) * kLanes + static_cast<size_t>(lane)];
  }
  uint8_t& Byte(Storage storage, int lane, uint32_t offset) {
    const size_t l = static_cast<size_t>(lane);
    if (storage == Storage::kGlobal) return expected_[0].at(kGuard + offset);
    if (storage == Storage::kLds) return expected_[1].at(offset);
    return expected_[2].at((size_t{offset} / 4 * kLanes + l) * 4 + offset % 4);
  }
  /// The little-endian number of `bytes` bytes at `offset` in the expected state.
  uint64_t Number(Storage storage, int lane, uint32_t offset, uint32_t bytes) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes; ++i)
      value |= uint64_t{Byte(storage, lane, offset + i)} << (8 * i);
    return value;
  }
  void SetNumber(Storage storage, int lane, uint32_t offset, uint32_t bytes, uint64_t value) {
    for (uint32_t i = 0; i < bytes; ++i)
      Byte(storage, lane, offset + i) = static_cast<uint8_t>(value >> (8 * i));
  }

  absl::Status Execute(std::string_view text) { return wave_.Execute(text); }

  /// Executes `text` and compares registers and all memory with the expected state.
  bool Check(const std::string& text) {
    const absl::Status status = Execute(text);
    EXPECT_TRUE(status.ok()) << text << ": " << status;
    return status.ok() && CompareState(text);
  }

  /// From now on accesses are observed, as check mode does.
  void BeObserved() {
    wave_->observe = [](Wave&, const Uop&, const MemoryAccess&) {};
    wave_->outside_lds = [](Wave&) {};
  }

  /// Executes `text`, which must be told to be outside of LDS at `address` in `lane`, and goes on.
  void CheckOutsideLds(const std::string& text, std::string_view what, int lane, uint64_t address) {
    wave_->fault = {};
    const absl::Status status = Execute(text);
    ASSERT_TRUE(status.ok()) << text << ": " << status;
    ASSERT_NE(wave_->fault.what, nullptr) << text;
    EXPECT_EQ(std::string(wave_->fault.what), what) << text;
    EXPECT_EQ(wave_->fault.lane, lane) << text;
    EXPECT_EQ(wave_->fault.address, address) << text;
    EXPECT_EQ(wave_->fault.space, AddressSpace::kLds) << text;
    wave_->fault = {};
  }

  /// Executes `text`, which must fault at `address` in `lane` and leave all memory alone.
  void CheckFault(const std::string& text, std::string_view what, int lane, uint64_t address) {
    Expect();
    const absl::Status status = Execute(text);
    ASSERT_EQ(status.message(), what) << text;
    EXPECT_EQ(wave_->fault.lane, lane) << text;
    EXPECT_TRUE(wave_->fault.has_address) << text;
    EXPECT_EQ(wave_->fault.address, address) << text;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(storage_[i] == expected_[i], true) << text;
  }

  std::vector<uint32_t> rows, scalars;  // expected

 private:
  static constexpr uint32_t kGuard = 256;

  bool CompareState(const std::string& text) {
    for (int i = 0; i < kRows * kLanes; ++i) {
      if (i % kLanes >= target_.wave_size) continue;  // nobody sees them
      const uint32_t actual = wave_->v[i / kLanes][i % kLanes];
      if (actual == rows[static_cast<size_t>(i)]) continue;
      ADD_FAILURE() << text << ": v" << i / kLanes << " of lane " << i % kLanes << std::hex
                    << " is 0x" << actual << ", expected 0x" << rows[static_cast<size_t>(i)];
      return false;
    }
    for (int i = 0; i < kScalars; ++i) {
      if (wave_->s[i] == scalars[static_cast<size_t>(i)]) continue;
      ADD_FAILURE() << text << ": s" << i << std::hex << " is 0x" << wave_->s[i] << ", expected 0x"
                    << scalars[static_cast<size_t>(i)];
      return false;
    }
    for (int i = 0; i < 3; ++i) {
      const auto [actual, wanted] =
          std::mismatch(storage_[i].begin(), storage_[i].end(), expected_[i].begin());
      if (actual == storage_[i].end()) continue;
      ADD_FAILURE() << text << ": byte " << actual - storage_[i].begin() << " of storage " << i
                    << " is " << int{*actual} << ", expected " << int{*wanted};
      return false;
    }
    return true;
  }

  SimTarget target_;
  Memory memory_;
  TestWave wave_;
  std::vector<uint8_t> storage_[3], expected_[3];
};

/// "v[8:11]", and what mnemonics of gfx9 end in, "x4".
inline std::string Registers(char file, int first, int dwords) {
  const std::string name = std::to_string(first);
  if (dwords == 1) return file + name;
  return std::string(1, file) + "[" + name + ":" + std::to_string(first + dwords - 1) + "]";
}
inline std::string Width(int dwords) { return dwords == 1 ? "" : "x" + std::to_string(dwords); }

/// A way to address memory: the operands around the data operand, and the registers that make lane
/// l's address offset[l] in `storage`. Addresses are in v[2:3], data in v8 and up.
struct Space {
  const char* prefix;  // of mnemonics; "ds" has mnemonics of its own
  Storage storage;
  bool data_first;      // stores too have the data before the address
  bool uniform;         // all lanes have the same address
  const char* address;  // first operand
  const char* others;   // operands after address and data, and modifiers
  void (*set)(MemoryWave&, const uint32_t* offset);

  std::string Load(const std::string& data) const { return data + ", " + address + others; }
  std::string Store(const std::string& data) const {
    return data_first ? Load(data) : std::string(address) + ", " + data + others;
  }
};

/// v[2:3] = address + offset[l].
inline void SetWide(MemoryWave& w, uint64_t address, const uint32_t* offset) {
  for (int l = 0; l < kLanes; ++l) {
    w->v[2][l] = static_cast<uint32_t>(address + offset[l]);
    w->v[3][l] = static_cast<uint32_t>((address + offset[l]) >> 32);
  }
}
/// v2 = offset[l] + difference.
inline void SetNarrow(MemoryWave& w, uint32_t difference, const uint32_t* offset) {
  for (int l = 0; l < kLanes; ++l) w->v[2][l] = offset[l] + difference;
}

inline constexpr Space kSpaces[] = {
    {"global", Storage::kGlobal, false, false, "v[2:3]", ", off offset:-24",
     [](MemoryWave& w, const uint32_t* o) { SetWide(w, w.base() + 24, o); }},
    {"global", Storage::kGlobal, false, false, "v2", ", s[4:5] offset:4095",
     [](MemoryWave& w, const uint32_t* o) {
       SetScalar64(*w, 4, w.base() - 4095 - 0xfffff000u);  // the VGPR offset is unsigned
       SetNarrow(w, 0xfffff000u, o);
     }},
    {"global", Storage::kGlobal, false, false, "v2", ", s[4:5] offset:-4096",
     [](MemoryWave& w, const uint32_t* o) {
       SetScalar64(*w, 4, w.base());
       SetNarrow(w, 4096, o);
     }},
    {"flat", Storage::kGlobal, false, false, "v[2:3]", " offset:4095",
     [](MemoryWave& w, const uint32_t* o) { SetWide(w, w.base() - 4095, o); }},
    {"flat", Storage::kLds, false, false, "v[2:3]", " offset:64",
     [](MemoryWave& w, const uint32_t* o) {
       SetWide(w, (uint64_t{kSharedAperture} << 32) - 64, o);
     }},
    {"flat", Storage::kScratch, false, false, "v[2:3]", " offset:64",
     [](MemoryWave& w, const uint32_t* o) {
       SetWide(w, (uint64_t{kPrivateAperture} << 32) - 64, o);
     }},
    {"scratch", Storage::kScratch, false, false, "v2", ", off offset:-100",
     [](MemoryWave& w, const uint32_t* o) { SetNarrow(w, 100, o); }},
    {"scratch", Storage::kScratch, false, false, "v2", ", s4 offset:20",
     [](MemoryWave& w, const uint32_t* o) {
       w->s[4] = 80;
       SetNarrow(w, static_cast<uint32_t>(-100), o);
     }},
    {"scratch", Storage::kScratch, false, true, "off", ", s4 offset:-4",
     [](MemoryWave& w, const uint32_t* o) { w->s[4] = o[0] + 4; }},
    {"buffer", Storage::kGlobal, true, false, "v2", ", s[4:7], 0 offen",
     [](MemoryWave& w, const uint32_t* o) {
       w.SetResource(4, w.base(), 0, MemoryWave::kBytes);
       SetNarrow(w, 0, o);
     }},
    {"buffer", Storage::kGlobal, true, false, "v2", ", s[4:7], s8 offen offset:31",
     [](MemoryWave& w, const uint32_t* o) {
       w.SetResource(4, w.base(), 16, MemoryWave::kBytes);  // without idxen the stride is not used
       w->s[8] = 33;
       SetNarrow(w, static_cast<uint32_t>(-64), o);
     }},
    {"buffer", Storage::kGlobal, true, false, "v[2:3]", ", s[4:7], s8 idxen offen offset:7",
     [](MemoryWave& w, const uint32_t* o) {
       w.SetResource(4, w.base(), 12, 5);
       w->s[8] = 5;
       for (uint32_t l = 0; l < kLanes; ++l) {
         w->v[2][l] = l % 5;
         w->v[3][l] = o[l] - 12 - 12 * (l % 5);
       }
     }},
    {"buffer", Storage::kGlobal, true, true, "off", ", s[4:7], s8 offset:9",
     [](MemoryWave& w, const uint32_t* o) {
       w.SetResource(4, w.base() - 9, 0, MemoryWave::kBytes + 9);
       w->s[8] = o[0];
     }},
    {"ds", Storage::kLds, false, false, "v2", " offset:200",
     [](MemoryWave& w, const uint32_t* o) { SetNarrow(w, static_cast<uint32_t>(-200), o); }},
};

/// EXEC masks that tests go through.
inline constexpr uint64_t kMasks[] = {~uint64_t{0}, 0x8001f00f00ff5aa5, 0x3fffffffff80000,
                                      0xffffffff,   uint64_t{1} << 63,  0};

/// Sets EXEC to `exec`, of those lanes that the wave has, and returns it. Inactive lanes get an
/// address that nothing may be accessed at.
inline uint64_t SpoilInactive(MemoryWave& w, uint64_t exec) {
  exec &= w->all_lanes;
  for (int l = 0; l < kLanes; ++l) {
    if (exec >> l & 1) continue;
    w->v[2][l] = 0xdeadbee0;
    w->v[3][l] = 0xdeadbee0;
  }
  SetScalar64(*w, kExecLo, exec);
  return exec;
}

}  // namespace gridwise::sim
