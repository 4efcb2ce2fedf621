#pragma once

#include "core/arch/target.h"

// What the compiler calls a target is in the target's file of facts (core/arch/targets), which
// names the header of its matrix instructions, too, for mma.h.
#ifndef GRIDWISE_THIS_TARGET
#error "Gridwise has no facts about this GPU target: CONTRIBUTING.md says how one is added"
#endif

namespace gridwise {

/// The target that this device code is being compiled for.
inline constexpr Gfx kThisTarget = Gfx::GRIDWISE_THIS_TARGET;

}  // namespace gridwise
