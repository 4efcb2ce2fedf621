// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace gridwise {

/// The symbol of the kernel compiled from an instance of a family's list, by the instance's hash;
/// see GRIDWISE_INSTANCE_SYMBOL (core/arch/instance_kernel.h).
inline std::string InstanceSymbol(std::string_view family, std::string_view hash) {
  return absl::StrCat("gridwise_", family, "_", hash);
}

}  // namespace gridwise
