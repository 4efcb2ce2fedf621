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
/// waves that load call it.
template <TileConfig kC, class WithOperands>
GRIDWISE_DEVICE void MainLoop(WithOperands with_operands, int steps, char* lds, WaveAcc<kC>& acc) {
  if (steps == 0) return acc.Clear();
  if constexpr (kC.pipeline.schedule == Schedule::kWavelet) {
    if (IsMathWave<kC>()) {
      WaveletMathLoop<kC>(steps, lds, acc);
      return;
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
    }
  });
}

}  // namespace gridwise::tile
