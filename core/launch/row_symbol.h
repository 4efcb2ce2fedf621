#pragma once

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace gridwise {

/// The symbol of the kernel that is compiled from line `line` of a list of rows of a family; see
/// GRIDWISE_ROW_SYMBOL (core/arch/row_kernel.h).
inline std::string RowSymbol(std::string_view family, int line) {
  return absl::StrCat("gridwise_", family, "_", line);
}

}  // namespace gridwise
