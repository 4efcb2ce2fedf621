// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gridwise {

/// Translates values and flags of other libraries (tools/tune/our_words.h, docs/coming-from.md) to
/// ours: "run bwd-data --type fp16" becomes "run bwd_data --type=f16". The first argument is the
/// program's name. Unknown words stay as they are.
///
/// Errors: kInvalidArgument for a word that means something else here, or that is ambiguous.
absl::StatusOr<std::vector<std::string>> InOurWords(std::vector<std::string> arguments);

}  // namespace gridwise
