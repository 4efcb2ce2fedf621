// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace gridwise {

/// The content of a file as text or bytes: decompressed if it is compressed by gzip, in UTF-8
/// without a byte-order mark if it is text in UTF-8 or UTF-16 with one.
///
/// Errors: kInvalidArgument if it is damaged or larger than 4 GiB.
absl::StatusOr<std::string> DecodeContent(std::string bytes);

/// Whether it is no text: it has control characters that no text has.
bool IsBinary(const std::string& content);

/// Whether it begins as a document of JSON.
bool LooksLikeJson(const std::string& content);

}  // namespace gridwise
