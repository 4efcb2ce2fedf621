// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/sim/isa/facts/facts.h"

namespace gridwise::sim {

/// A kernel's instructions, from the ELF that holds it.
class KernelCode {
 public:
  /// `gfx`: "gfx942". `image` must outlive the result.
  static absl::StatusOr<KernelCode> Find(std::string_view gfx, std::string_view image,
                                         std::string_view kernel);

  struct Instruction {
    InstructionFacts facts;
    size_t offset;  // in the image
    uint32_t word;  // its first
    std::string text;
  };
  const std::deque<Instruction>& instructions() const { return instructions_; }
  TargetBit target() const { return target_; }
  /// Numbers of the instructions that may follow number `i`.
  std::vector<size_t> Next(size_t i) const;
  /// Numbers of those that begin a block: all of a block are executed if the first is.
  std::vector<size_t> Leaders() const;
  /// From now on paths come only to instructions that `reached`, by number, is true for.
  void KeepOnly(std::vector<bool> reached) { reached_ = std::move(reached); }

 private:
  bool Reaches(size_t i) const { return reached_.empty() || reached_[i]; }

  TargetBit target_ = kGfx942;
  std::deque<Instruction> instructions_;
  std::vector<bool> reached_;  // empty: all
};

/// The kernels of a code object, by name.
std::vector<std::string> ListKernels(std::string_view image);

/// What rules about hazards find on any path through the kernel that is as long as the longest of
/// them looks back, with the instruction.
std::vector<std::string> FindHazards(const KernelCode& code);

/// One instruction changed: a wait taken away or made to leave one more outstanding, a barrier
/// taken away, s_nop N made s_nop 0.
struct Mutant {
  size_t instruction;  // number in the KernelCode
  uint32_t word;       // what takes its place
  std::string text;    // for people: "without 's_waitcnt vmcnt(0)'"
};

/// Every mutant of the kernel.
std::vector<Mutant> MakeMutants(const KernelCode& code);
/// `image` with the mutant in it.
std::string Apply(const Mutant& mutant, const KernelCode& code, std::string_view image);

/// Why the mutant, whose code is `mutated`, cannot misbehave, found without executing anything, on
/// all paths through the kernel; empty if that is not known.
///
/// A mutant of a wait is redundant if, compared with the original, no instruction finds more
/// outstanding memory instructions that write its registers, no LDS access more loads to LDS, and
/// no barrier, atomic, cache operation or call more memory instructions at all. A mutant of a
/// barrier is redundant if no memory access lies between it and the barrier before or after it. A
/// mutant of s_nop or of a wait for results is redundant if no path around it has more hazards; for
/// s_wait_alu, no path through the kernel.
std::string WhyRedundant(const Mutant& mutant, const KernelCode& code, const KernelCode& mutated);

/// How what the kernel does depends on what it reads from memory, other than its arguments: a
/// branch, lanes or an address made of it; empty if it does not. Then every launch with the same
/// arguments and sizes executes the same instructions with the same addresses, and what check mode
/// finds or does not find in one of them it does in all.
std::string DependsOnData(const KernelCode& code);

/// Whether the mutant takes away the wait for a cache operation ahead of a load, whose absence
/// nothing shows: caches are not modelled.
bool WaitsForCaches(const Mutant& mutant, const KernelCode& code, const KernelCode& mutated);

}  // namespace gridwise::sim
