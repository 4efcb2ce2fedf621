// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target.h"

// The target's file of facts (core/arch/targets) has the compiler's name of the target, and the
// header of its matrix instructions for mma.h.
#ifndef GRIDWISE_THIS_TARGET
#error "Gridwise has no facts about this GPU target: CONTRIBUTING.md says how one is added"
#endif

namespace gridwise {

/// The target that this device code is being compiled for.
inline constexpr Gfx kThisTarget = Gfx::GRIDWISE_THIS_TARGET;

}  // namespace gridwise
