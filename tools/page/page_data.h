// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "llvm/Support/JSON.h"

namespace gridwise {

/// The document that a page of MakePage shows. kInvalidArgument if `page` is not such a page.
absl::StatusOr<llvm::json::Value> PageData(std::string_view page);

}  // namespace gridwise
