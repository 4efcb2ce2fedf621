// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target.h"

// The target's file of facts (core/arch/targets) has the compiler's name of the target, and the
// header of its matrix instructions for mma.h.
#ifndef GRIDWISE_THIS_TARGET
#error "Gridwise has no facts about this GPU target: CONTRIBUTING.md says how one is added"
#endif

namespace gridwise {

/// The target whose kernels this device code is; the processor may be another one of its family.
inline constexpr Gfx kThisTarget = Gfx::GRIDWISE_THIS_TARGET;

/// The waves per SIMD that the compiler is asked for, so that each has the registers that it has
/// where `occupancy` of them run on the target: fewer for processors with fewer registers, and for
/// families that have such. Without this, most instances would spill.
constexpr int WavesPerSimd(int occupancy) {
#ifdef GRIDWISE_HAS_TWO_THIRDS_OF_REGISTERS
  return occupancy > 1 ? occupancy * 2 / 3 : 1;
#else
  return occupancy;
#endif
}

}  // namespace gridwise
