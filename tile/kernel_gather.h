#pragma once

#include "ck/arch/this_target.h"
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
  const StoreTile<kC, kGfx> out(args, block, row_offsets);

  KWalk walk(args, block.gemm, kC.tile.k, SizeOf(kC.type));
  LoadSource<kC, kGfx> source(args, block);
  typename WeightLoader<kC.patch_b.n == 1, kC, kGfx>::Type w(args, block);

  WaveAcc<kC> acc;  // [wave_m][wave_n]
  MainLoop<kC>(source, w, walk, KWalk::Steps(args, block.gemm, kC.tile.k), lds, acc);
  out.Store(acc, lds);
}

}  // namespace gridwise::tile
