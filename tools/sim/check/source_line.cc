// SPDX-License-Identifier: MIT
#include "tools/sim/check/source_line.h"

#include <string_view>

#include "absl/strings/str_cat.h"

namespace gridwise::sim {

std::string SourceLine::ToString() const {
  if (line == 0) return "";
  const std::string_view path = file;
  return absl::StrCat(path.substr(path.rfind('/') + 1), ":", line);
}

}  // namespace gridwise::sim
