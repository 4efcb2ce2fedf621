// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "core/arch/gpu.h"
#include "core/arch/kernel_args.h"
#include "core/launch/find_sub_gemm.h"
#include "tile/gather_args.h"

namespace gridwise::tile {

/// The tile of the output that this workgroup computes.
struct Block {
  ConstantWords gemm_words;
  SubGemm gemm;
  int group;  // the first one, if groups are merged
  int split;  // among those that share the tile's K
  int m, n;   // first row and column
  // Offsets within the tile count from this image, so that they fit 31 bits in any tensor.
  int first_image = 0;
  // The group's pixels, from GatherArgs::source_bias before that image on, and its weights.
  const char *source = nullptr, *w = nullptr;

  /// The tile's number in the launch, whose tiles have the given rows, columns and groups.
  GRIDWISE_DEVICE int Number(const GatherArgs& args, int tile_m, int tile_n, int groups) const {
    return group / groups * args.map.tiles + gemm.first_tile + m / tile_m * args.n_tiles +
           n / tile_n;
  }

  /// The same block, with its sub-GEMM loaded again, which takes no registers until then.
  GRIDWISE_DEVICE Block Reload() const {
    Block block = *this;
    block.gemm = LoadConstant<SubGemm>(Reloaded(gemm_words));
    return block;
  }
};

/// Where this workgroup is among those of its sub-GEMM.
struct WorkgroupOfGemm {
  ConstantWords gemm_words;
  int group;  // a number of runs of merged groups
  int slot;   // tile and split
};

/// The same if there are several groups or sub-GEMMs. The workgroups of a sub-GEMM start one after
/// the other. Every XCD gets a run of its tiles, with all groups and splits of each, or a run of
/// whole groups.
GRIDWISE_DEVICE WorkgroupOfGemm FindWorkgroup(const GatherArgs& args, int tile_m) {
  const auto [workgroup, first_group] = WorkgroupAt(args.map, BlockIdX(), BlockIdY(), BlockIdZ());
  const ConstantWords words = FindSubGemmWords(
      args, static_cast<int>(Divide(GroupAt(args.map, workgroup).rest, args.by_splits)));
  const SubGemm gemm = LoadConstant<SubGemm>(words);
  const int rows = CeilDiv<unsigned>(gemm.m, tile_m), of_tile = args.map.adjacent * args.splits;
  const GroupOfSlot slot =
      GroupAt(args.map, SlotOf(args.map.of_section, workgroup - gemm.first_tile * of_tile,
                               rows * args.n_tiles * of_tile));
  return {.gemm_words = words, .group = first_group + slot.group, .slot = slot.rest};
}

/// The tile of a workgroup, in a launch whose tiles have the given rows, columns and groups.
GRIDWISE_DEVICE Block BlockAt(const PlainGrid& grid, const WorkgroupOfGemm& workgroup,
                              const SubGemm& gemm, int tile_m, int tile_n, int groups) {
  const int tile_of_gemm = static_cast<int>(Divide(workgroup.slot, grid.by_splits));
  const TileOfGemm tile =
      TileAt(grid, tile_of_gemm, CeilDiv<unsigned>(gemm.m, tile_m), grid.n_tiles);
  return {.gemm_words = workgroup.gemm_words,
          .gemm = gemm,
          .group = workgroup.group * groups,
          .split = workgroup.slot - tile_of_gemm * grid.splits,
          .m = tile.row * tile_m,
          .n = tile.column * tile_n};
}

/// The tile of this workgroup. Comes first in a kernel, because it loads all arguments into the
/// cache. `at_once` says to load what finds a tile in a plain grid into registers, too: kernels
/// that keep all weights, or a scalar for each row of a patch of them, have too few.
GRIDWISE_DEVICE Block FindBlock(const GatherArgs& args, int tile_m, int tile_n, int groups,
                                bool at_once) {
  constexpr int kBytes = offsetof(GatherArgs, inline_table) + sizeof(SubGemm);
  static_assert(offsetof(GatherArgs, grid) == 0);
  const char* source = static_cast<const char*>(args.source) - args.source_bias;
  const char* w = static_cast<const char*>(args.w);
  const auto in_section = [&](const GatherArgs& args) {
    const WorkgroupOfGemm workgroup = FindWorkgroup(args, tile_m);
    source += workgroup.group * groups * args.source_group;
    w += workgroup.group * groups * args.w_group;
    return workgroup;
  };
  Block block;
  if (at_once) {
    auto gemm = InRegisters<SubGemm>::Load(InlineTable(args));
    const auto grid = FetchKernelArgs<kBytes, PlainGrid>(KernelArgWords(), gemm);
    WorkgroupOfGemm workgroup = {.gemm_words = InlineTable(args),
                                 .group = 0,
                                 .slot = SlotOfLaunch(grid, BlockIdZ() * grid.tiles + BlockIdX())};
    if (grid.kind != PlainGrid::kPlain) [[unlikely]] {
      workgroup = in_section(Reloaded(args));
      gemm = InRegisters<SubGemm>::Load(workgroup.gemm_words);
    }
    block = BlockAt(grid, workgroup, gemm.Get(), tile_m, tile_n, groups);
  } else {
    FetchKernelArgs<kBytes>();
    const WorkgroupOfGemm workgroup = in_section(args);
    block = BlockAt(args.grid, workgroup, LoadConstant<SubGemm>(workgroup.gemm_words), tile_m,
                    tile_n, groups);
  }
  if (args.grid.kind == PlainGrid::kCountsImages) [[unlikely]] {
    block.first_image = PixelOfRow(block.gemm, block.m).n;
    source += block.first_image * args.source_image;
  }
  block.source = source;
  block.w = w;
  return block;
}

}  // namespace gridwise::tile
