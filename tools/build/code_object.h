// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace gridwise {

/// A code object that is embedded in this program: an AMD GPU ELF, or PTX as
/// tools/build/private/pack_ptx.sh packs it.
struct CodeObject {
  std::string_view gfx;   // what it was compiled for: "gfx942", "gfx11-generic"
  std::string_view data;  // its bytes, 4096-byte aligned: hipModuleLoadData(&module, data.data())
};

using CodeObjects = std::span<const CodeObject>;

}  // namespace gridwise
