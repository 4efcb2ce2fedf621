#include "instances/tile/gather.h"
#include "tile/kernel_gather.h"

namespace gridwise::tile {

/// The kernel of a row. The host finds it by its symbol, see GatherSymbol in tile/plan_gather.h.
template <int kRow>
GRIDWISE_KERNEL __attribute__((amdgpu_flat_work_group_size(kGatherRows[kRow].threads(),
                                                           kGatherRows[kRow].threads()),
                               amdgpu_waves_per_eu(kGatherRows[kRow].occupancy))) void
Gather(GatherArgs) {
  GatherTile<kGatherRows[kRow], kThisTarget>();
}

/// Naming a kernel compiles it: the rows of this shard that suit the target.
template <int kRow>
void Compile() {
  if constexpr (kRow < static_cast<int>(kGatherRows.size())) {
    if constexpr (Reject(kGatherRows[kRow], kThisTarget) == nullptr) {
      static_cast<void>(&Gather<kRow>);
    }
    Compile<kRow + GRIDWISE_SHARDS>();
  }
}
template void Compile<GRIDWISE_SHARD>();

}  // namespace gridwise::tile
