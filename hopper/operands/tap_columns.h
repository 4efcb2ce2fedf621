// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/conv/problem.h"
#include "core/rewrite/tap_columns.h"

namespace gridwise::hopper {

/// The columns with the least estimated time for `problem`; nullopt if it is faster without.
std::optional<TapColumns> ChooseTapColumns(const ConvProblem& problem);

}  // namespace gridwise::hopper
