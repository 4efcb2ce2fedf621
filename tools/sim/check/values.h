// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/sim/check/float_op.h"
#include "tools/sim/check/reporter.h"
#include "tools/sim/check/settings.h"
#include "tools/sim/isa/facts/facts.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

/// The floating point operations of a launch's instructions, found out once.
class FloatOps {
 public:
  /// Two, where two instructions are in one (v_dual).
  const std::vector<FloatOp>& Of(const InstructionFacts& facts);

 private:
  std::map<const InstructionFacts*, std::vector<FloatOp>> known_;
};

/// Where values go bad in one wave: finite numbers become infinities and NaNs, numbers are too
/// large for the format they are converted to, differences have nothing left but rounding errors.
class ValueTracker {
 public:
  ValueTracker(const Wave& wave, TargetBit target, const CheckSettings& settings, FloatOps& ops)
      : wave_(wave), target_(target), settings_(settings), ops_(ops) {}

  /// Notes what an instruction is about to read.
  void Before(const InstructionFacts& facts);
  /// Checks the instruction's results, and reports to `reporter`.
  void After(Reporter& reporter);

 private:
  /// What is noted of one operation before it is executed.
  struct Noted {
    const FloatOp* op = nullptr;
    uint64_t finite = 0;  // lanes whose sources are all finite
    std::vector<std::vector<std::array<double, kLanes>>> sources;  // by source, element, lane
  };

  void Note(const FloatOp& op, Noted& noted) const;
  void CheckNonfinite(const Noted& noted, Reporter& reporter) const;
  void CheckOverflow(const Noted& noted, Reporter& reporter) const;
  void CheckCancellation(const Noted& noted, Reporter& reporter) const;
  std::string SourcesText(const Noted& noted, int lane) const;

  const Wave& wave_;
  const TargetBit target_;
  const CheckSettings& settings_;
  FloatOps& ops_;
  std::vector<Noted> noted_;
  uint64_t lanes_ = 0;  // lanes that execute the instruction
};

}  // namespace gridwise::sim
