#pragma once

#include "core/arch/mma_shape.h"
#include "core/arch/target_list.h"

namespace gridwise {

// Gfx, the GPU targets; kAllGfx; kAmdGfx, those that the simulator executes and that every valid
// problem has a plan on; TraitsOf, everything that differs between targets, for code that asks for
// traits and not for names: target_list.h has them, made of the list in tools/build/targets.bzl and
// of the facts in targets/.

/// Whether the target has instructions that multiply matrices of `type`.
constexpr bool HasType(Gfx gfx, DataType type) {
  const TargetTraits target = TraitsOf(gfx);
  const int m = target.mma_unit == MmaUnit::kWgmma ? 64 : 16;
  return MmaK(target.mma_unit, m, type, target.mma_double_k) != 0 ||
         (target.Has(MmaUnit::kFma) && MmaK(MmaUnit::kFma, 16, type, false) != 0);
}

constexpr const char* Name(Gfx gfx) { return TraitsOf(gfx).name; }

}  // namespace gridwise
