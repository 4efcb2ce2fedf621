#pragma once

#include "ck/arch/memory.h"
#include "ck/base/math.h"
#include "tile/direct_args.h"
#include "tile/direct_config.h"

namespace gridwise::tile {

/// What the direct kernels share: lanes along channels, and windows of cells along w.

template <DirectConfig kC>
using DirectVec = Vec<Element<kC.type>, kC.channels>;

/// Index of the wave in its workgroup, and of the lane in its wave.
template <Gfx kGfx>
GRIDWISE_DEVICE int WaveOfGroup() {
  return Uniform(ThreadId() / TraitsOf(kGfx).wave_size);
}
template <Gfx kGfx>
GRIDWISE_DEVICE int LaneOfWave() {
  return ThreadId() % TraitsOf(kGfx).wave_size;
}

/// `offset`, or kOutOfRange where a condition does not hold: not with other bits of the offset set,
/// to which a uniform offset is still added.
GRIDWISE_DEVICE unsigned OffsetIf(bool condition, int offset) {
  return condition ? static_cast<unsigned>(offset) : Buffer::kOutOfRange;
}

/// Whether cell `i` of an axis of `size` cells exists.
GRIDWISE_DEVICE bool IsCell(int i, int size) {
  return static_cast<unsigned>(i) < static_cast<unsigned>(size);
}

}  // namespace gridwise::tile
