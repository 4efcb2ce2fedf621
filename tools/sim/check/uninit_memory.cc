// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/sim/check/device_bytes.h"
#include "tools/sim/check/origins.h"
#include "tools/sim/check/uninit.h"

// What memory instructions do to undefined bits.

namespace gridwise::sim {
namespace {

const char* Name(AddressSpace space) {
  switch (space) {
    case AddressSpace::kLds:
      return "LDS byte";
    case AddressSpace::kScratch:
      return "scratch byte";
    case AddressSpace::kGlobal:
      break;
  }
  return "memory at";
}

template <typename Body>
void ForLanes(uint64_t lanes, const Body& body) {
  for (; lanes != 0; lanes &= lanes - 1) body(__builtin_ctzll(lanes));
}

/// Whether nothing in device memory that `access` touches is undefined.
bool IsClean(const MemoryAccess& access) {
  uint32_t least = ~0u, greatest = 0;
  ForLanes(access.lanes, [&](int lane) {
    least = std::min(least, access.offset[lane]);
    greatest = std::max(greatest, access.offset[lane]);
  });
  constexpr uint32_t kFar = 1 << 20;  // lanes in different places, perhaps different allocations
  if (greatest - least > kFar) return false;
  return !DeviceBytes::Process().MayBeUndefined(access.base + least,
                                                access.base + greatest + access.bytes);
}

}  // namespace

UninitTracker::Place UninitTracker::PlaceOf(const MemoryAccess& access, int lane) const {
  const uint64_t at = access.base + access.offset[lane];
  const bool lds = access.space == AddressSpace::kLds;
  return {access.space, lds ? at - reinterpret_cast<uint64_t>(wave_.lds) : at};
}

uint32_t UninitTracker::ScratchOffset(uint64_t address, int lane) const {
  return static_cast<uint32_t>((address / 4 * kLanes + static_cast<uint64_t>(lane)) * 4 +
                               address % 4);
}

std::byte* UninitTracker::HostByte(const Place& place, int lane, uint32_t i) const {
  switch (place.space) {
    case AddressSpace::kLds:
      return wave_.lds + place.at + i;
    case AddressSpace::kScratch:
      return wave_.scratch + ScratchOffset(place.at + i, lane);
    case AddressSpace::kGlobal:
      break;
  }
  return reinterpret_cast<std::byte*>(place.at + i);
}

void UninitTracker::LoadShadow(const Place& place, int lane, uint32_t bytes, ShadowBytes& out) {
  if (place.space == AddressSpace::kGlobal)
    return DeviceBytes::Process().Load(place.at, bytes, out);
  if (place.space == AddressSpace::kLds && lds_.IsDefined(static_cast<uint32_t>(place.at), bytes)) {
    return;
  }
  for (uint32_t i = 0; i < bytes; ++i) {
    if (place.space == AddressSpace::kLds) {
      lds_.Load(static_cast<uint32_t>(place.at) + i, i, out);
    } else {
      scratch_.Load(ScratchOffset(place.at + i, lane), i, out);
    }
  }
}

void UninitTracker::StoreShadow(const InstructionFacts& facts, const Place& place, int lane,
                                uint32_t bytes, const ShadowBytes& shadow,
                                const Reporter& reporter) {
  if (place.space == AddressSpace::kGlobal) {
    const bool whole =
        std::all_of(shadow.bits, shadow.bits + bytes, [](uint8_t b) { return b != 0; });
    const uint32_t origin =
        shadow.any ? origins_.Stored(facts, shadow.origin, whole, lane, reporter) : 0;
    return DeviceBytes::Process().Store(place.at, bytes, shadow.any ? shadow.bits : nullptr,
                                        origin);
  }
  if (!shadow.any && place.space == AddressSpace::kLds)
    return lds_.Define(static_cast<uint32_t>(place.at), bytes);
  for (uint32_t i = 0; i < bytes; ++i) {
    if (place.space == AddressSpace::kLds) {
      lds_.Store(static_cast<uint32_t>(place.at) + i, shadow.bits[i], shadow.origin);
    } else {
      scratch_.Store(ScratchOffset(place.at + i, lane), shadow.bits[i], shadow.origin);
    }
  }
}

void UninitTracker::Observe(const InstructionFacts& facts, const MemoryAccess& access,
                            const std::array<uint8_t, kLanes>& observed, bool watched,
                            Reporter& reporter) {
  if (!facts.memory) return;
  done_ = observed;
  const std::unique_lock lock = DeviceBytes::Process().Lock();
  if (access.reads && access.writes) {
    Update(facts, access, reporter);
  } else if (access.writes) {
    Store(facts, access, watched, reporter);
  } else {
    Load(facts, access, reporter);
  }
}

void UninitTracker::Load(const InstructionFacts& facts, const MemoryAccess& access,
                         const Reporter& reporter) {
  const int first = __builtin_ctzll(access.lanes);
  if (PlaceOf(access, first).space == AddressSpace::kGlobal && IsClean(access)) return;
  std::vector<UndefinedByte> undefined;
  std::array<uint32_t, kLanes> origins = {};
  ForLanes(access.lanes, [&](int lane) {
    const Place place = PlaceOf(access, lane);
    ShadowBytes shadow;
    LoadShadow(place, lane, access.bytes, shadow);
    if (!shadow.any) return;
    if (shadow.origin == 0) {
      const auto at = std::find_if(shadow.bits, shadow.bits + access.bytes,
                                   [](uint8_t bits) { return bits != 0; });
      shadow.origin =
          origins_.Read(facts, place.space,
                        absl::StrFormat("%s %#x", Name(place.space),
                                        place.at + static_cast<uint64_t>(at - shadow.bits)),
                        reporter);
    }
    if (facts.to_lds) return LoadToLds(access, shadow, lane);
    for (uint32_t i = 0; i < access.bytes; ++i) {
      if (shadow.bits[i] != 0) undefined.push_back({HostByte(place, lane, i), shadow.bits[i]});
    }
    origins[static_cast<size_t>(lane)] = shadow.origin;
  });
  if (!undefined.empty()) LoadUndefined(facts, undefined, origins);
}

void UninitTracker::LoadUndefined(const InstructionFacts& facts,
                                  std::span<const UndefinedByte> bytes,
                                  const std::array<uint32_t, kLanes>& origins) {
  // The instruction itself says where the bits go. It may have overwritten its address by now.
  std::vector<std::array<uint32_t, kLanes>> kept;
  for (const auto& [reg, row] : address_rows_) {
    std::memcpy(kept.emplace_back().data(), wave_.v[reg - kFirstVector], kRowBytes);
    std::memcpy(wave_.v[reg - kFirstVector], row.data(), kRowBytes);
  }
  const Sampler::Differences differences =
      Sampler::Run(wave_, FindUops(first_), facts.loaded, facts.loaded, registers_, bytes, {},
                   Sampler::kForMoves);
  for (size_t i = 0; i < kept.size(); ++i)
    std::memcpy(wave_.v[address_rows_[i].first - kFirstVector], kept[i].data(), kRowBytes);
  const uint32_t any_origin = *std::max_element(origins.begin(), origins.end());
  for (size_t i = 0; i < differences.size(); ++i) {
    const int reg = facts.loaded[i];
    for (int lane = 0; lane < (reg >= kFirstVector ? kLanes : 1); ++lane) {
      const auto l = static_cast<size_t>(lane);
      const uint32_t before = registers_.Bits(reg, lane), bits = differences[i][l] | before;
      if (bits != before)
        registers_.Set(reg, lane, bits, origins[l] != 0 ? origins[l] : any_origin);
    }
  }
}

void UninitTracker::LoadToLds(const MemoryAccess& access, const ShadowBytes& shadow, int lane) {
  const uint32_t to = lds_target_[static_cast<size_t>(lane)] + done_[static_cast<size_t>(lane)];
  for (uint32_t i = 0; i < access.bytes && to + i < wave_.lds_bytes; ++i)
    lds_.Store(to + i, shadow.bits[i], shadow.origin);
}

ShadowBytes UninitTracker::StoredBytes(const InstructionFacts& facts, int lane,
                                       uint32_t bytes) const {
  ShadowBytes shadow;
  const bool converts = absl::StrContains(facts.mnemonic, "format");
  for (uint32_t i = 0; i < bytes; ++i) {
    const uint32_t at = done_[static_cast<size_t>(lane)] + i + (facts.data_high() ? 2 : 0);
    for (size_t d = 0; d < facts.data.size(); ++d) {
      const uint16_t reg = facts.data[d];
      const int l = reg >= kFirstVector ? lane : 0;
      if ((!converts && d != at / 4) || !registers_.IsDirty(reg, l)) continue;
      const uint32_t bits = registers_.Bits(reg, l);
      shadow.bits[i] |= static_cast<uint8_t>(converts ? 0xff : bits >> at % 4 * 8);
      if (shadow.bits[i] != 0 && !std::exchange(shadow.any, true))
        shadow.origin = registers_.Origin(reg, l);
    }
  }
  return shadow;
}

void UninitTracker::Store(const InstructionFacts& facts, const MemoryAccess& access, bool watched,
                          Reporter& reporter) {
  if (facts.to_lds) {  // what is loaded follows
    ForLanes(access.lanes, [&](int lane) {
      const auto at = static_cast<uint32_t>(PlaceOf(access, lane).at);
      lds_target_[static_cast<size_t>(lane)] = at;
      lds_.Define(at, access.bytes);
    });
    return;
  }
  uint64_t dirty = 0;
  for (const uint16_t reg : facts.data)
    dirty |= registers_.dirty(reg) & (reg >= kFirstVector ? access.lanes : 1);
  const int first = __builtin_ctzll(access.lanes);
  const bool global = PlaceOf(access, first).space == AddressSpace::kGlobal;
  if (dirty == 0 && global && IsClean(access)) return;
  bool reported = false;
  ForLanes(access.lanes, [&](int lane) {
    const ShadowBytes shadow = dirty == 0 ? ShadowBytes() : StoredBytes(facts, lane, access.bytes);
    const Place place = PlaceOf(access, lane);
    if (shadow.any && watched && !std::exchange(reported, true)) {
      reporter.Report(Category::kUninit, "stores an undefined value to a watched output",
                      absl::StrCat(" from ", Origins::Process().Describe(shadow.origin)), lane,
                      place.at);
    }
    StoreShadow(facts, place, lane, access.bytes, shadow, reporter);
  });
}

void UninitTracker::Update(const InstructionFacts& facts, const MemoryAccess& access,
                           Reporter& reporter) {
  const int first = __builtin_ctzll(access.lanes);
  const bool global = PlaceOf(access, first).space == AddressSpace::kGlobal;
  if (global && !update_undefined_ && IsClean(access)) return;
  const bool swaps =
      absl::StrContains(facts.mnemonic, "swap") || absl::StrContains(facts.mnemonic, "wrxchg");
  const bool replaces = swaps && !absl::StrContains(facts.mnemonic, "cmp");
  // One lane stands for all where they count together (ds_append).
  const uint64_t receivers = facts.data.empty() && facts.lds ? Exec(wave_) : 0;
  ForLanes(access.lanes, [&](int lane) {
    const Place place = PlaceOf(access, lane);
    ShadowBytes old;
    LoadShadow(place, lane, access.bytes, old);
    if (old.any && old.origin == 0) {
      old.origin = origins_.Read(facts, place.space,
                                 absl::StrFormat("%s %#x", Name(place.space), place.at), reporter);
    }
    const size_t begin = done_[static_cast<size_t>(lane)] / 4;
    for (uint32_t d = 0; old.any && d * 4 < access.bytes && begin + d < facts.loaded.size(); ++d) {
      uint32_t bits = 0;
      std::memcpy(&bits, &old.bits[d * 4], 4);
      ForLanes(receivers | uint64_t{1} << lane,
               [&](int to) { registers_.Set(facts.loaded[begin + d], to, bits, old.origin); });
    }
    ShadowBytes now;
    now.any = update_undefined_ || (old.any && !replaces);
    now.origin = update_undefined_ ? update_origin_ : old.origin;
    if (now.any) std::fill_n(now.bits, access.bytes, uint8_t{0xff});
    StoreShadow(facts, place, lane, access.bytes, now, reporter);
  });
}

}  // namespace gridwise::sim
