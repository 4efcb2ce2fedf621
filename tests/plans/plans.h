// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/arch/target.h"

namespace gridwise {

/// What is planned for each problem of `set` ("retinanet", of tests/problems) on `gfx`, in each of
/// its directions and the types of matrix units: a line each, under a line of titles.
absl::StatusOr<std::string> PrintPlans(const std::string& set, Gfx gfx);

}  // namespace gridwise
