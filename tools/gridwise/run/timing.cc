// SPDX-License-Identifier: MIT
#include "tools/gridwise/run/timing.h"

#include "absl/strings/str_format.h"

namespace gridwise {

std::string Timing::Limit() const {
  if (measured) return "";
  if (limiter.empty()) return "";
  return absl::StrFormat("%s (%.0f %% less without it)", limiter, 100 * gain);
}

}  // namespace gridwise
