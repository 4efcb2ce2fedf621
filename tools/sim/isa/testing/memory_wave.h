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

}  // namespace gridwise::sim
