// SPDX-License-Identifier: MIT
#include "tools/page/page_data.h"

#include <cstddef>

#include "absl/status/status.h"
#include "tools/text/json.h"

namespace gridwise {

absl::StatusOr<llvm::json::Value> PageData(std::string_view page) {
  constexpr std::string_view kBegin = "<script id=\"data\" type=\"application/json\">";
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = page.find("</script>", begin);
  if (begin == page.npos || end == page.npos) {
    return absl::InvalidArgumentError("the page has no element with the id \"data\"");
  }
  const std::size_t first = begin + kBegin.size();
  return ParseJson(page.substr(first, end - first));
}

}  // namespace gridwise
