// SPDX-License-Identifier: MIT
#include "core/passes/columns.h"
#include "core/passes/convert.h"
#include "core/passes/overlap_add.h"
#include "core/passes/reduce.h"
#if defined(__NVPTX__)
#include "core/passes/split.h"
#endif
#include "core/passes/sum_tap_rows.h"
#include "core/passes/transpose.h"
#include "core/passes/widen.h"

/// The kernels of the passes. The host finds them by these symbols, see PassCode.

#if defined(__NVPTX__)

#include "core/arch/hopper.h"

#define GRIDWISE_PASS(symbol, threads, Args, ...)                                 \
  extern "C" GRIDWISE_KERNEL __attribute__((launch_bounds(threads))) void symbol( \
      const __attribute__((grid_constant)) Args args) {                           \
    LetNextLaunchBegin();                                                         \
    WaitForLaunchBefore();                                                        \
    __VA_ARGS__(args);                                                            \
  }

#else

#include "core/arch/kernel_args.h"

#define GRIDWISE_PASS(symbol, threads, Args, ...)                                                \
  extern "C" GRIDWISE_KERNEL __attribute__((amdgpu_flat_work_group_size(threads, threads))) void \
  symbol(Args) {                                                                                 \
    __VA_ARGS__(KernelArgs<Args>());                                                             \
  }

#endif

namespace gridwise {

GRIDWISE_PASS(gridwise_columns_b8, kColumnsThreads, ColumnsArgs, ColumnsTile<unsigned char>)
GRIDWISE_PASS(gridwise_columns_b16, kColumnsThreads, ColumnsArgs, ColumnsTile<unsigned short>)
GRIDWISE_PASS(gridwise_columns_b32, kColumnsThreads, ColumnsArgs, ColumnsTile<unsigned>)
using Unsigned2 = Vec<unsigned, 2>;
using Unsigned4 = Vec<unsigned, 4>;
GRIDWISE_PASS(gridwise_columns_b64, kColumnsThreads, ColumnsArgs, ColumnsTile<Unsigned2>)
GRIDWISE_PASS(gridwise_columns_b128, kColumnsThreads, ColumnsArgs, ColumnsTile<Unsigned4>)

#if defined(__NVPTX__)
#define GRIDWISE_CONVERT(from, kFrom, to, kTo)                                \
  GRIDWISE_PASS(gridwise_convert_##from##_##to, kConvertThreads, ConvertArgs, \
                ConvertTile<DataType::kFrom, DataType::kTo>)
GRIDWISE_CONVERT(f8e4m3fn, kF8E4M3, f16, kF16)
GRIDWISE_CONVERT(f8e4m3fn, kF8E4M3, bf16, kBF16)
GRIDWISE_CONVERT(f8e5m2, kF8E5M2, f16, kF16)
GRIDWISE_CONVERT(f8e5m2, kF8E5M2, bf16, kBF16)
GRIDWISE_CONVERT(i8, kI8, f16, kF16)
#endif

GRIDWISE_PASS(gridwise_overlap_add_f16, kOverlapAddThreads, OverlapAddArgs,
              OverlapAddTile<DataType::kF16>)
GRIDWISE_PASS(gridwise_overlap_add_bf16, kOverlapAddThreads, OverlapAddArgs,
              OverlapAddTile<DataType::kBF16>)
GRIDWISE_PASS(gridwise_overlap_add_f32, kOverlapAddThreads, OverlapAddArgs,
              OverlapAddTile<DataType::kF32>)

GRIDWISE_PASS(gridwise_reduce_f16, kReduceThreads, ReduceArgs, ReduceTile<DataType::kF16>)
GRIDWISE_PASS(gridwise_reduce_bf16, kReduceThreads, ReduceArgs, ReduceTile<DataType::kBF16>)
GRIDWISE_PASS(gridwise_reduce_f32, kReduceThreads, ReduceArgs, ReduceTile<DataType::kF32>)
GRIDWISE_PASS(gridwise_shared_reduce_f16, kReduceThreads, ReduceArgs,
              SharedReduceTile<DataType::kF16>)
GRIDWISE_PASS(gridwise_shared_reduce_bf16, kReduceThreads, ReduceArgs,
              SharedReduceTile<DataType::kBF16>)
GRIDWISE_PASS(gridwise_shared_reduce_f32, kReduceThreads, ReduceArgs,
              SharedReduceTile<DataType::kF32>)

#if defined(__NVPTX__)
GRIDWISE_PASS(gridwise_split_f32, kSplitThreads, SplitArgs, SplitTile)
#endif

GRIDWISE_PASS(gridwise_sum_tap_rows_f16, kTapRowsThreads, SumTapRowsArgs,
              SumTapRowsTile<DataType::kF16>)
GRIDWISE_PASS(gridwise_sum_tap_rows_bf16, kTapRowsThreads, SumTapRowsArgs,
              SumTapRowsTile<DataType::kBF16>)
GRIDWISE_PASS(gridwise_sum_tap_rows_f32, kTapRowsThreads, SumTapRowsArgs,
              SumTapRowsTile<DataType::kF32>)

GRIDWISE_PASS(gridwise_transpose_b8, kTransposeThreads, TransposeArgs, TransposeTile<unsigned char>)
GRIDWISE_PASS(gridwise_transpose_b16, kTransposeThreads, TransposeArgs,
              TransposeTile<unsigned short>)
GRIDWISE_PASS(gridwise_transpose_b32, kTransposeThreads, TransposeArgs, TransposeTile<unsigned>)

GRIDWISE_PASS(gridwise_widen_b8, kWidenThreads, WidenArgs, WidenTile<unsigned char>)
GRIDWISE_PASS(gridwise_widen_b16, kWidenThreads, WidenArgs, WidenTile<unsigned short>)
#if !defined(__NVPTX__)
GRIDWISE_PASS(gridwise_widen_b32, kWidenThreads, WidenArgs, WidenTile<unsigned>)
#else
GRIDWISE_PASS(gridwise_widen_b32, kWidenThreads, WidenArgs, WidenWords<unsigned>)
GRIDWISE_PASS(gridwise_widen_b64, kWidenThreads, WidenArgs, WidenWords<Unsigned2>)
GRIDWISE_PASS(gridwise_widen_b128, kWidenThreads, WidenArgs, WidenWords<Unsigned4>)
GRIDWISE_PASS(gridwise_widen_two_b32, kWidenThreads, WidenTwoArgs, WidenWordsOfTwo<unsigned>)
GRIDWISE_PASS(gridwise_widen_two_b64, kWidenThreads, WidenTwoArgs, WidenWordsOfTwo<Unsigned2>)
GRIDWISE_PASS(gridwise_widen_two_b128, kWidenThreads, WidenTwoArgs, WidenWordsOfTwo<Unsigned4>)
#endif

}  // namespace gridwise
