// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"

namespace gridwise {

/// Calls visit.operator()<kOut>() for `out_type`, a floating-point type of the output for operands
/// of kType. The type is the same in all lanes. `kUsuallySame` says that it usually is kType, whose
/// code is then contiguous with what is before.
template <DataType kType, bool kUsuallySame = false, DataType kOut = DataType::kF16, class Visitor>
GRIDWISE_DEVICE void WithFloatOutput(int out_type, Visitor&& visit) {
  if constexpr (kOut == DataType::kF32) {
    visit.template operator()<kOut>();
  } else {
    if constexpr (CanOutput(kType, kOut)) {
      const bool is = out_type == static_cast<int>(kOut);
      if (kUsuallySame && kOut == kType ? GRIDWISE_MOSTLY(is) : is) {
        visit.template operator()<kOut>();
        return;
      }
    }
    WithFloatOutput<kType, kUsuallySame, static_cast<DataType>(static_cast<int>(kOut) + 1)>(
        out_type, visit);
  }
}

}  // namespace gridwise
