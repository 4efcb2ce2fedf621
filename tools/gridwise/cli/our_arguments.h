#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gridwise {

/// The program's arguments, its name first, with values and flags that users of other libraries
/// write (tools/tune/our_words.h, docs/coming-from.md) in our words: "run bwd-data --type fp16" as
/// "run bwd_data --type=f16". What is not known is left as it is. kInvalidArgument for a word that
/// means something else here, or one of two things.
absl::StatusOr<std::vector<std::string>> InOurWords(std::vector<std::string> arguments);

}  // namespace gridwise
