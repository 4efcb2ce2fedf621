// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/tune/times.h"

namespace gridwise {

/// A page about the times of sweeps (PageKind::kSweep): for each device, direction and type the
/// best kernel of each problem. Where problems have several times, also every kernel's efficiency
/// on every problem, how many problems each family wins, and how good the least estimates are. A
/// kernel's efficiency is the best kernel's time divided by its own. kInvalidArgument if there are
/// no times.
absl::StatusOr<std::string> MakeReport(const std::vector<TimedProblem>& problems);

}  // namespace gridwise
