// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tools/sim/check/hazards.h"

namespace gridwise::sim {

/// Missing wait states of gfx90a, gfx942 and gfx950 (CDNA3 ISA 4.5 "Manually Inserted Wait States";
/// LLVM, GCNHazardRecognizer). An instruction is one wait state, s_nop N is N + 1.
class Gfx9Hazards final : public HazardTracker {
 public:
  explicit Gfx9Hazards(TargetBit target) : target_(target) {}

  void Before(const InstructionFacts& facts, Reporter& reporter) override;

 private:
  /// An instruction that did something to a register, and when.
  struct Event {
    const InstructionFacts* facts = nullptr;
    uint64_t time = 0;
  };

  /// Wait states between `event` and the instruction that is about to be executed.
  int Since(const Event& event) const { return static_cast<int>(now_ - event.time) - 1; }
  /// Reports if fewer than `needed` wait states have passed since `event`. `of`: what it did that
  /// to, a register's name; may be empty.
  void Need(int needed, const Event& event, const char* rule, std::string_view of,
            Reporter& reporter) const;
  void Need(int needed, const Event& event, const char* rule, int reg, Reporter& reporter) const;

  void CheckMatrix(const InstructionFacts& facts, Reporter& reporter) const;
  void CheckVectorReads(const InstructionFacts& facts, Reporter& reporter) const;
  void CheckVectorWrites(const InstructionFacts& facts, Reporter& reporter) const;
  void CheckScalarReads(const InstructionFacts& facts, Reporter& reporter) const;
  void CheckLaneAccess(const InstructionFacts& facts, Reporter& reporter) const;
  void CheckHardwareRegisters(const InstructionFacts& facts, Reporter& reporter);
  void CheckInvalidatedCode(const InstructionFacts& facts, Reporter& reporter);
  void Note(const InstructionFacts& facts);

  const TargetBit target_;
  uint64_t now_ = 1000;  // larger than any distance, so that nothing seems recent at the start
  std::array<Event, kAllRegisters> written_ = {};    // by a vector instruction, last
  std::array<Event, kAllRegisters> read_as_c_ = {};  // by a matrix instruction
  Event m0_written_;                                 // by a scalar instruction
  Event f64_matrix_, compared_to_exec_;              // the last ones
  Event wide_store_[2], register_set_[2];            // the newest ones
  const InstructionFacts* code_invalidated_ = nullptr;
  int nops_behind_it_ = 0;
};

}  // namespace gridwise::sim
