#pragma once

#include "core/arch/target.h"

namespace gridwise {

/// The target that this device code is being compiled for, and the header of its matrix
/// instructions, which mma.h includes, if it has any. The only place that asks the compiler.
#if defined(__gfx942__)
inline constexpr Gfx kThisTarget = Gfx::k942;
#define GRIDWISE_MMA_TABLE "core/arch/mma/gfx942.h"
#elif defined(__gfx950__)
inline constexpr Gfx kThisTarget = Gfx::k950;
#define GRIDWISE_MMA_TABLE "core/arch/mma/gfx950.h"
#elif defined(__gfx1100__)
inline constexpr Gfx kThisTarget = Gfx::k1100;
#define GRIDWISE_MMA_TABLE "core/arch/mma/gfx1100.h"
#elif defined(__gfx1201__)
inline constexpr Gfx kThisTarget = Gfx::k1201;
#define GRIDWISE_MMA_TABLE "core/arch/mma/gfx1201.h"
#elif defined(__NVPTX__)
inline constexpr Gfx kThisTarget = Gfx::kSm90a;
#else
#error "Gridwise has no facts about this GPU target: add it to core/arch/target.h and here"
#endif

}  // namespace gridwise
