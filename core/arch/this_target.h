#pragma once

#include "core/arch/target.h"

namespace gridwise {

/// The target that this device code is being compiled for. The only place that asks the compiler.
#if defined(__gfx942__)
inline constexpr Gfx kThisTarget = Gfx::k942;
#elif defined(__gfx950__)
inline constexpr Gfx kThisTarget = Gfx::k950;
#elif defined(__gfx1100__)
inline constexpr Gfx kThisTarget = Gfx::k1100;
#elif defined(__gfx1201__)
inline constexpr Gfx kThisTarget = Gfx::k1201;
#elif defined(__NVPTX__)
inline constexpr Gfx kThisTarget = Gfx::kSm90a;
#else
#error "Gridwise has no facts about this GPU target: add it to core/arch/target.h and here"
#endif

}  // namespace gridwise
