#pragma once

#include "tile/config.h"
#include "tile/pipeline/direct_lds.h"
#include "tile/pipeline/double_lds.h"
#include "tile/pipeline/single_lds.h"
#include "tile/pipeline/wavelet.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// acc += A * B over the steps of K, by the config's schedule. `make_operands()` computes the
/// addresses of Operands; the waves that load call it.
template <TileConfig kC, class MakeOperands>
GRIDWISE_DEVICE void MainLoop(MakeOperands make_operands, int steps, char* lds, WaveAcc<kC>& acc) {
  if (steps == 0) return;
  if constexpr (kC.pipeline.schedule == Schedule::kSingle) {
    SingleLdsLoop<kC>(make_operands(), steps, lds, acc);
  } else if constexpr (kC.pipeline.schedule == Schedule::kDouble) {
    DoubleLdsLoop<kC>(make_operands(), steps, lds, acc);
  } else if constexpr (kC.pipeline.schedule == Schedule::kDirect) {
    DirectLdsLoop<kC>(make_operands(), steps, lds, acc);
  } else if (IsMathWave<kC>()) {
    WaveletMathLoop<kC>(steps, lds, acc);
  } else {
    WaveletLoadLoop<kC>(make_operands(), steps, lds);
  }
}

}  // namespace gridwise::tile
