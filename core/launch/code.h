#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/arch/target.h"
#include "core/launch/launch.h"
#include "tools/build/code_object.h"

namespace gridwise {

/// The code object of a kernel table for `gfx` that holds the table's row `row`: shards take rows
/// in turn, see gpu_kernel_table (tools/build/defs.bzl). Empty if the program has none for `gfx`.
std::string_view ObjectOf(CodeObjects objects, Gfx gfx, std::size_t row = 0);

/// The kernel `symbol` of a code object, and what it needs.
KernelCode CodeOf(std::string_view object, std::string symbol);

}  // namespace gridwise
