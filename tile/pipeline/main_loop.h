#pragma once

#include "tile/config.h"
#include "tile/pipeline/direct_lds.h"
#include "tile/pipeline/double_lds.h"
#include "tile/pipeline/single_lds.h"
#include "tile/pipeline/wavelet.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// acc = A * B over the steps of K, by the config's schedule. `with_operands(use)` computes the
/// addresses of the Operands, of the kind that the problem needs, and calls `use` with them; the
/// waves that load call it. False in a wave that only loads, which has no sums, and is to end. If
/// it went on with the others, these would wait for its last loads, wherever their registers are
/// used again.
template <TileConfig kC, class WithOperands>
GRIDWISE_DEVICE bool MainLoop(WithOperands with_operands, int steps, char* lds, WaveAcc<kC>& acc) {
  const bool multiplies = IsMathWave<kC>();
  if (steps == 0) {
    acc.Clear();
    if (!multiplies) BarrierLds();
    return multiplies;
  }
  if constexpr (kC.pipeline.schedule == Schedule::kWavelet) {
    if (multiplies) {
      WaveletMathLoop<kC>(steps, lds, acc);
      return true;
    }
  }
  with_operands([&](auto operands) __attribute__((always_inline)) {
    if constexpr (kC.pipeline.schedule == Schedule::kSingle) {
      SingleLdsLoop<kC>(operands, steps, lds, acc);
    } else if constexpr (kC.pipeline.schedule == Schedule::kDouble) {
      DoubleLdsLoop<kC>(operands, steps, lds, acc);
    } else if constexpr (kC.pipeline.schedule == Schedule::kDirect) {
      DirectLdsLoop<kC>(operands, steps, lds, acc);
    } else {
      WaveletLoadLoop<kC>(operands, steps, lds);
      BarrierLds();  // StoreTile's
    }
  });
  return multiplies;
}

}  // namespace gridwise::tile
