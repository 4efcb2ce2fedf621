#include "instances/tile/compile_rows.h"
#include "instances/tile/rows.h"
#include "tile/kernel_gather.h"

namespace gridwise::tile {

/// The kernel of a row. The host finds it by its symbol, see GatherSymbol in tile/plan_gather.h.
template <int kRow>
GRIDWISE_ROW_KERNEL(kGatherRows[kRow])
Gather(GatherArgs) {
  GatherTile<kGatherRows[kRow], kThisTarget>();
}

void Compile() {
  CompileRows<kGatherRows>([]<int kRow> { static_cast<void>(&Gather<kRow>); });
}

}  // namespace gridwise::tile
