// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "core/arch/target.h"

namespace gridwise {

/// Returns a Markdown table of the convolutions and matrix multiplications that each family and op
/// supports, by target, type and layout. The planner determines each cell: it lists the small
/// problems that have a plan. These are 3x3 and 1x1 filters of 1 to 3 axes in every layout, or
/// matrices in every order. What is given restricts the table: `direction` may be "gemm".
std::string SupportTable(const std::string& family, const std::string& direction = "",
                         std::optional<Gfx> target = std::nullopt);

}  // namespace gridwise
