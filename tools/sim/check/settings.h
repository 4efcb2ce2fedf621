// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "tools/sim/check/finding.h"

namespace gridwise::sim {

/// What is checked, and the order of operations whose order is not fixed.
struct CheckSettings {
  uint32_t categories = 0;  // bit c: Category c
  bool deferred = false;    // what is put on a stream runs when the host waits for it
  bool time = false;        // launches are timed from a sample of their workgroups
  /// Shuffles deferred operations that are ready. If something is checked or nothing is deferred,
  /// also shuffles waves and workgroups and preempts waves at random.
  std::optional<uint64_t> seed;

  bool Has(Category c) const { return (categories >> static_cast<int>(c) & 1) != 0; }
  bool on() const { return categories != 0; }
  bool has_values() const { return categories >> kUsualCategories != 0; }
};

/// Reads "check" (the usual categories), "check:waits,races" or "run" (nothing is checked).
absl::StatusOr<uint32_t> ParseCategories(std::string_view text);
/// Reads a mode as GRIDWISE_SIM has it: "run", "time", or what ParseCategories reads, each with
/// "deferred," before it or not; or "deferred" alone. Launches are checked or timed, not both.
/// Sets categories, `deferred` and `time` of the result.
absl::StatusOr<CheckSettings> ParseMode(std::string_view text);

/// The settings that the environment asked for when the process began.
const CheckSettings& EnvironmentSettings();

/// The process's settings: the environment's (GRIDWISE_SIM, GRIDWISE_SIM_SEED) until
/// SetCheckSettings. They hold for later launches. Reports have source lines of code objects that
/// were loaded while something was checked. If the environment's text is not understood, that is
/// reported and everything is checked.
CheckSettings CurrentCheckSettings();
void SetCheckSettings(const CheckSettings& settings);

}  // namespace gridwise::sim
