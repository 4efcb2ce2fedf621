// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/sim/check/finding.h"

namespace gridwise::sim {

/// Receives what a checker finds about the instruction that is about to be executed, and completes
/// the sentence with kernel, pc, workgroup and wave.
class Reporter {
 public:
  virtual ~Reporter() = default;
  /// `what` must be the same for equal mistakes; what varies belongs into `detail`.
  virtual void Report(Category category, std::string what, std::string detail = "", int lane = -1,
                      std::optional<uint64_t> address = std::nullopt) = 0;
  /// Makes the finding without reporting it.
  virtual Finding Make(Category category, std::string what, std::string detail, int lane = -1,
                       std::optional<uint64_t> address = std::nullopt) const = 0;
  /// "'v_add_f32 v0, v1, v2' (pc +0x40)" of another instruction of the program.
  virtual std::string Describe(uint32_t instruction) const = 0;
};

}  // namespace gridwise::sim
