// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "llvm/Support/JSON.h"

namespace gridwise {

/// Parses JSON from elsewhere; bytes that are not UTF-8 become U+FFFD.
///
/// Errors: kInvalidArgument with LLVM's reason, which names the line and column, or if there are
/// more than 200 levels of arrays and objects: LLVM's parser calls itself for each level.
absl::StatusOr<llvm::json::Value> ParseJson(std::string_view text);

/// The text of a document, on one line.
std::string JsonText(const llvm::json::Value& value);

}  // namespace gridwise
