// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "core/base/types.h"

namespace gridwise {

/// The type with this name, e.g. "bf16"; nullopt if there is none.
constexpr std::optional<DataType> ParseDataType(std::string_view name) {
  for (const DataType type : kAllDataTypes) {
    if (name == Name(type)) return type;
  }
  return std::nullopt;
}

}  // namespace gridwise
