// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tools/sim/check/reporter.h"
#include "tools/sim/isa/facts/facts.h"

namespace gridwise::sim {

/// The memory instructions of a wave that no s_waitcnt (s_wait_...) has waited for: their
/// destination registers must be neither read nor overwritten.
///
/// A wait for at most N outstanding operations proves that an operation is done if N operations of
/// the same order were issued after it; one without an order (scalar loads, FLAT on gfx9) is done
/// only if N = 0. With a FLAT instruction outstanding on gfx9 nothing but N = 0 proves anything
/// (LLVM, SIInsertWaitcnts).
class WaitTracker {
 public:
  explicit WaitTracker(TargetBit target) : target_(target) {}

  /// Before an instruction: applies waits, reports uses of pending registers.
  void Before(const InstructionFacts& facts, bool report, Reporter& reporter);
  /// Notes the instruction, if it is a memory instruction, as outstanding; `clock` is its number.
  void Issue(const InstructionFacts& facts, uint32_t clock);

  /// LDS bytes [first, last) that the newest instruction, a load to LDS, will write.
  void IssueToLds(uint32_t first, uint32_t last);
  /// The last load to LDS that is to write into [first, last), and the limit of a wait for it.
  struct ToLds {
    const InstructionFacts* load;
    int limit;
  };
  std::optional<ToLds> PendingToLds(uint32_t first, uint32_t last) const;

  /// The least clocks of an outstanding LDS instruction, load to LDS, and store to memory; kNone if
  /// there is none.
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t OldestLds() const;
  uint32_t OldestToLds() const;
  uint32_t OldestStore() const;
  bool empty() const { return outstanding_.empty(); }

 private:
  struct Outstanding {
    const InstructionFacts* facts;
    uint32_t clock;
    uint8_t counters;                      // counters that have not been waited for
    uint32_t lds_first = 0, lds_last = 0;  // the LDS that a load to LDS writes
  };

  void Wait(WaitCounter counter, int limit);
  bool Ordered(const Outstanding& o, WaitCounter counter, bool flat_pending) const;
  /// The limit to wait for on `counter` so that the `i`th outstanding instruction is done.
  int LimitFor(size_t i, WaitCounter counter) const;
  /// False if this use of the pending register need not wait.
  bool ReportUse(const InstructionFacts& facts, int reg, bool writes, Reporter& reporter) const;
  /// Whether the two write registers in the order of their issue. gfx12's loads from memory do not,
  /// although they are counted in order (RDNA4 ISA 10.8; LLVM, SIInsertWaitcnts).
  bool SameOrder(const InstructionFacts& a, const InstructionFacts& b) const;

  const TargetBit target_;
  std::vector<Outstanding> outstanding_;             // in the order of issue
  std::array<uint8_t, kAllRegisters> pending_ = {};  // outstanding instructions that write it
};

}  // namespace gridwise::sim
