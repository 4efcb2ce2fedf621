#include "instances/tile/compile_rows.h"
#include "instances/tile/direct_rows.h"
#include "tile/kernel_direct_gather.h"
#include "tile/kernel_direct_weight.h"

namespace gridwise::tile {

/// The kernels of a row. The host finds them by their symbols, see tile/plan_direct.h.
template <int kRow>
GRIDWISE_KERNEL __attribute__((
    amdgpu_flat_work_group_size(kDirectGatherWaves * TraitsOf(kThisTarget).wave_size,
                                kDirectGatherWaves* TraitsOf(kThisTarget).wave_size))) void
DirectGather(DirectGatherArgs) {
  DirectGatherTile<kDirectRows[kRow], kThisTarget>();
}
template <int kRow>
GRIDWISE_KERNEL __attribute__((
    amdgpu_flat_work_group_size(kDirectWeightWaves * TraitsOf(kThisTarget).wave_size,
                                kDirectWeightWaves* TraitsOf(kThisTarget).wave_size))) void
DirectWeight(DirectWeightArgs) {
  DirectWeightTile<kDirectRows[kRow], kThisTarget>();
}

void Compile() {
  CompileRows<kDirectRows>([]<int kRow> {
    static_cast<void>(&DirectGather<kRow>);
    if constexpr (SizeOf(kDirectRows[kRow].type) > 1) {  // 8 bits are of forward alone
      static_cast<void>(&DirectWeight<kRow>);
    }
  });
}

}  // namespace gridwise::tile
