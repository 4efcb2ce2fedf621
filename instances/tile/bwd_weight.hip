#include "instances/tile/compile_rows.h"
#include "instances/tile/rows.h"
#include "tile/kernel_bwd_weight.h"

namespace gridwise::tile {

/// The kernel of a row. The host finds it by its symbol, see BwdWeightSymbol in
/// tile/plan_bwd_weight.h.
template <int kRow>
GRIDWISE_ROW_KERNEL(kBwdWeightRows[kRow])
BwdWeight(BwdWeightArgs) {
  BwdWeightTile<kBwdWeightRows[kRow], kThisTarget>();
}

void Compile() {
  CompileRows<kBwdWeightRows>([]<int kRow> { static_cast<void>(&BwdWeight<kRow>); });
}

}  // namespace gridwise::tile
