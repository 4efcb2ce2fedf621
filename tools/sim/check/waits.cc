// SPDX-License-Identifier: MIT
#include "tools/sim/check/waits.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace gridwise::sim {
namespace {

constexpr uint8_t Bit(WaitCounter c) { return static_cast<uint8_t>(1u << static_cast<int>(c)); }

/// The largest value of a counter. If it is full, the next instruction waits for the oldest one.
int Capacity(TargetBit target, WaitCounter counter) {
  if (counter == WaitCounter::kLds && (target & kGfx9) != 0) return 15;
  return counter == WaitCounter::kScalar ? 31 : 63;
}

/// One instruction can be outstanding on two counters and has an order on each: LDS and scalar
/// instructions come back on their own, everything else as vector memory does.
Order OrderOn(const InstructionFacts& facts, WaitCounter counter) {
  return facts.flat && counter != WaitCounter::kLds ? Order::kVector : facts.order;
}

bool Has(const std::vector<uint16_t>& registers, int reg) {
  return std::find(registers.begin(), registers.end(), reg) != registers.end();
}

/// The bits of `reg`, which it reads, that decide what the instruction does.
uint32_t BitsRead(const InstructionFacts& facts, int reg) {
  return Has(facts.data, reg) && !Has(facts.address, reg) ? facts.stored_bits : ~0u;
}

/// The bits of `reg` that it writes. VALU instructions write both halves, one of them as it was.
uint32_t BitsWritten(const InstructionFacts& facts, int reg) {
  return facts.load && Has(facts.loaded, reg) ? facts.loaded_bits : ~0u;
}

}  // namespace

bool WaitTracker::Ordered(const Outstanding& o, WaitCounter counter, bool flat_pending) const {
  return !flat_pending && OrderOn(*o.facts, counter) != Order::kNone;
}

bool WaitTracker::SameOrder(const InstructionFacts& a, const InstructionFacts& b) const {
  if (target_ == kGfx1201 && a.vmem) return false;
  return a.counters == b.counters && a.order == b.order && a.order != Order::kNone;
}

void WaitTracker::Wait(WaitCounter counter, int limit) {
  const uint8_t bit = Bit(counter);
  const bool flat_pending =
      (target_ & kGfx9) != 0 &&
      std::any_of(outstanding_.begin(), outstanding_.end(),
                  [&](const Outstanding& o) { return o.facts->flat && (o.counters & bit) != 0; });
  int behind[3] = {};  // outstanding instructions after the one looked at, by order
  for (size_t i = outstanding_.size(); i-- > 0;) {
    Outstanding& o = outstanding_[i];
    if ((o.counters & bit) == 0) continue;
    const Order order = OrderOn(*o.facts, counter);
    const bool done =
        Ordered(o, counter, flat_pending) ? behind[static_cast<int>(order)] >= limit : limit == 0;
    ++behind[static_cast<int>(order)];
    if (!done) continue;
    o.counters &= static_cast<uint8_t>(~bit);
    if (o.counters != 0) continue;
    for (const uint16_t reg : o.facts->writes) --pending_[reg];
  }
  std::erase_if(outstanding_, [](const Outstanding& o) { return o.counters == 0; });
}

int WaitTracker::LimitFor(size_t i, WaitCounter counter) const {
  const Outstanding& o = outstanding_[i];
  if (!Ordered(o, counter, o.facts->flat && (target_ & kGfx9) != 0)) return 0;
  const auto behind = outstanding_.begin() + static_cast<std::ptrdiff_t>(i) + 1;
  return static_cast<int>(std::count_if(behind, outstanding_.end(), [&](const Outstanding& later) {
    return (later.counters & Bit(counter)) != 0 &&
           OrderOn(*later.facts, counter) == OrderOn(*o.facts, counter);
  }));
}

bool WaitTracker::ReportUse(const InstructionFacts& facts, int reg, bool writes,
                            Reporter& reporter) const {
  // One half of a register may be stored or loaded while a load into the other is under way.
  const uint32_t bits = writes ? BitsWritten(facts, reg) : BitsRead(facts, reg);
  // The last one that writes the register is the one to wait for.
  for (size_t i = outstanding_.size(); i-- > 0;) {
    const Outstanding& o = outstanding_[i];
    if (!Has(o.facts->writes, reg) || (o.facts->loaded_bits & bits) == 0) continue;
    if (writes && SameOrder(*o.facts, facts)) return false;
    std::string wait;
    for (int c = 0; c < kWaitCounters; ++c) {
      const auto counter = static_cast<WaitCounter>(c);
      if ((o.counters & Bit(counter)) == 0) continue;
      absl::StrAppend(&wait, wait.empty() ? "" : " and ",
                      WaitText(target_, counter, LimitFor(i, counter)));
    }
    reporter.Report(Category::kWaits,
                    absl::StrCat(writes ? "overwrites " : "reads ", RegisterName(reg),
                                 o.facts->loaded_bits == ~0u ? ", which" : ", half of which",
                                 " a memory instruction has yet to write"),
                    absl::StrCat(": ", reporter.Describe(o.facts->index), " needs ", wait));
    return true;
  }
  return false;
}

void WaitTracker::Before(const InstructionFacts& facts, bool report, Reporter& reporter) {
  if (outstanding_.empty()) return;
  if (facts.waits) {
    for (int c = 0; c < kWaitCounters; ++c) {
      if (facts.limits[c] != kNoLimit) Wait(static_cast<WaitCounter>(c), facts.limits[c]);
    }
    return;
  }
  if (!report) return;
  for (const uint16_t reg : facts.reads) {
    if (pending_[reg] != 0 && ReportUse(facts, reg, false, reporter)) return;
  }
  for (const uint16_t reg : facts.writes) {
    if (pending_[reg] != 0 && ReportUse(facts, reg, true, reporter)) return;
  }
}

void WaitTracker::Issue(const InstructionFacts& facts, uint32_t clock) {
  if (facts.counters == 0) return;
  outstanding_.push_back({&facts, clock, facts.counters});
  for (const uint16_t reg : facts.writes) ++pending_[reg];
  if (outstanding_.size() <= 15) return;
  for (int c = 0; c < kWaitCounters; ++c) {
    const auto counter = static_cast<WaitCounter>(c);
    if ((facts.counters & Bit(counter)) != 0) Wait(counter, Capacity(target_, counter));
  }
}

void WaitTracker::IssueToLds(uint32_t first, uint32_t last) {
  if (outstanding_.empty()) return;
  outstanding_.back().lds_first = first;
  outstanding_.back().lds_last = last;
}

std::optional<WaitTracker::ToLds> WaitTracker::PendingToLds(uint32_t first, uint32_t last) const {
  for (size_t i = outstanding_.size(); i-- > 0;) {
    const Outstanding& o = outstanding_[i];
    if (o.lds_first < last && first < o.lds_last)
      return ToLds{o.facts, LimitFor(i, WaitCounter::kLoad)};
  }
  return std::nullopt;
}

uint32_t WaitTracker::OldestLds() const {
  for (const Outstanding& o : outstanding_) {
    // The LDS counter says when a FLAT instruction's access to LDS is done.
    const bool on_lds = (o.counters & Bit(WaitCounter::kLds)) != 0;
    if (on_lds && (o.facts->lds || o.facts->flat)) return o.clock;
  }
  return kNone;
}

uint32_t WaitTracker::OldestToLds() const {
  for (const Outstanding& o : outstanding_) {
    if (o.facts->to_lds) return o.clock;
  }
  return kNone;
}

uint32_t WaitTracker::OldestStore() const {
  for (const Outstanding& o : outstanding_) {
    const bool in_memory = (o.counters & (Bit(WaitCounter::kLoad) | Bit(WaitCounter::kStore))) != 0;
    if (in_memory && o.facts->vmem && (o.facts->store || o.facts->atomic)) return o.clock;
  }
  return kNone;
}

}  // namespace gridwise::sim
