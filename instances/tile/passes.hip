#include "tile/kernel_reduce.h"
#include "tile/kernel_transpose.h"
#include "tile/kernel_widen.h"

namespace gridwise::tile {

/// The launches before and after a row's. The host finds them by their symbols, see
/// tile/plan_reduce.h, tile/plan_transpose.h and tile/plan_widen.h.
template <DataType kType>
GRIDWISE_KERNEL __attribute__((amdgpu_flat_work_group_size(kReduceThreads, kReduceThreads))) void
Reduce(ReduceArgs) {
  ReduceTile<kType>();
}

template <class Word>
GRIDWISE_KERNEL
    __attribute__((amdgpu_flat_work_group_size(kTransposeThreads, kTransposeThreads))) void
    Transpose(TransposeArgs) {
  TransposeTile<Word>();
}

template <class Word>
GRIDWISE_KERNEL __attribute__((amdgpu_flat_work_group_size(kWidenThreads, kWidenThreads))) void
Widen(WidenArgs) {
  WidenTile<Word>();
}

void Compile() {
  static_cast<void>(&Reduce<DataType::kF16>);
  static_cast<void>(&Reduce<DataType::kBF16>);
  static_cast<void>(&Reduce<DataType::kF32>);
  static_cast<void>(&Transpose<unsigned char>);
  static_cast<void>(&Transpose<unsigned short>);
  static_cast<void>(&Transpose<unsigned>);
  static_cast<void>(&Widen<unsigned char>);
  static_cast<void>(&Widen<unsigned short>);
  static_cast<void>(&Widen<unsigned>);
}

}  // namespace gridwise::tile
