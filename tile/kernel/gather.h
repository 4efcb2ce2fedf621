#pragma once

#include "core/arch/this_target.h"
#include "tile/epilogue/store_tile.h"
#include "tile/load/block.h"
#include "tile/load/operands.h"
#include "tile/load/source.h"
#include "tile/load/weights_patches.h"
#include "tile/load/weights_rows.h"
#include "tile/pipeline/main_loop.h"

namespace gridwise::tile {

template <bool kAlongK, TileConfig kC, Gfx kGfx>
struct WeightLoader {
  using Type = LoadWeightsRows<kC, kGfx>;
};
template <TileConfig kC, Gfx kGfx>
struct WeightLoader<false, kC, kGfx> {
  using Type = LoadWeightsPatches<kC, kGfx>;
};

/// Where the tile's rows, cells of the output, and columns, its channels, are.
template <TileConfig kC>
class PlaceOfCells {
 public:
  GRIDWISE_DEVICE PlaceOfCells(const GatherArgs& args, const Block& block)
      : args_(args), block_(block) {}

  GRIDWISE_DEVICE int columns() const { return args_.n - block_.n; }
  GRIDWISE_DEVICE const char* Base(const void* data, const OutputStrides& strides) const {
    return static_cast<const char*>(data) + block_.first_image * strides.image +
           block_.group * strides.group + static_cast<long>(block_.n) * strides.column;
  }
  GRIDWISE_DEVICE unsigned Row(const OutputStrides& strides, int row) const {
    if (block_.m + row >= block_.gemm.m) return Buffer::kOutOfRange;
    const ClassCell cell = CellOfRow(block_.gemm, block_.m + row);
    int offset = (cell.n - block_.first_image) * static_cast<int>(strides.image);
    for (int a = 0; a < 3; ++a) {
      offset += OutputCell(block_.gemm.axis[a], args_.strides[a], cell.j[a]) * strides.axis[a];
    }
    return offset;
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
///   dx[n][i][g][c] = sum over taps t, cells o with o * s + t * d - p = i, and k of
///                    dy[n][o][g][k] * w[g][k][t][c]
///
/// as sub-GEMMs (core/conv/gemm_map.h): rows m are cells of the output, columns n its channels, and
/// K runs over taps and channels of the source. One workgroup per tile of the output and group.
/// Every cell of the output is written exactly once; a sub-GEMM without taps writes zeros.
template <TileConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void GatherTile() {
  static_assert(kGfx == kThisTarget, "the row and the object are for different targets");
  static_assert(Reject(kC, kGfx) == nullptr, "the row does not suit the target");
  GRIDWISE_LDS __attribute__((aligned(16))) char lds[kC.lds_bytes()];

  const GatherArgs& args = KernelArgs<GatherArgs>();
  // Which tile of which sub-GEMM.
  const Block block = FindBlock(args, kC.tile.m, kC.tile.n, kC.merge.groups);
  const PlaceOfCells<kC> place(args, block);
  const StoreTile<kC, kGfx, PlaceOfCells<kC>> out(args.epilogue, place, lds);

  const KWalk walk(args, block.gemm, kC.tile.k, SizeOf(kC.type), BlockIdZ());
  const auto operands = [&] {
    return Operands<LoadSource<kC, kGfx>, typename WeightLoader<kC.patch_b.n == 1, kC, kGfx>::Type,
                    KWalk>{.a{args, block}, .b{args, block}, .walk = walk};
  };
  WaveAcc<kC> acc;  // [wave_m][wave_n]
  MainLoop<kC>(operands, walk.steps(), lds, acc);
  out.Store(acc);
}

}  // namespace gridwise::tile
