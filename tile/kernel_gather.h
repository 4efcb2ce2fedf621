#pragma once

#include "ck/arch/this_target.h"
#include "tile/block.h"
#include "tile/epilogue.h"
#include "tile/load_source.h"
#include "tile/load_weights_patches.h"
#include "tile/load_weights_rows.h"
#include "tile/pipeline_single_lds.h"

namespace gridwise::tile {

template <bool kAlongK, TileConfig kC, Gfx kGfx>
struct WeightLoader {
  using Type = LoadWeightsRows<kC, kGfx>;
};
template <TileConfig kC, Gfx kGfx>
struct WeightLoader<false, kC, kGfx> {
  using Type = LoadWeightsPatches<kC, kGfx>;
};

/// Bytes from the output's block.first_image to column block.n of a row of the tile.
template <TileConfig kC>
GRIDWISE_DEVICE unsigned OutputOffset(const GatherArgs& args, const Block& block, int row) {
  if (block.m + row >= block.gemm.m) return Buffer::kOutOfRange;
  const ClassCell cell = CellOfRow(block.gemm, block.m + row);
  int offset =
      (cell.n - block.first_image) * static_cast<int>(args.out_image) + block.n * SizeOf(kC.type);
  for (int a = 0; a < 3; ++a) {
    offset += OutputCell(block.gemm.axis[a], args.steps[a], cell.j[a]) * args.out_cell[a];
  }
  return offset;
}

/// Forward and backward-data of a grouped convolution:
///
///   y[n][o][g][k]  = sum over taps t and c of x[n][o * s + t * d - p][g][c] * w[g][k][t][c]
///   dx[n][i][g][c] = sum over taps t, cells o with o * s + t * d - p = i, and k of
///                    dy[n][o][g][k] * w[g][k][t][c]
///
/// as sub-GEMMs (ck/conv/gemm_map.h): rows m are cells of the output, columns n its channels, and K
/// runs over taps and channels of the source. One workgroup per tile of the output and group. Every
/// cell of the output is written exactly once; a sub-GEMM without taps writes zeros.
template <TileConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void GatherTile() {
  static_assert(kGfx == kThisTarget, "the row and the object are for different targets");
  static_assert(Reject(kC, kGfx) == nullptr, "the row does not suit the target");
  GRIDWISE_LDS __attribute__((aligned(16))) char lds[kC.lds_bytes()];
  unsigned* const row_offsets = reinterpret_cast<unsigned*>(lds + kC.lds_bytes()) - kC.tile.m;

  const GatherArgs& args = KernelArgs<GatherArgs>();
  const Block block = FindBlock(args, kC.tile.m, kC.tile.n);  // which tile of which sub-GEMM
  const StoreTile<kC> out(
      Buffer::From<kGfx>(static_cast<char*>(args.out) + block.first_image * args.out_image +
                         block.group * args.out_group),
      args.n - block.n, row_offsets, [&](int row) { return OutputOffset<kC>(args, block, row); });

  KWalk walk(args, block.gemm, kC.tile.k, SizeOf(kC.type));
  LoadSource<kC, kGfx> source(args, block);
  typename WeightLoader<kC.patch_b.n == 1, kC, kGfx>::Type w(args, block);

  WaveAcc<kC> acc;  // [wave_m][wave_n]
  MainLoop<kC>(source, w, walk, KWalk::Steps(args, block.gemm, kC.tile.k), lds, acc);
  out.Store(acc, lds);
}

}  // namespace gridwise::tile
