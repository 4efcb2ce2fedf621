// SPDX-License-Identifier: MIT
#include "core/text/html.h"

#include "absl/strings/str_replace.h"

namespace gridwise {

std::string EscapeHtml(std::string_view text) {
  return absl::StrReplaceAll(text,
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

}  // namespace gridwise
