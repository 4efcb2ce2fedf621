// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/this_target.h"
#include "tile/epilogue/store_tile.h"
#include "tile/kernel/halo.h"
#include "tile/kernel/halo_k_tiles.h"
#include "tile/lds_layout.h"
#include "tile/load/block.h"
#include "tile/load/operands.h"
#include "tile/load/source.h"
#include "tile/load/weight_loader.h"
#include "tile/pipeline/main_loop.h"
#include "tile/reject.h"

namespace gridwise::tile {

/// Whether the tile is a plain one, whose loads decide nothing from step to step: channels fill
/// vectors, and a group has at least a pair of columns. Nearly all tiles are plain.
template <TileConfig kC>
GRIDWISE_DEVICE bool IsPlain(const GatherArgs& args) {
  const bool pairs = kC.patch_b.n != 2 || kC.merge != 1 || args.n != 1;
  return !IsRagged<kC>(args) && pairs;
}

/// Where the tile's rows (pixels of the output) and columns (its channels) are.
template <TileConfig kC>
class PixelOutputMap {
 public:
  GRIDWISE_DEVICE PixelOutputMap(const GatherArgs& args, const Block& block)
      : args_(args), block_(block) {}

  GRIDWISE_DEVICE int columns() const { return args_.n - block_.n; }
  /// The tile's number in the launch.
  GRIDWISE_DEVICE int Tile() const { return block_.Number(args_, kC.tile.m, kC.tile.n, kC.merge); }
  GRIDWISE_DEVICE const char* Base(const void* data, const OutputStrides& strides) const {
    long offset = static_cast<long>(block_.n) * strides.column;
    if (args_.grid.kind == PlainGrid::kCountsImages) [[unlikely]]
      offset += block_.first_image * strides.image;
    if (!GRIDWISE_MOSTLY(block_.group == 0)) offset += block_.group * strides.group;
    return static_cast<const char*>(data) + offset;
  }
  GRIDWISE_DEVICE unsigned Row(const OutputStrides& strides, int row) const {
    PhasePixel pixel = PixelOfLine(block_.m + row);
    if (!IsLine(block_.gemm)) pixel = PixelOfRow(block_.gemm, block_.m + row);
    int offset = (pixel.n - block_.first_image) * static_cast<int>(strides.image);
    for (int a = 0; a < 3; ++a) {
      offset += OutputPixel(block_.gemm.axis[a], args_.strides[a], pixel.j[a]) * strides.axis[a];
    }
    return block_.m + row < block_.gemm.m ? offset : Buffer::kOutOfRange;
  }
  GRIDWISE_DEVICE int Column(const OutputStrides& strides, int column) const {
    return column * strides.column;
  }

 private:
  const GatherArgs& args_;
  const Block& block_;
};

/// Forward and backward-data of a grouped convolution:
///
///   y[n][o][g][k]  = sum over taps t and c of x[n][o * s + t * d - p][g][c] * w[g][k][t][c]
///   dx[n][i][g][c] = sum over taps t, pixels o with o * s + t * d - p = i, and k of
///                    dy[n][o][g][k] * w[g][k][t][c]
///
/// as sub-GEMMs (core/conv/gemm_map.h): rows m are pixels of the output, columns n its channels,
/// and K runs over taps and channels of the source. One workgroup per tile of the output and group.
/// Every pixel of the output is written exactly once; a sub-GEMM without taps writes zeros.
template <TileConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void GatherKTiles() {
  GRIDWISE_LDS __attribute__((aligned(16))) char lds[LdsLayout{kC}.bytes()];

  const GatherArgs& args = KernelArgs<GatherArgs>();
  // The tile, and its sub-GEMM.
  const Block block = FindBlock(args, kC.tile.m, kC.tile.n, kC.merge,
                                /*at_once=*/kC.patch_b.n != 2);
  const KWalk walk(args, block.gemm, kC.step_k(), SizeOf(kC.type), block.split);
  const auto with_operands = [&](auto use) __attribute__((always_inline)) {
    const auto with = [&]<bool kPlain>() __attribute__((always_inline)) {
      using LoadWeights = WeightLoader<kC.patch_b.n == 1, kC, kGfx, kPlain>::Type;
      use(Operands<LoadSource<kC, kGfx, kPlain>, LoadWeights, KWalk>{
          .a{args, block}, .b{args, block}, .walk = walk});
    };
    if (GRIDWISE_MOSTLY(IsPlain<kC>(args))) {
      with.template operator()<true>();
    } else {
      with.template operator()<false>();
    }
  };
  // Waves that load have no scalar registers to spare for the epilogue.
  const auto with_store = [&](auto use) __attribute__((always_inline)) {
    const GatherArgs& reloaded_args = ReloadedKernelArgs<GatherArgs>();
    const Block reloaded_block = block.Reload();
    const PixelOutputMap<kC> output(reloaded_args, reloaded_block);
    use(StoreTile<kC, kGfx, PixelOutputMap<kC>>(reloaded_args.epilogue, reloaded_args.fixup, output,
                                                block.split, lds));
  };
  MainLoop<kC>(with_operands, walk.steps(), lds, with_store);
}

/// The kernel of an instance.
template <TileConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void GatherTile() {
  static_assert(kGfx == kThisTarget, "the row and the object are for different targets");
  static_assert(Reject(kC, kGfx) == nullptr, "the instance does not suit the target");
  if constexpr (kC.has_taps_in_lds()) {
    HaloKTiles<kC, kGfx>();
  } else if constexpr (kC.has_halo()) {
    HaloTile<kC, kGfx>();
  } else {
    GatherKTiles<kC, kGfx>();
  }
}

}  // namespace gridwise::tile
