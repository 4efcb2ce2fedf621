// SPDX-License-Identifier: MIT
#include "tools/sim/check/races.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gridwise::sim {
namespace {

void JoinInto(std::vector<uint32_t>& clocks, const std::vector<uint32_t>& other) {
  if (clocks.size() < other.size()) clocks.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i) clocks[i] = std::max(clocks[i], other[i]);
}

/// Whether `access` lies in the past of `now`, one of the wave of `view`.
bool IsPast(const WaveClocks& view, const AccessHistory::Access& access,
            const AccessHistory::Access& now, bool lds) {
  if (access.group == view.group) {
    const GroupClocks& own = view.own;
    const bool overtakes = access.writes || now.to_lds;
    const auto& clocks = !lds            ? own.local
                         : access.to_lds ? own.to_lds
                         : overtakes     ? own.lds
                                         : own.lds_reads;
    return clocks[access.wave] >= access.clock;
  }
  if (view.others == nullptr) return false;
  const auto known = view.others->find(access.group);
  return known != view.others->end() && access.wave < known->second.memory.size() &&
         known->second.memory[access.wave] >= access.clock;
}

/// Whether the two race, if nothing orders them.
bool Races(const AccessHistory::Access& a, const AccessHistory::Access& b) {
  if (!a.writes && !b.writes) return false;
  if (a.atomic ? b.atomic || b.may_be_atomic : a.may_be_atomic && b.atomic) return false;
  if ((a.compares && !b.writes) || (b.compares && !a.writes)) return false;
  return !a.polls && !b.polls;
}

/// Whether all later accesses that race with `old` race with `now` too, in whose past it is.
bool Covers(const AccessHistory::Access& now, const AccessHistory::Access& old) {
  return (old.bytes & ~now.bytes) == 0 && (now.writes || !old.writes) &&
         (!now.atomic || old.atomic);
}

}  // namespace

void GroupClocks::Join(const GroupClocks& other) {
  JoinInto(memory, other.memory);
  JoinInto(local, other.local);
  JoinInto(lds, other.lds);
  JoinInto(lds_reads, other.lds_reads);
  JoinInto(to_lds, other.to_lds);
}

AccessHistory::Page& AccessHistory::PageOf(uint64_t address) {
  const uint64_t number = address / kPageBytes;
  if (last_page_ == nullptr || number != last_number_) {
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) page = std::make_unique<Page>();
    last_page_ = page.get();
    last_number_ = number;
  }
  return *last_page_;
}

Conflict AccessHistory::Note(const WaveClocks& view, uint64_t address, uint32_t bytes,
                             Access access, bool lds) {
  Conflict conflict;
  const uint64_t end = address + bytes;
  for (uint64_t at = address; at < end;) {
    Page& page = PageOf(at);
    const uint64_t in_page = at % kPageBytes, first = at % 4;
    bool& split = page.split[in_page / kLineBytes];
    if (!split && at % kLineBytes == 0 && end - at >= kLineBytes) {
      access.bytes = kAllBytes;
      NoteIn(page.cells[in_page / 4], view, access, lds, conflict);
      at += kLineBytes;
      continue;
    }
    if (!std::exchange(split, true)) {
      Cell* const line = &page.cells[in_page / kLineBytes * (kLineBytes / 4)];
      std::fill(line + 1, line + kLineBytes / 4, line[0]);
    }
    const uint64_t last = std::min<uint64_t>(4, first + end - at);
    access.bytes = static_cast<uint8_t>(((1u << last) - 1) & ~((1u << first) - 1));
    NoteIn(page.cells[in_page / 4], view, access, lds, conflict);
    at += last - first;
  }
  return conflict;
}

void AccessHistory::NoteIn(Cell& cell, const WaveClocks& view, Access access, bool lds,
                           Conflict& conflict) {
  access.order = ++next_order_;
  // Most often nobody has been there, or the wave itself alone.
  Access& newest = cell.slots[0];
  const bool own_alone = newest.group == access.group && newest.wave == access.wave &&
                         Covers(access, newest) && cell.slots[1].bytes == 0 &&
                         cell.slots[2].bytes == 0 && cell.slots[3].bytes == 0;
  if (own_alone) {
    newest = access;
    return;
  }
  // Atomic accesses that came before this wave's own last one are in its past.
  uint32_t own_atomic = 0;
  for (const Access& old : cell.slots) {
    if (old.group == access.group && old.wave == access.wave && old.atomic && old.writes &&
        (access.bytes & ~old.bytes) == 0)
      own_atomic = std::max(own_atomic, old.order);
  }
  Access* place = nullptr;
  for (Access& old : cell.slots) {
    if (old.bytes == 0) {
      if (place == nullptr) place = &old;
      continue;
    }
    const bool own = old.group == access.group && old.wave == access.wave;
    const bool past =
        own || (old.atomic && old.order < own_atomic) || IsPast(view, old, access, lds);
    const bool overlaps = (old.bytes & access.bytes) != 0;
    // A conflict with a load is told before one with a store, which may have stored the same.
    if (!past && overlaps && Races(old, access) && (!conflict.found || !old.writes))
      conflict = {old.group, old.wave,        old.instruction,      old.writes,
                  true,      conflict.polled, conflict.polled_clock};
    if (!past && overlaps && access.polls && old.writes) {
      conflict.polled = old.wave;
      conflict.polled_clock = old.clock;
    }
    // An access that the new one covers, for all who come later, is forgotten.
    if (past && Covers(access, old)) {
      old.bytes = 0;
      place = &old;
    }
  }
  if (place == nullptr) place = &cell.slots[next_victim_++ % kSlots];
  *place = access;
}

RecycledMemory& RecycledMemory::Process() {
  static auto* const memory = new RecycledMemory;
  return *memory;
}

void RecycledMemory::Add(uint64_t address, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  ends_[address] = address + bytes;
}

void RecycledMemory::Remove(uint64_t address) {
  const std::lock_guard lock(mutex_);
  ends_.erase(address);
}

bool RecycledMemory::Holds(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto next = ends_.upper_bound(address);
  return next != ends_.begin() && address < std::prev(next)->second;
}

void SyncAddresses::Publish(uint64_t address, const Clocks& clocks) {
  Clocks& published = published_[address];
  for (const auto& [group, known] : clocks) published[group].Join(known);
}

const Clocks* SyncAddresses::Find(uint64_t address) const {
  const auto found = published_.find(address);
  return found == published_.end() ? nullptr : &found->second;
}

}  // namespace gridwise::sim
