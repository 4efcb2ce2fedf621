#include "core/passes/reduce.h"
#include "core/passes/transpose.h"
#include "core/passes/widen.h"

namespace gridwise {

/// The kernels of the passes. The host finds them by these symbols, see PassCode.

#define GRIDWISE_PASS(threads) \
  extern "C" GRIDWISE_KERNEL __attribute__((amdgpu_flat_work_group_size(threads, threads))) void

GRIDWISE_PASS(kReduceThreads) gridwise_reduce_f16(ReduceArgs) { ReduceTile<DataType::kF16>(); }
GRIDWISE_PASS(kReduceThreads) gridwise_reduce_bf16(ReduceArgs) { ReduceTile<DataType::kBF16>(); }
GRIDWISE_PASS(kReduceThreads) gridwise_reduce_f32(ReduceArgs) { ReduceTile<DataType::kF32>(); }

GRIDWISE_PASS(kTransposeThreads)
gridwise_transpose_b8(TransposeArgs) { TransposeTile<unsigned char>(); }
GRIDWISE_PASS(kTransposeThreads)
gridwise_transpose_b16(TransposeArgs) { TransposeTile<unsigned short>(); }
GRIDWISE_PASS(kTransposeThreads)
gridwise_transpose_b32(TransposeArgs) { TransposeTile<unsigned>(); }

GRIDWISE_PASS(kWidenThreads) gridwise_widen_b8(WidenArgs) { WidenTile<unsigned char>(); }
GRIDWISE_PASS(kWidenThreads) gridwise_widen_b16(WidenArgs) { WidenTile<unsigned short>(); }
GRIDWISE_PASS(kWidenThreads) gridwise_widen_b32(WidenArgs) { WidenTile<unsigned>(); }

}  // namespace gridwise
