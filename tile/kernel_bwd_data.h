#pragma once

#include "ck/arch/this_target.h"
#include "tile/epilogue.h"
#include "tile/load_dy.h"
#include "tile/load_weights.h"
#include "tile/pipeline_single_lds.h"

namespace gridwise::tile {

/// Backward data of a grouped convolution:
///
///   dx[n][i][g][c] = sum over taps y, output cells o with o * s + y * d - p = i, and k of
///   dy[n][o][g][k] * w[g][k][y][c]
///
/// as sub-GEMMs (ck/conv/gemm_map.h): rows m are cells of dx, columns n are channels c, and K runs
/// over taps and k. One workgroup per tile of dx and group. Every cell of dx is written exactly
/// once; a sub-GEMM without taps writes zeros.
template <TileConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void BwdDataTile() {
  static_assert(kGfx == kThisTarget, "the row and the object are for different targets");
  static_assert(Reject(kC, kGfx) == nullptr, "the row does not suit the target");
  GRIDWISE_LDS __attribute__((aligned(16))) char lds[kC.lds_bytes()];
  unsigned* const row_offsets = reinterpret_cast<unsigned*>(lds + kC.lds_bytes()) - kC.tile.m;

  const BwdDataArgs& args = KernelArgs<BwdDataArgs>();
  const Block block = FindBlock(args, kC.tile.m, kC.tile.n);  // which tile of which sub-GEMM
  const StoreDx<kC, kGfx> dx(args, block, row_offsets);

  KWalk walk(args, block.gemm, kC.tile.k);
  LoadDy<kC, kGfx> dy(args, block);
  LoadWeights<kC, kGfx> w(args, block, walk);

  WaveAcc<kC> acc;  // [wave_m][wave_n]
  MainLoop<kC>(dy, w, walk, KWalk::Steps(args, block.gemm, kC.tile.k), lds, acc);
  dx.Store(acc, lds);
}

}  // namespace gridwise::tile
