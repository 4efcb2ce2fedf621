// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"

namespace gridwise::sim {

/// The text of a printf of device code. `words` are the format, ended by a 0 byte, and the
/// arguments: each begins at a new word; a string is in place, ended by a 0 byte; floating-point
/// values are doubles; integers fill a word, of which the conversion's length says how many bits
/// count. (ROCm device libraries, ockl, the printf service; clang, AMDGPUEmitPrintf.)
///
/// InvalidArgument: the format or a string does not end, arguments are missing, or a conversion is
/// none of C's; %n and wide characters are not supported.
absl::StatusOr<std::string> FormatDevicePrintf(std::span<const uint64_t> words);

}  // namespace gridwise::sim
