#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "tools/sim/check/finding.h"

namespace gridwise::sim {

/// What is checked, and in what order things happen that may happen in another order too.
struct CheckSettings {
  uint32_t categories = 0;  // bit c: Category c
  bool deferred = false;    // what is put on a stream runs when the host waits for it
  /// Shuffles what is ready of deferred operations; where there is a check, or nothing is deferred,
  /// waves and workgroups, and preempts waves at random.
  std::optional<uint64_t> seed;

  bool Has(Category c) const { return (categories >> static_cast<int>(c) & 1) != 0; }
  bool on() const { return categories != 0; }
  bool has_values() const { return categories >> kUsualCategories != 0; }
};

/// Reads "check" (the usual categories), "check:waits,races" or "run" (nothing is checked).
absl::StatusOr<uint32_t> ParseCategories(std::string_view text);
/// The same, with "deferred" alone or "deferred," in front of it: categories and `deferred` of the
/// result.
absl::StatusOr<CheckSettings> ParseMode(std::string_view text);

/// The process's settings: the environment's (GRIDWISE_SIM, GRIDWISE_SIM_SEED) until
/// SetCheckSettings. They hold for launches from then on; reports have source lines of code objects
/// that were loaded while something was checked. What the environment asks for and is not
/// understood is reported, and everything is checked.
CheckSettings CurrentCheckSettings();
void SetCheckSettings(const CheckSettings& settings);

}  // namespace gridwise::sim
