// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "tools/sim/check/reporter.h"
#include "tools/sim/isa/facts/facts.h"
#include "tools/sim/isa/target.h"

namespace gridwise::sim {

/// Finds hazards that the target's hardware does not guard against: pairs and triples of
/// instructions of one wave, along the executed path, between which the program must put something.
/// The rules are those of LLVM (GCNHazardRecognizer, AMDGPUWaitSGPRHazards) and of the ISA
/// documents; README.md lists them.
class HazardTracker {
 public:
  virtual ~HazardTracker() = default;
  /// Reports what `facts`, which is about to be executed, requires but lacks; then notes its
  /// effects.
  virtual void Before(const InstructionFacts& facts, Reporter& reporter) = 0;
};

std::unique_ptr<HazardTracker> MakeHazardTracker(TargetBit target, bool wave64);

}  // namespace gridwise::sim
