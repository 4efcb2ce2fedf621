// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "core/arch/kernel_args.h"
#include "core/launch/sub_gemm_table.h"

namespace gridwise {

inline constexpr int kSubGemmWords = sizeof(SubGemm) / 4;

/// The address of the kernel's inline table of sub-GEMMs.
template <class Args>
GRIDWISE_DEVICE ConstantWords InlineTable([[maybe_unused]] const Args& args) {
#if defined(__NVPTX__)
  return (ConstantWords)args.inline_table;
#else
  return KernelArgWords() + offsetof(Args, inline_table) / 4;
#endif
}

/// The address of the sub-GEMM to which workgroup tile `tile` belongs: the last one whose tiles
/// begin at or before it. `Args` are the kernel's; their sub-GEMMs are in `table`, or in
/// `inline_table` if that is null.
template <class Args>
GRIDWISE_DEVICE ConstantWords FindSubGemmWords(const Args& args, int tile) {
  static_assert(offsetof(SubGemm, first_tile) == 0);
  const ConstantWords table = args.table != nullptr ? (ConstantWords)args.table : InlineTable(args);
  int low = 0, high = args.sub_gemms;  // first_tile of low <= tile < first_tile of high
  while (high - low > 1) [[unlikely]] {
    const int middle = (low + high) / 2;
    const bool at_or_after = table[middle * kSubGemmWords] <= tile;
    low = at_or_after ? middle : low;
    high = at_or_after ? high : middle;
  }
  return table + low * kSubGemmWords;
}

template <class Args>
GRIDWISE_DEVICE SubGemm FindSubGemm(const Args& args, int tile) {
  return LoadConstant<SubGemm>(FindSubGemmWords(args, tile));
}

}  // namespace gridwise
