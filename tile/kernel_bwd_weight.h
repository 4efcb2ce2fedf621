#pragma once

#include "ck/arch/this_target.h"
#include "tile/block.h"
#include "tile/epilogue.h"
#include "tile/load_cells.h"
#include "tile/pipeline_single_lds.h"

namespace gridwise::tile {

/// The filter tap and channel of a term, 0 <= term < args.terms.
GRIDWISE_DEVICE TapChannel TermAt(const BwdWeightArgs& args, int term) {
  const int tap = Divide(term, args.by_channels);
  const int by_w = Divide(tap, args.by_filter_w);
  const int by_h = Divide(by_w, args.by_filter_h);
  return {.tap = {by_h, by_w - by_h * args.filter_h, tap - by_w * args.filter_w},
          .channel = term - tap * args.x.channels,
          .exists = term < args.terms};
}

/// Backward weight of a grouped convolution:
///
///   dw[g][k][t][c] = sum over images n and output cells o of
///                    dy[n][o][g][k] * x[n][o * s + t * d - p][g][c]
///
/// as one GEMM per group: rows are output channels k, columns the terms (t, c), and K runs over the
/// output cells of all images. One workgroup per tile of dw and group.
template <TileConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void BwdWeightTile() {
  static_assert(kGfx == kThisTarget, "the row and the object are for different targets");
  static_assert(Reject(kC, kGfx) == nullptr, "the row does not suit the target");
  static_assert(kC.patch_a.k == kC.patch_b.k, "both operands have the same runs of cells");
  GRIDWISE_LDS __attribute__((aligned(16))) char lds[kC.lds_bytes()];
  unsigned* const row_offsets = reinterpret_cast<unsigned*>(lds + kC.lds_bytes()) - kC.tile.m;

  const BwdWeightArgs& args = KernelArgs<BwdWeightArgs>();
  const int tile = BlockIdX(), group = BlockIdY();
  const int tile_m = Divide(tile, args.by_n_tiles);
  const int m = tile_m * kC.tile.m, n = (tile - tile_m * args.n_tiles) * kC.tile.n;
  const int row_bytes = args.terms * SizeOf(kC.type);  // of dw, from one k to the next
  const StoreTile<kC> dw(
      Buffer::From<kGfx>(static_cast<char*>(args.dw) + group * args.dw_group), args.terms - n,
      row_offsets, [&](int row) {
        return m + row < args.dy.channels
                   ? static_cast<unsigned>((m + row) * row_bytes + n * SizeOf(kC.type))
                   : Buffer::kOutOfRange;
      });

  CellWalk walk(args, kC.patch_a.k);
  using LoadDy = LoadCells<kC, kGfx, kC.tile.m, kC.patch_a>;
  using LoadX = LoadCells<kC, kGfx, kC.tile.n, kC.patch_b>;
  const int k = m + LoadDy::Row();
  LoadDy dy(args, args.dy, group, {.channel = k, .exists = k < args.dy.channels});
  LoadX x(args, args.x, group, TermAt(args, n + LoadX::Row()));

  WaveAcc<kC> acc;  // [wave_m][wave_n]
  MainLoop<kC>(dy, x, walk, CellWalk::Steps(args), lds, acc);
  dw.Store(acc, lds);
}

}  // namespace gridwise::tile
