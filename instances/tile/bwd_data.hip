#include "instances/tile/bwd_data.h"
#include "tile/kernel_bwd_data.h"

namespace gridwise::tile {

/// The kernel of a row. The host finds it by its symbol, see BwdDataSymbol in tile/plan_bwd_data.h.
template <int kRow>
GRIDWISE_KERNEL __attribute__((amdgpu_flat_work_group_size(kBwdDataRows[kRow].threads(),
                                                           kBwdDataRows[kRow].threads()),
                               amdgpu_waves_per_eu(kBwdDataRows[kRow].occupancy))) void
BwdData(BwdDataArgs) {
  BwdDataTile<kBwdDataRows[kRow], kThisTarget>();
}

template <int...>
struct Rows {};
template <class, int... kIndex>
using RowsOfShard = Rows<GRIDWISE_SHARD + kIndex * GRIDWISE_SHARDS...>;

/// Naming the kernels compiles them.
template <int... kRow>
void Compile(Rows<kRow...>) {
  (static_cast<void>(&BwdData<kRow>), ...);
}
template void Compile(
    __make_integer_seq<RowsOfShard, int,
                       CeilDiv<int>(sizeof(kBwdDataRows) / sizeof(TileConfig) - GRIDWISE_SHARD,
                                    GRIDWISE_SHARDS)>);

}  // namespace gridwise::tile
