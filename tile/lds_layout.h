// SPDX-License-Identifier: MIT
#pragma once

#include "tile/block_sums.h"
#include "tile/config.h"
#include "tile/halo_layout.h"

namespace gridwise::tile {

/// The LDS of a workgroup. It holds the operands. After the main loop each wave stages its tile
/// where they were, some matrix instructions at a time, followed by offsets of its rows: in the
/// output, and in the tensors that are combined with it.
struct LdsLayout {
  TileConfig config;

  constexpr int operand_bytes() const {
    if (!config.has_halo()) return config.lds_buffers() * config.k_tile_bytes();
    return config.sums_blocks() ? BlockSums{config}.bytes() : HaloLayout{config}.bytes();
  }

  /// What a wave stages at a time: all of its columns if they fit, and then several rows of matrix
  /// instructions; otherwise some of the columns of one row. A margin keeps writes of runs aligned
  /// and puts adjacent rows on different banks.
  struct Stage {
    int reps_m, reps_n;  // matrix instructions
    int rows, columns, pitch;
    constexpr int bytes() const { return rows * pitch; }
  };
  /// The stage for elements of `element` bytes.
  constexpr Stage StageFor(int element) const {
    const int reps_m = config.reps_m(), reps_n = config.reps_n();
    int of_n = reps_n, of_m = 1;
    while (of_n > min_stage_reps_n() && MakeStage(1, of_n, element).bytes() > stage_room()) {
      const bool halves = of_n % (2 * min_stage_reps_n()) == 0;
      of_n = halves ? of_n / 2 : min_stage_reps_n();
    }
    while (of_n == reps_n && reps_m % (2 * of_m) == 0 &&
           MakeStage(2 * of_m, of_n, element).bytes() <= stage_room()) {
      of_m *= 2;
    }
    return MakeStage(of_m, of_n, element);
  }

  // Bytes of a wave: the largest stage, which the offsets of rows follow.
  constexpr int row_offsets_at() const {
    const int of_4 = StageFor(4).bytes(), of_2 = StageFor(2).bytes();
    return of_4 > of_2 ? of_4 : of_2;
  }
  constexpr int epilogue_bytes() const { return row_offsets_at() + offset_bytes(); }

  constexpr int bytes() const {
    const int epilogue = config.waves.m * config.waves.n * epilogue_bytes();
    return operand_bytes() > epilogue ? operand_bytes() : epilogue;
  }

 private:
  static constexpr int kOutputs = 3;

  constexpr Stage MakeStage(int reps_m, int reps_n, int element) const {
    constexpr int kMargin = 16;
    const int columns = reps_n * config.mma_n();
    return {reps_m, reps_n, reps_m * config.mma_m(), columns, columns * element + kMargin};
  }
  constexpr int min_stage_reps_n() const {
    if (config.groups_at_once() > 1) return config.reps_n();  // their columns are not adjacent
    if (config.sums_blocks()) return TileConfig::kBlock / config.mma.m;  // a tap
    int reps = config.reps_n();
    while (reps % 2 == 0) reps /= 2;
    return reps;
  }
  /// Bytes for a wave's stage.
  constexpr int stage_room() const {
    // LDS bounds the number of workgroups of configs that sum blocks, so their stages take no more
    // room than operands.
    const bool has_room = config.has_halo() && !config.sums_blocks();
    const int limit = has_room ? HaloLayout::kRoom : operand_bytes();
    const int least = MakeStage(1, min_stage_reps_n(), 4).bytes();
    const int room = limit / (config.waves.m * config.waves.n) / 16 * 16 - offset_bytes();
    return room > least ? room : least;
  }
  constexpr int offset_bytes() const { return kOutputs * config.wave_m() * 4; }
};

}  // namespace gridwise::tile
