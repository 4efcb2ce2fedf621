#pragma once

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace gridwise {

/// The symbol of the kernel that is compiled from a row of a family's list, by the row's hash; see
/// GRIDWISE_ROW_SYMBOL (core/arch/row_kernel.h).
inline std::string RowSymbol(std::string_view family, std::string_view hash) {
  return absl::StrCat("gridwise_", family, "_", hash);
}

}  // namespace gridwise
