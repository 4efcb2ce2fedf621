#pragma once

#include <string>
#include <string_view>

namespace gridwise {

/// Text as HTML, also within a quoted attribute.
std::string EscapeHtml(std::string_view text);

}  // namespace gridwise
