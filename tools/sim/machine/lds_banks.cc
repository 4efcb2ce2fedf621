// SPDX-License-Identifier: MIT
#include "tools/sim/machine/lds_banks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
namespace {

/// Lanes first, first + 1, ..., last.
constexpr uint64_t Lanes(int first, int last) {
  return (~uint64_t{0} >> (63 - last)) & (~uint64_t{0} << first);
}

// Phases as masks of lanes. Source: AMD Shark's empirical LDS study (gfx942, gfx950, gfx1100,
// gfx1201); what it does not have is marked. Phases of lanes 32 to 63 repeat those of 0 to 31.
constexpr uint64_t kAllLanes[] = {Lanes(0, 63)};
constexpr uint64_t kBy32[] = {Lanes(0, 31), Lanes(32, 63)};
constexpr uint64_t kBy16[] = {Lanes(0, 15), Lanes(16, 31), Lanes(32, 47), Lanes(48, 63)};
constexpr uint64_t kBy8[] = {Lanes(0, 7),   Lanes(8, 15),  Lanes(16, 23), Lanes(24, 31),
                             Lanes(32, 39), Lanes(40, 47), Lanes(48, 55), Lanes(56, 63)};
constexpr uint64_t Twice(uint64_t lanes) { return lanes | lanes << 32; }
constexpr uint64_t kLow = Lanes(0, 31), kHigh = Lanes(32, 63);
constexpr uint64_t kReadGroups[] = {
    Twice(Lanes(0, 3) | Lanes(20, 23)), Twice(Lanes(4, 7) | Lanes(16, 19)),
    Twice(Lanes(8, 11) | Lanes(28, 31)), Twice(Lanes(12, 15) | Lanes(24, 27))};
constexpr uint64_t kReadB128[] = {
    kReadGroups[0] & kLow,  kReadGroups[1] & kLow,  kReadGroups[2] & kLow,  kReadGroups[3] & kLow,
    kReadGroups[0] & kHigh, kReadGroups[1] & kHigh, kReadGroups[2] & kHigh, kReadGroups[3] & kHigh};
constexpr uint64_t kReadGroups950[] = {Twice(Lanes(0, 3) | Lanes(12, 15) | Lanes(20, 27)),
                                       Twice(Lanes(4, 11) | Lanes(16, 19) | Lanes(28, 31))};
constexpr uint64_t kReadB128On950[] = {kReadGroups950[0] & kLow, kReadGroups950[1] & kLow,
                                       kReadGroups950[0] & kHigh, kReadGroups950[1] & kHigh};

/// The phases of an access of `bytes` per lane. Writes of 16 bytes are measured on gfx942 alone;
/// others are taken to go by consecutive lanes too, as many as there are banks for. 12 bytes go as
/// 16.
std::span<const uint64_t> PhasesOf(TargetBit target, uint32_t bytes, bool writes) {
  const bool wide = target == kGfx950;  // 64 banks, else 32
  if (bytes <= 4) return wide ? std::span<const uint64_t>(kAllLanes) : kBy32;
  if (bytes <= 8) return wide ? std::span<const uint64_t>(kBy32) : kBy16;
  if (writes) return wide ? std::span<const uint64_t>(kBy16) : kBy8;
  if (target == kGfx1201) return kBy8;
  return wide ? std::span<const uint64_t>(kReadB128On950) : kReadB128;
}

}  // namespace

int BankConflicts(TargetBit target, const MemoryAccess& access, uint64_t lds) {
  constexpr int kMaxBanks = 64, kMaxDwords = 4;
  const uint32_t banks = target == kGfx950 ? 64 : 32;
  const uint32_t dwords = (access.bytes + 3) / 4;
  int conflicts = 0;
  for (const uint64_t phase : PhasesOf(target, access.bytes, access.writes)) {
    std::array<uint32_t, kLanes * kMaxDwords> touched;  // dwords of LDS
    size_t count = 0;
    for (uint64_t lanes = phase & access.lanes; lanes != 0; lanes &= lanes - 1) {
      const uint64_t byte = access.base - lds + access.offset[std::countr_zero(lanes)];
      for (uint32_t d = 0; d < dwords && d < kMaxDwords; ++d)
        touched[count++] = static_cast<uint32_t>(byte / 4) + d;
    }
    std::sort(touched.begin(), touched.begin() + static_cast<std::ptrdiff_t>(count));
    std::array<int, kMaxBanks> cycles = {};
    int most = 1;
    for (size_t i = 0; i < count; ++i) {
      if (i > 0 && touched[i] == touched[i - 1]) continue;
      most = std::max(most, ++cycles[touched[i] % banks]);
    }
    conflicts += most - 1;
  }
  return conflicts;
}

}  // namespace gridwise::sim
