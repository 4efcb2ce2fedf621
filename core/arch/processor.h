// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "core/arch/target.h"

namespace gridwise {

/// A processor as the compiler and HIP's gcnArchName call it, and the code that it runs.
/// processor_list.h, generated from tools/build/targets.bzl, lists them as kProcessors.
struct Processor {
  std::string_view name;     // "gfx1102"
  std::string_view generic;  // what code for all of its family is compiled for: "gfx11-generic"
  Gfx gfx;                   // whose kernels it runs, compiled for itself or for its family
};

}  // namespace gridwise
