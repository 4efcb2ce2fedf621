// SPDX-License-Identifier: MIT
/// What the simulator reads of its environment, and coverage files: what is written reads as the
/// same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "tools/sim/check/settings.h"
#include "tools/sim/view/coverage.h"
#include "tools/sim/view/inspect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridwise::sim;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const absl::StatusOr<CheckSettings> settings = ParseMode(text); settings.ok()) {
    CHECK(!(settings->time && settings->on()));
  }
  (void)ParseBreakPlace(text);
  (void)ParseInspectedWave(text);
  if (const absl::StatusOr<Coverage> coverage = ParseCoverage(text); coverage.ok()) {
    const absl::StatusOr<Coverage> again = ParseCoverage(CoverageBlock(*coverage));
    CHECK_OK(again.status());
    CHECK(CoverageBlock(*again) == CoverageBlock(*coverage));
  }
  return 0;
}
