// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "llvm/Support/JSON.h"

namespace gridwise {

/// Parses JSON that a user has written. Errors: kInvalidArgument with LLVM's reason, which names
/// the line, or if there are more than 100 levels of arrays and objects: LLVM's parser calls itself
/// for each level, without a limit.
absl::StatusOr<llvm::json::Value> ParseJson(std::string_view text);

}  // namespace gridwise
