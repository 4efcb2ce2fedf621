// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gridwise::sim {

/// Every mnemonic (without _e32, _e64, _dpp, _sdwa) that LLVM's assembler knows on `gfx`, sorted.
absl::StatusOr<std::vector<std::string>> Mnemonics(std::string_view gfx);

/// An instruction of a target that the simulator has no handler for.
struct MissingInstruction {
  std::string mnemonic;
  std::string_view category;  // "images", "matrices", ...
};

/// How much of a target's instruction set can be executed.
struct IsaCoverage {
  std::string gfx;
  int covered = 0;                          // mnemonics with a handler
  std::vector<MissingInstruction> missing;  // by category, then by name

  /// The counts in a line, then one line for each category.
  std::string ToString() const;
};

/// Compares what LLVM knows with the handlers. `gfx` must be one of kSimTargets.
absl::StatusOr<IsaCoverage> MeasureCoverage(std::string_view gfx);

}  // namespace gridwise::sim
