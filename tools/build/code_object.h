#pragma once

#include <span>
#include <string_view>

namespace gridwise {

/// An AMD GPU code object (ELF) that is embedded in this program.
struct CodeObject {
  std::string_view gfx;  // the target it was compiled for, e.g. "gfx942"
  std::string_view
      data;  // the ELF's bytes, 4096-byte aligned: hipModuleLoadData(&module, data.data())
};

using CodeObjects = std::span<const CodeObject>;

}  // namespace gridwise
