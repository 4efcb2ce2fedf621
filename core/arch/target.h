// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/mma_shape.h"
#include "core/arch/target_list.h"

namespace gridwise {

// target_list.h, generated from tools/build/targets.bzl and the facts in targets/, has Gfx, the GPU
// targets; kAllGfx; kAmdGfx, the targets that the simulator executes; kDefaultGfx, those of them
// that a build is for unless it names others; and TraitsOf, everything that differs between
// targets. Code should ask for traits, not for names.

/// Whether the target has instructions that multiply matrices of `type`.
constexpr bool HasType(Gfx gfx, DataType type) {
  const TargetTraits target = TraitsOf(gfx);
  const int m = target.mma_unit == MmaUnit::kWgmma ? 64 : 16;
  return MmaK(target.mma_unit, m, type, target.mfma_generation) != 0 ||
         (target.Has(MmaUnit::kFma) && MmaK(MmaUnit::kFma, 16, type, 0) != 0);
}

constexpr const char* Name(Gfx gfx) { return TraitsOf(gfx).name; }

}  // namespace gridwise
