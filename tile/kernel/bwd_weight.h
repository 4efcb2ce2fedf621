// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/kernel_args.h"
#include "core/arch/this_target.h"
#include "core/launch/block_map.h"
#include "core/layout/lds_tile.h"
#include "tile/epilogue/store_tile.h"
#include "tile/kernel/halo_weight.h"
#include "tile/lds_layout.h"
#include "tile/load/operands.h"
#include "tile/load/pixels.h"
#include "tile/pipeline/main_loop.h"
#include "tile/reject.h"

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

/// The split and the number of the tile of a workgroup, of those of a group.
struct SplitOfTile {
  int split, tile;
};
/// All tiles of a split read the same pixels and run next to each other. If workgroups join their
/// sums and each XCD has an L2, all splits of a tile do, so that L2 has the sums.
template <TileConfig kC>
GRIDWISE_DEVICE SplitOfTile SplitAt(const BwdWeightArgs& args, int slot) {
  if constexpr (kC.has_fixup() && kC.steps_over_images()) {
    if (args.split_order.is_by_tile != 0) {
      const int tile = static_cast<int>(Divide(slot, args.split_order.by_splits));
      return {.split = slot - tile * args.fixup.splits, .tile = tile};
    }
  }
  const int split = static_cast<int>(Divide(slot, args.map.by_tiles));
  return {.split = split, .tile = slot - split * args.map.tiles};
}

/// Where the tile's rows (output channels) and columns (the terms) are.
template <TileConfig kC>
class TermOutputMap {
 public:
  GRIDWISE_DEVICE TermOutputMap(const BwdWeightArgs& args, int group, int m, int n)
      : args_(args), group_(group), m_(m), n_(n) {}

  GRIDWISE_DEVICE int columns() const { return args_.terms - n_; }
  /// The tile's number in the launch.
  GRIDWISE_DEVICE int Tile() const {
    return group_ * args_.map.tiles + m_ / kC.tile.m * args_.n_tiles + n_ / kC.tile.n;
  }
  GRIDWISE_DEVICE const char* Base(const void* data, const OutputStrides& strides) const {
    return static_cast<const char*>(data) + group_ * strides.group;
  }
  GRIDWISE_DEVICE unsigned Row(const OutputStrides& strides, int row) const {
    const int channels = args_.dy.channels;
    int k = m_ + row;
    if constexpr (kC.reads_transposed(kC.patch_a)) k = PiecesOfRows{channels}.RowAt(k);
    return k < channels ? k * strides.row : Buffer::kOutOfRange;
  }
  GRIDWISE_DEVICE int Column(const OutputStrides& strides, int column) const {
    if (strides.packed) return (n_ + column) * strides.column;
    const TapChannel term = TermAt(args_, n_ + column);
    int offset = term.channel * strides.column;
    for (int a = 0; a < 3; ++a) offset += term.tap[a] * strides.axis[a];
    return offset;
  }

 private:
  const BwdWeightArgs& args_;
  const int group_, m_, n_;
};

/// Backward weight of a grouped convolution:
///
///   dw[g][k][t][c] = sum over images n and output pixels o of
///                    dy[n][o][g][k] * x[n][o * s + t * d - p][g][c]
///
/// as one GEMM per group: rows are output channels k, columns the terms (t, c), and K runs over the
/// output pixels of all images. One workgroup per tile of dw and group.
template <TileConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void BwdWeightKTiles() {
  static_assert(kC.patch_a.k == kC.patch_b.k, "both operands have the same runs of pixels");
  static_assert(kC.k_tiles_of_step() == 1, "pixels of two k tiles are not adjacent");
  GRIDWISE_LDS __attribute__((aligned(16))) char lds[LdsLayout{kC}.bytes()];

  const BwdWeightArgs& args = KernelArgs<BwdWeightArgs>();
  // XCDs have runs of the launch.
  const WorkgroupOfGroups workgroup = WorkgroupAt(args.map, BlockIdX(), BlockIdY(), BlockIdZ());
  const GroupOfSlot slot = GroupAt(args.map, workgroup.number);
  const int group = workgroup.first_group + slot.group;
  const auto [split, number] = SplitAt<kC>(args, slot.rest);
  const TileOfGemm tile = TileAt(args.map, number, args.m_tiles, args.n_tiles);
  const int m = tile.row * kC.tile.m, n = tile.column * kC.tile.n;

  using Walk = PixelWalk<kC.steps_over_images()>;
  const Walk walk(args, kC.patch_a.k, split);
  using LoadDy = LoadPixels<kC, kGfx, kC.tile.m, kC.patch_a, /*kThroughTaps=*/false>;
  using LoadX = LoadPixels<kC, kGfx, kC.tile.n, kC.patch_b, /*kThroughTaps=*/true>;
  const auto with_operands = [&](auto use) __attribute__((always_inline)) {
    const int k = m + LoadDy::Row(), channels = args.dy.channels;
    const int first = kC.reads_transposed(kC.patch_a) ? PiecesOfRows{channels}.First(k) : k;
    use(Operands<LoadDy, LoadX, Walk>{
        .a{args, args.dy, group, {.channel = first, .exists = k < channels}, walk},
        .b{args, args.x, group, TermAt(args, n + LoadX::Row()), walk},
        .walk = walk});
  };
  // Waves that load have no scalar registers to spare for the epilogue.
  const auto with_store = [&](auto use) __attribute__((always_inline)) {
    const BwdWeightArgs& reloaded_args = ReloadedKernelArgs<BwdWeightArgs>();
    const TermOutputMap<kC> output(reloaded_args, group, m, n);
    use(StoreTile<kC, kGfx, TermOutputMap<kC>>(reloaded_args.epilogue, reloaded_args.fixup, output,
                                               split, lds));
  };
  MainLoop<kC>(with_operands, walk.steps(), lds, with_store);
}

/// The kernel of an instance.
template <TileConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void BwdWeightTile() {
  static_assert(kGfx == kThisTarget, "the row and the object are for different targets");
  static_assert(Reject(kC, kGfx) == nullptr, "the instance does not suit the target");
  static_assert(kC.sums_blocks() == kC.has_halo(),
                "an instance with a halo gathers, or sums blocks");
  FetchKernelArgs<sizeof(BwdWeightArgs)>();
  if constexpr (kC.has_halo()) {
    HaloWeightTile<kC, kGfx>();
  } else {
    BwdWeightKTiles<kC, kGfx>();
  }
}

}  // namespace gridwise::tile
