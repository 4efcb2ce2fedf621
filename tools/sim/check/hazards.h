#pragma once

#include <array>
#include <cstdint>

#include "tools/sim/check/reporter.h"
#include "tools/sim/isa/facts/facts.h"

namespace gridwise::sim {

/// Missing wait states of gfx9 (CDNA3 ISA 4.5 "Manually Inserted Wait States"; LLVM,
/// GCNHazardRecognizer): pairs of instructions between which the program must put others, or
/// s_nop, because the hardware does not wait. Counted along the path that is executed: an
/// instruction is one wait state, s_nop N is N + 1. RDNA interlocks these cases in hardware, but
/// for one: A, B or sparse indices of a matrix instruction that are the result of the one before
/// (RDNA3 ISA 7.9.1, RDNA4 ISA 7.12.1), between which there must be another vector instruction.
class HazardTracker {
 public:
  explicit HazardTracker(TargetBit target) : target_(target) {}

  /// Reports what `facts` needs and does not have, then notes what it does.
  void Before(const InstructionFacts& facts, Reporter& reporter);

 private:
  /// An instruction that did something to a register, and when.
  struct Event {
    const InstructionFacts* facts = nullptr;
    uint64_t time = 0;
  };

  /// Wait states between `event` and the instruction that is about to be executed.
  int Since(const Event& event) const { return static_cast<int>(now_ - event.time) - 1; }
  /// Reports if fewer than `needed` wait states have passed since `event`.
  void Need(int needed, const Event& event, const char* rule, int reg, Reporter& reporter) const;

  void CheckWmma(const InstructionFacts& facts, Reporter& reporter) const;
  void CheckMatrix(const InstructionFacts& facts, Reporter& reporter) const;
  void CheckVectorReads(const InstructionFacts& facts, Reporter& reporter) const;
  void CheckVectorWrites(const InstructionFacts& facts, Reporter& reporter) const;
  void CheckScalarReads(const InstructionFacts& facts, Reporter& reporter) const;
  void CheckLaneAccess(const InstructionFacts& facts, Reporter& reporter) const;
  void Note(const InstructionFacts& facts);

  const TargetBit target_;
  uint64_t now_ = 1000;  // larger than any distance, so that nothing seems recent at the start
  std::array<Event, kAllRegisters> written_ = {};    // by a vector instruction, last
  std::array<Event, kAllRegisters> read_as_c_ = {};  // by a matrix instruction
  Event m0_written_;                                 // by a scalar instruction
  const InstructionFacts* last_valu_ = nullptr;      // of RDNA
  Event wide_store_[2];                              // the newest ones
};

}  // namespace gridwise::sim
