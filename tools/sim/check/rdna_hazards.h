// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bitset>
#include <cstdint>

#include "tools/sim/check/hazards.h"

namespace gridwise::sim {

/// What gfx11 and gfx12 share.
class RdnaHazards {
 public:
  void Before(const InstructionFacts& facts, Reporter& reporter);

 private:
  void CheckMatrix(const InstructionFacts& facts, Reporter& reporter) const;

  const InstructionFacts* last_valu_ = nullptr;
  const InstructionFacts* compared_to_exec_ = nullptr;  // since then at most v_nop
};

/// gfx11 (LLVM, GCNHazardRecognizer): results of VALU that are read before they are there, and, in
/// waves of 64 lanes, SGPRs that a vector instruction has read as a mask.
class Gfx11Hazards final : public HazardTracker {
 public:
  explicit Gfx11Hazards(bool wave64) : wave64_(wave64) {}
  void Before(const InstructionFacts& facts, Reporter& reporter) override;

 private:
  /// A vector instruction, and how many transcendental ones there were before it.
  struct Issued {
    const InstructionFacts* facts = nullptr;
    uint32_t transcendental = 0;
  };
  static constexpr uint32_t kRemembered = 16;

  /// Number of the vector instruction that wrote a register of `range` last, 0 if it has surely
  /// done so or there is none.
  uint32_t LastWriter(const RegisterRange& range) const;
  /// Vector instructions between number `n` and the one that is about to be executed.
  int Between(uint32_t n) const { return static_cast<int>(issued_ - n); }
  const Issued& Number(uint32_t n) const { return recent_[n % kRemembered]; }

  void CheckDual(const InstructionFacts& facts, Reporter& reporter) const;
  void CheckTranscendental(const InstructionFacts& facts, Reporter& reporter) const;
  void CheckForwarding(const InstructionFacts& facts, Reporter& reporter) const;
  void CheckMasks(const InstructionFacts& facts, Reporter& reporter);
  void Drain(uint8_t counters);
  void Issue(const InstructionFacts& facts);

  const bool wave64_;
  RdnaHazards shared_;
  uint32_t issued_ = 0, drained_ = 0;  // vector instructions; those whose results are there
  uint32_t transcendental_ = 0;
  std::array<uint32_t, kVectorRegisters> written_ = {};  // number of who wrote it last
  std::array<Issued, kRemembered> recent_ = {};
  uint32_t exec_changes_ = 0;  // bit n: SALU wrote EXEC, n vector instructions ago

  std::bitset<kSharedBase> read_as_mask_;  // SGPRs, since they were written
  /// Who wrote an SGPR that had been read as a mask, if nothing has waited since.
  std::array<const InstructionFacts*, kSharedBase> mask_writer_ = {};
};

/// gfx12 (LLVM, AMDGPUWaitSGPRHazards; Mesa, aco_insert_NOPs, VALUReadSGPRHazard): an SGPR that a
/// vector instruction has read may hide what is written to it, or to the other one of its pair,
/// later on: by SALU from SALU and VALU, by VALU from VALU.
class Gfx12Hazards final : public HazardTracker {
 public:
  explicit Gfx12Hazards(bool wave64) : nops_(wave64 ? 8 : 4) {}
  void Before(const InstructionFacts& facts, Reporter& reporter) override;
  /// From now on SGPRs are as they are here or in `other`, of another path to the same instruction;
  /// whether that is news.
  bool MergeScalars(const Gfx12Hazards& other);

 private:
  using Scalars = std::bitset<kSharedBase>;

  void CheckScalars(const InstructionFacts& facts, Reporter& reporter);
  void Read(const InstructionFacts& facts, int reg, Reporter& reporter);
  void Report(int reg, const char* counter, Reporter& reporter) const;
  void Drain(uint8_t counters);
  void CheckState(const InstructionFacts& facts, Reporter& reporter);

  const int nops_;  // ds_nop in a row after which nothing is hidden
  RdnaHazards shared_;
  int lds_nops_ = 0;
  Scalars read_by_valu_;       // both of a pair
  Scalars by_salu_, by_valu_;  // written by them since then, and not waited for
  std::array<const InstructionFacts*, kSharedBase> writer_ = {};
  const InstructionFacts* before_ = nullptr;  // the instruction before, if it sets the wave's state
};

}  // namespace gridwise::sim
