// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace gridwise {

/// Escapes text for HTML, also within a quoted attribute.
std::string EscapeHtml(std::string_view text);

}  // namespace gridwise
