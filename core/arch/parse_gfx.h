// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "core/arch/target.h"

namespace gridwise {

/// The target that is called `name`, e.g. "gfx942"; nothing if there is none.
constexpr std::optional<Gfx> ParseGfx(std::string_view name) {
  for (Gfx gfx : kAllGfx) {
    if (name == Name(gfx)) return gfx;
  }
  return std::nullopt;
}

}  // namespace gridwise
