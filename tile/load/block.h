#pragma once

#include "core/arch/gpu.h"
#include "core/launch/find_sub_gemm.h"
#include "tile/gather_args.h"

namespace gridwise::tile {

/// The tile of the output that this workgroup computes.
struct Block {
  ConstantWords gemm_words;
  SubGemm gemm;
  int group;        // the first one, where groups are merged
  int m, n;         // first row and column
  int first_image;  // of row m; offsets within the tile count from it, so that they fit 31 bits in
                    // any tensor

  /// The same, with its sub-GEMM loaded again, which takes no registers until then.
  GRIDWISE_DEVICE Block LoadedAnew() const {
    Block block = *this;
    block.gemm = LoadConstant<SubGemm>(Anew(gemm_words));
    return block;
  }
};

/// The tile of this workgroup, in a launch whose tiles have so many rows, columns and groups.
GRIDWISE_DEVICE Block FindBlock(const GatherArgs& args, int tile_m, int tile_n, int groups) {
  const int slot = SlotOf(args.map, BlockIdX());
  Block block;
  block.gemm_words = FindSubGemmWords(args, slot);
  block.gemm = LoadConstant<SubGemm>(block.gemm_words);
  const TileOfGemm tile =
      TileAt(args.map, slot - block.gemm.first_tile, CeilDiv(block.gemm.m, tile_m), args.n_tiles);
  block.group = BlockIdY() * groups;
  block.m = tile.row * tile_m;
  block.n = tile.column * tile_n;
  block.first_image = CellOfRow(block.gemm, block.m).n;
  return block;
}

}  // namespace gridwise::tile
