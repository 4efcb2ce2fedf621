#pragma once

#include <cstddef>

#include "core/arch/gpu.h"
#include "tile/gather_args.h"

namespace gridwise::tile {

/// Memory that no kernel writes while this one runs, as 32-bit words: uniform loads from it are
/// scalar loads.
using ConstantWords = const __attribute__((address_space(4))) int*;

template <class T>
GRIDWISE_DEVICE T LoadConstant(ConstantWords words) {
  struct Words {
    int word[sizeof(T) / 4];
  } copy;
  for (unsigned i = 0; i < sizeof(T) / 4; ++i) copy.word[i] = words[i];
  return __builtin_bit_cast(T, copy);
}

/// The arguments of this kernel, which takes one T, where the dispatch put them.
GRIDWISE_DEVICE ConstantWords KernelArgWords() {
  return (ConstantWords)__builtin_amdgcn_kernarg_segment_ptr();
}
template <class T>
GRIDWISE_DEVICE const T& KernelArgs() {
  return *(const T*)KernelArgWords();
}

/// The tile of the output that this workgroup computes.
struct Block {
  SubGemm gemm;
  int group;        // the first one, where groups are merged
  int m, n;         // first row and column
  int first_image;  // of row m; offsets within the tile count from it, so that they fit 31 bits in
                    // any tensor
};

inline constexpr int kSubGemmWords = sizeof(SubGemm) / 4;

/// Index of the last of `sub_gemms` sub-GEMMs whose tiles begin at or before `tile`.
GRIDWISE_DEVICE int FindSubGemm(ConstantWords table, int sub_gemms, int tile) {
  static_assert(offsetof(SubGemm, first_tile) == 0);
  int low = 0, high = sub_gemms;  // first_tile of low <= tile < first_tile of high
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    const bool at_or_after = table[middle * kSubGemmWords] <= tile;
    low = at_or_after ? middle : low;
    high = at_or_after ? high : middle;
  }
  return low;
}

/// The tile of this workgroup, in a launch whose tiles have so many rows, columns and groups.
GRIDWISE_DEVICE Block FindBlock(const GatherArgs& args, int tile_m, int tile_n, int groups) {
  const ConstantWords table = args.table != nullptr
                                  ? (ConstantWords)args.table
                                  : KernelArgWords() + offsetof(GatherArgs, inline_table) / 4;
  const int tile = BlockIdX();
  Block block;
  block.gemm =
      LoadConstant<SubGemm>(table + FindSubGemm(table, args.sub_gemms, tile) * kSubGemmWords);
  const int local = tile - block.gemm.first_tile;
  const int row = Divide(local, args.by_n_tiles);
  block.group = BlockIdY() * groups;
  block.m = row * tile_m;
  block.n = (local - row * args.n_tiles) * tile_n;
  block.first_image = CellOfRow(block.gemm, block.m).n;
  return block;
}

}  // namespace gridwise::tile
