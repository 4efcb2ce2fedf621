// SPDX-License-Identifier: MIT
#include "tools/sim/time/session/recorder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim::time {
namespace {

/// Accesses of one instruction that arrive in pieces: some lanes of a buffer here, others there.
struct Pending {
  uint32_t op = 0;
  AddressSpace space = AddressSpace::kGlobal;
  uint32_t bytes = 0;
  bool writes = false;
  uint64_t lanes = 0;
  uint64_t address[kLanes] = {};

  bool Takes(const Uop& uop, const MemoryAccess& access) const {
    return lanes != 0 && op == uop.instruction && space == access.space && bytes == access.bytes &&
           writes == access.writes && (lanes & access.lanes) == 0;
  }
};

/// From the first to the last byte of both intervals; either may be empty.
Interval Union(const Interval& a, const Interval& b) {
  if (a.size() == 0) return b;
  if (b.size() == 0) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// The addresses of scratch for offsets of a wave's lanes: see Wave::scratch.
void Swizzle(const Wave& wave, uint64_t (&address)[kLanes]) {
  for (uint64_t lane = 0; lane < kLanes; ++lane) {
    address[lane] = reinterpret_cast<uint64_t>(wave.scratch) +
                    (address[lane] / 4 * kLanes + lane) * 4 + address[lane] % 4;
  }
}

}  // namespace

/// Records the workgroups that one host thread executes.
class Recorder::Group final : public GroupProbe {
 public:
  Group(Recorder& recorder, std::span<Wave> waves)
      : recorder_(recorder), waves_(waves), pending_(waves.size()), left_(waves.size()) {}

  bool Watches(const std::array<uint32_t, 3>& id) override {
    return !recorder_.only_ || recorder_.only_->contains(recorder_.IndexOf(id));
  }

  void Begin(const std::array<uint32_t, 3>& id, int waves) override {
    record_ = {};
    record_.id = id;
    record_.waves.resize(static_cast<size_t>(waves));
    unrecorded_ = 0;
    std::fill(left_.begin(), left_.end(), recorder_.most_);
  }

  void Observe(Wave& wave, const Uop& uop, const MemoryAccess& access) override {
    if (access.lanes == 0) return;
    if (RecordOf(wave).cut) {
      if (access.space == AddressSpace::kGlobal) {
        const auto address = [&](int lane) { return access.base + access.offset[lane]; };
        Note(address(std::countr_zero(access.lanes)), address(63 - std::countl_zero(access.lanes)),
             access.bytes, access.writes);
      }
      return;
    }
    Pending& pending = pending_[static_cast<size_t>(wave.index_in_group)];
    if (!pending.Takes(uop, access)) {
      Flush(wave);
      pending.op = uop.instruction;
      pending.space = access.space;
      pending.bytes = access.bytes;
      pending.writes = access.writes;
      pending.lanes = 0;
    }
    const uint64_t base = access.space == AddressSpace::kLds
                              ? access.base - reinterpret_cast<uint64_t>(wave.lds)
                              : access.base;
    uint64_t address[kLanes];  // lanes that are off have offsets, too
    for (int lane = 0; lane < kLanes; ++lane) address[lane] = base + access.offset[lane];
    if (access.space == AddressSpace::kScratch) Swizzle(wave, address);
    if (pending.lanes == 0) {  // those of the lanes that are off do not matter
      std::memcpy(pending.address, address, sizeof(address));
    } else {
      for (uint64_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        pending.address[lane] = address[lane];
      }
    }
    pending.lanes |= access.lanes;
  }

  void Ran(const Wave& wave, uint32_t first, uint32_t last) override {
    WaveRecord& record = RecordOf(wave);
    const auto index = static_cast<size_t>(wave.index_in_group);
    if (record.cut) {
      if (index == 0) unrecorded_ += int64_t{last} - first + 1;
      return;
    }
    Flush(wave);
    record.runs.push_back({first, last});
    left_[index] -= int64_t{last} - first + 1;
    // If the first wave shows how much the others execute, they are cut where it is.
    const bool by_first = recorder_.behind_ == Behind::kFirstGoesOn;
    if (left_[by_first ? 0 : index] > 0) return;
    record.cut = true;
    if (recorder_.behind_ == Behind::kGoOn) return;
    if (recorder_.behind_ == Behind::kFirstGoesOn && index == 0) return;
    // The branch that ends this run ends the turn too, and finds the wave at its end.
    waves_[index].branch_budget = 0;
    waves_[index].state = WaveState::kEnded;
  }

  void End() override {
    const int64_t index = recorder_.IndexOf(record_.id);
    const bool cut = std::any_of(record_.waves.begin(), record_.waves.end(),
                                 [](const WaveRecord& wave) { return wave.cut; });
    if (recorder_.behind_ != Behind::kEnd) {
      const auto recorded = static_cast<double>(record_.waves.front().instructions());
      record_.scale = 1 + static_cast<double>(unrecorded_) / std::max(1.0, recorded);
    }
    const std::lock_guard lock(recorder_.mutex_);
    recorder_.any_cut_ |= cut;
    for (const Touched& touched : recent_) recorder_.Add(touched);
    recorder_.records_[index] = std::move(record_);
  }

 private:
  WaveRecord& RecordOf(const Wave& wave) {
    return record_.waves[static_cast<size_t>(wave.index_in_group)];
  }

  void Flush(const Wave& wave) {
    Pending& pending = pending_[static_cast<size_t>(wave.index_in_group)];
    if (pending.lanes == 0) return;
    WaveRecord& record = RecordOf(wave);
    Access access = {.run = static_cast<uint32_t>(record.runs.size()),
                     .op = pending.op,
                     .lds = pending.space == AddressSpace::kLds};
    if (pending.op >= last_shapes_.size()) last_shapes_.resize(pending.op + 1);
    auto& [last, shape] = last_shapes_[pending.op];
    if (last != nullptr &&
        Shapes::Is(*last, pending.lanes, pending.address, pending.bytes, pending.writes)) {
      access.base = pending.address[std::countr_zero(pending.lanes)];
    } else {
      const std::lock_guard lock(recorder_.mutex_);
      shape = recorder_.shapes_.Intern(pending.lanes, pending.address, pending.bytes,
                                       pending.writes, access.base);
      last = &recorder_.shapes_.at(shape);  // stays where it is
    }
    access.shape = shape;
    if (pending.space == AddressSpace::kGlobal) {
      Note(pending.address[std::countr_zero(pending.lanes)],
           pending.address[63 - std::countl_zero(pending.lanes)], pending.bytes, pending.writes);
    }
    pending.lanes = 0;
    record.accesses.push_back(access);
  }

  /// The allocation of what the first and the last lane touch, and how much of it is known to be.
  void Note(uint64_t first, uint64_t last, uint32_t size, bool writes) {
    const Interval bytes = {std::min(first, last), std::max(first, last) + size};
    const auto note = [&](Touched& known) {
      known.bytes = Union(known.bytes, bytes);
      if (!writes) known.loaded = Union(known.loaded, bytes);
    };
    for (Touched& known : recent_) {
      if (known.allocation.Covers(first, first + 1)) return note(known);
    }
    const std::optional<Interval> found = recorder_.launch_->memory->Find(first);
    if (!found) return;
    Touched& known = recent_[next_++ % std::size(recent_)];
    {
      const std::lock_guard lock(recorder_.mutex_);
      recorder_.Add(known);
    }
    known = {.allocation = *found, .bytes = {}, .loaded = {}};
    note(known);
  }

  Recorder& recorder_;
  const std::span<Wave> waves_;
  WorkgroupRecord record_;
  std::vector<Pending> pending_;  // by wave
  std::vector<int64_t> left_;     // instructions until the record is cut, by wave
  int64_t unrecorded_ = 0;        // those of the first wave after that
  /// The shape of the last access of each instruction: the next one mostly has the same.
  std::vector<std::pair<const Shape*, uint32_t>> last_shapes_;
  Touched recent_[4] = {};  // allocations touched last
  size_t next_ = 0;
};

std::unique_ptr<GroupProbe> Recorder::OfThread(std::span<Wave> waves) {
  return std::make_unique<Group>(*this, waves);
}

int64_t Recorder::IndexOf(const std::array<uint32_t, 3>& id) const {
  const auto& counts = launch_->grid.workgroups;
  return (int64_t{id[2]} * counts[1] + id[1]) * int64_t{counts[0]} + id[0];
}

const WorkgroupRecord* Recorder::Find(int64_t index) const {
  const auto found = records_.find(index);
  return found == records_.end() ? nullptr : &found->second;
}

void Recorder::Add(const Touched& touched) {
  if (touched.allocation.size() == 0) return;
  Touched& all = allocations_.try_emplace(touched.allocation.begin, touched).first->second;
  all.bytes = Union(all.bytes, touched.bytes);
  all.loaded = Union(all.loaded, touched.loaded);
}

Footprint Recorder::footprint() const {
  Footprint sum;
  for (const auto& [begin, touched] : allocations_) {
    sum.all += static_cast<double>(touched.bytes.size());
    sum.loaded += static_cast<double>(touched.loaded.size());
  }
  return sum;
}

}  // namespace gridwise::sim::time
