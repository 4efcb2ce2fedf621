// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "tools/sim/time/machine/machine.h"

namespace gridwise::sim::time {

/// A machine from JSON: that of a target or a product, `base` (core/text/parse_device.h), and what
/// is different about it.
///
///   {"name": "MI300A", "base": "gfx942", "parameters": {
///     "units": {"value": 228, "source": "data sheet"},
///     "launch_us": {"value": 4.2, "low": 3, "high": 5, "source": "measured, event pair"}}}
///
/// Names are those of Fields(). The error says which part is missing, unknown or without a source.
absl::StatusOr<Machine> ParseMachine(std::string_view json);
/// The same from the file at `path`.
absl::StatusOr<Machine> ReadMachine(std::string_view path);

}  // namespace gridwise::sim::time
