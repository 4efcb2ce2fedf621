// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/launch/launch.h"

namespace gridwise {

/// The kernel of a pass ("transpose", "widen") that only copies elements of `bytes` bytes.
KernelCode PassCode(std::string_view pass, int bytes, Gfx gfx);

/// The kernel of a pass ("reduce") whose output has a type.
KernelCode PassCode(std::string_view pass, DataType type, Gfx gfx);

/// The kernel of a pass ("convert") that makes elements of another type.
KernelCode PassCode(std::string_view pass, DataType from, DataType to, Gfx gfx);

/// Whether kernels of passes wait for the previous launch, see LaunchShape::begins_early.
bool BeginsEarly(Gfx gfx);

}  // namespace gridwise
