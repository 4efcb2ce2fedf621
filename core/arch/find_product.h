// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "core/arch/processor_list.h"
#include "core/arch/product_list.h"

namespace gridwise {

/// The processor that is called `name`, e.g. "gfx1102"; null if there are no kernels for it.
constexpr const Processor* FindProcessor(std::string_view name) {
  for (const Processor& processor : kProcessors) {
    if (processor.name == name) return &processor;
  }
  return nullptr;
}

/// Whether a device with `processor` runs code that was compiled for `name`: the processor, or its
/// family. Source: LLVM AMDGPUUsage, "Generic Processors".
constexpr bool RunsCodeFor(const Processor& processor, std::string_view name) {
  return name == processor.name || (!name.empty() && name == processor.generic);
}

/// The product that a device is, or is most like: of its processor, that which HIP's name of the
/// device names; else one with as many compute units; else the first one. Of the products of its
/// target if there is none of its processor. `hip_name` may be empty, `units` 0.
constexpr const Product& ProductLike(const Processor& processor, std::string_view hip_name,
                                     int units) {
  const Product* best = nullptr;
  int most = -1;
  for (const Product& product : ProductsOf(processor.gfx)) {
    const bool is_named = hip_name == product.full_name;
    const int score =
        4 * (product.processor == processor.name) + 2 * is_named + (product.compute_units == units);
    if (score <= most) continue;
    most = score;
    best = &product;
  }
  return *best;
}

}  // namespace gridwise
