// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/mma_shape.h"
#include "core/arch/target.h"
#include "core/base/math.h"
#include "core/base/mnk.h"
#include "core/base/types.h"
#include "core/layout/lds_tile.h"
#include "core/text/instance_fields.h"

namespace gridwise::tile {

/// A tile kernel, as a value: D[m][n] = sum over k of A[m][k] * B[k][n], a workgroup per tile of D.
///
/// An instance that merges groups computes all columns of several groups with few channels in one
/// tile. B is then block-diagonal, and LDS holds only its blocks; the columns of a group are
/// multiplied by the k of that group. Rows of A are therefore long runs of memory, no k is padding,
/// and a NaN or infinity stays in its group.
struct TileConfig {
  struct Patch {
    int k = 0, n = 0;
    static constexpr void Fields(auto& self, auto&& visit) {
      auto& [k, n] = self;
      visit("", k);
      visit("", n);
    }
    bool operator==(const Patch&) const = default;
  };

  DataType type = DataType::kF16;  // of operands; sums are SumType(type)
  Mnk tile;                        // elements per workgroup and K step
  Waves waves;                     // of a workgroup; only those that multiply
  MmaShape mma;                    // matrix instruction
  // Elements of A and B that a lane loads at a time. One of: a vector along k; a patch of k by 2
  // rows, which the lane transposes; 8 rows of one k, which LDS reads transpose; 4 or 8 rows of
  // blocks. A run along k shorter than a vector is for channels that end within a vector and must
  // be a multiple of the run; other instances load these channels one by one.
  Patch patch_a, patch_b;
  int occupancy = 1;  // waves per SIMD for which registers are allocated
  Pipeline pipeline = {};
  Omittable<1> merge = {};  // convolution groups that a tile computes together
  // Pixels of each source plane that LDS holds at a time, and that a tile reads through every
  // filter tap (kernel/halo.h, kernel/halo_weight.h). 0: a tile's rows are loaded for each tap.
  Omittable<0> halo = {};
  // With a halo, the stride along h and w: adjacent output pixels meet source pixels this far
  // apart. LDS holds the source as stride x stride planes of adjacent pixels.
  Omittable<1> stride = {};
  // Filter taps along w whose weights LDS holds at a time, in addition to the pixels of a halo,
  // while a tile walks over the k tiles of its channels (kernel/halo_k_tiles.h). 0: registers hold
  // the weights of all taps.
  Omittable<0> taps_in_lds = {};
  // With a halo of packed pixels: elements per pixel in LDS; the last ones may be zeros. K runs
  // over these elements and the filter taps along w. 0: K runs over channels only.
  Omittable<0> pixel = {};
  // How many workgroups that share the K of a tile may join their sums in the launch; the last one
  // adds them up (epilogue/fixup.h). 0: a second launch adds the sums of any number of workgroups.
  Omittable<0> fixup = {};

  /// Its name (core/base/fields.h): f16_t256x128x32_w2x2_mfma32x32x8_a8x1_b8x2_o2, or
  /// f16_t128x128x32_w2x2_mfma32x32x8_a8x1_b8x2_o2_wavelet4.
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [type, tile, waves, mma, patch_a, patch_b, occupancy, pipeline, merge, halo, stride, taps,
           pixel, fixup] = self;
    visit("", type);
    visit("t", tile);
    visit("w", waves);
    visit("", mma);
    visit("a", patch_a);
    visit("b", patch_b);
    visit("o", occupancy);
    visit("", pipeline);
    visit("g", merge);
    visit("halo", halo);
    visit("s", stride);
    visit("taps", taps);
    visit("px", pixel);
    visit("fixup", fixup);
  }
  bool operator==(const TileConfig&) const = default;

  constexpr int vector() const { return LdsTile::kVectorBytes / SizeOf(type); }  // elements
  constexpr int math_threads() const { return waves.m * waves.n * mma.lanes(); }
  constexpr int load_waves() const {  // waves that only load; they follow the others
    return pipeline.schedule == Schedule::kWavelet ? pipeline.count : 0;
  }
  constexpr int threads() const { return math_threads() + load_waves() * mma.lanes(); }
  constexpr int load_threads() const {
    return load_waves() > 0 ? load_waves() * mma.lanes() : threads();
  }
  constexpr int wave_m() const { return tile.m / waves.m; }
  constexpr int wave_n() const { return tile.n / waves.n; }
  // Merged groups that a matrix instruction multiplies, one per block; and a wave's turns for all
  // of its own.
  constexpr int groups_at_once() const { return mma.blocks() < merge ? mma.blocks() : merge; }
  constexpr int groups_in_turn() const {
    return merge == 1 ? 1 : merge / waves.n / groups_at_once();
  }
  // Rows and columns of the tile in one matrix instruction, whose A is the tile's B; and the number
  // of instructions of a wave along each.
  constexpr int mma_m() const { return mma.n * (mma.blocks() / groups_at_once()); }
  constexpr int mma_n() const {
    return sums_blocks() ? wave_n() / (kBlock / mma.m * kTapsOfWave) : mma.m * groups_at_once();
  }
  constexpr int reps_m() const { return wave_m() / mma_m(); }
  constexpr int reps_n() const { return wave_n() / mma_n(); }
  // For each group of the tile: source channels in a k tile, columns, and the matrix instructions
  // that cover them.
  constexpr int k_of_group() const { return tile.k / merge; }
  constexpr int n_of_group() const { return tile.n / merge; }
  constexpr int reps_n_of_group() const { return reps_n() / groups_in_turn(); }
  /// The first of a wave's columns in its n-th matrix instruction.
  constexpr int FirstColumn(int n) const {
    const int turn = n / reps_n_of_group(), rep = n % reps_n_of_group();
    return turn * groups_at_once() * n_of_group() + rep * mma.m;
  }
  /// The row and column of accumulator `reg` of a lane within a row of matrix instructions of its
  /// wave, for the n-th of them.
  constexpr RowCol PositionOfAcc(int lane, int n, int reg) const {
    const RowCol owner = OwnerOfAcc(mma, lane, reg);
    const int block = mma.BlockOf(lane), group = block % groups_at_once();
    return {.row = block / groups_at_once() * mma.n + owner.col,
            .col = FirstColumn(n) + group * n_of_group() + owner.row};
  }
  // K tiles may end within the vector of the last channels, unless groups are merged, loads go
  // straight to LDS (by vectors), k tiles are loaded together, or there is a halo.
  constexpr bool has_ragged_k_tiles() const {
    return merge == 1 && !loads_to_lds() && k_tiles_of_step() == 1 && !has_halo();
  }

  constexpr bool loads_to_lds() const { return pipeline.schedule == Schedule::kDirect; }
  constexpr bool has_halo() const { return halo > 0; }
  /// Whether the config is for backward-weight with a halo (kernel/halo_weight.h, BlockSums): for
  /// each tap of a row of the filter, a wave sums products of one block of dy's channels and one of
  /// x's. The tile's columns are those of a row's own group.
  constexpr bool sums_blocks() const { return has_halo() && patch_a.k == 1 && patch_a.n > 1; }
  /// Whether a step of backward-weight may have pixels of several images. Lanes load single pixels.
  constexpr bool steps_over_images() const { return patch_a.k == 1 && !has_halo(); }
  static constexpr int kBlock = 32, kTapsOfWave = 3;
  constexpr bool has_taps_in_lds() const { return taps_in_lds > 0; }
  /// Whether a workgroup keeps the weights of all taps for several tiles.
  constexpr bool has_resident_weights() const { return has_halo() && !has_taps_in_lds(); }
  constexpr bool packs_pixels() const { return pixel > 0; }
  /// Positions of a halo along an axis that `taps` filter taps reach over.
  constexpr int reach_h(int taps) const { return CeilDiv<int>(taps, stride); }
  constexpr int reach_w(int taps) const { return reach_h(packs_pixels() ? tile.k / pixel : taps); }
  /// Whether resident weights and pixels are loaded by parts of vectors, each of which exists or
  /// does not.
  constexpr bool loads_partial_vectors() const {
    return has_resident_weights() && !packs_pixels() && !sums_blocks() && patch_a.k < vector();
  }
  /// Whether merged groups may have fewer channels than their part of the tile. The rest is zeros
  /// in LDS, and its columns are not stored.
  constexpr bool fills_groups() const { return loads_partial_vectors() && merge > 1; }

  constexpr LdsTile lds_a() const { return {.rows = tile.m, .vectors_per_row = tile.k / vector()}; }
  constexpr LdsTile lds_b() const {
    return {.rows = tile.n, .vectors_per_row = CeilDiv(k_of_group(), vector())};
  }
  /// The layout of operands that are loaded straight to LDS: along k, or across it if reads
  /// transpose them.
  constexpr LdsRows lds_rows(int rows) const {
    return {.rows = rows, .vectors_per_row = tile.k / vector()};
  }
  constexpr LdsLines lds_lines(int rows) const { return {.rows = rows, .k = tile.k}; }
  /// Whether reads from LDS transpose operands loaded by such patches.
  constexpr bool reads_transposed(Patch patch) const { return patch.n == LdsLines::kPieceRows; }

  /// Elements that a lane loads at a time where the last channels end within a vector.
  constexpr int ragged(Patch patch) const {
    return patch.k < vector() ? patch.k : loads_to_lds() ? vector() : 1;
  }
  constexpr int k_tile_bytes() const { return lds_a().bytes() + lds_b().bytes(); }
  constexpr int lds_buffers() const {
    return loads_to_lds() ? pipeline.count : pipeline.schedule == Schedule::kSingle ? 1 : 2;
  }
  constexpr int k_tiles_in_flight() const {  // being loaded from memory while another is multiplied
    if (load_waves() > 0) return 2;
    return loads_to_lds() ? pipeline.count - 1 : pipeline.count;
  }
  /// K tiles that one step of the main loop loads and multiplies, and their k.
  constexpr int k_tiles_of_step() const {
    return pipeline.schedule == Schedule::kSingle ? pipeline.count : 1;
  }
  constexpr int step_k() const { return k_tiles_of_step() * tile.k; }

  // A lane reads whole vectors from LDS, enough for one or several matrix instructions. It reads
  // less if whole vectors would reach beyond a group's k.
  constexpr int read_elements() const {
    return vector() * mma.lane_groups() <= k_of_group() ? vector() : mma.k_per_lane();
  }
  // The least number of reads that a matrix instruction needs, and the k that they cover.
  constexpr int fragment_reads() const {
    return mma.k_per_lane() > read_elements() ? mma.k_per_lane() / read_elements() : 1;
  }
  constexpr int fragment_k() const {
    return fragment_reads() * read_elements() * mma.lane_groups();
  }

  constexpr bool has_fixup() const { return fixup > 0; }
  /// Bytes of a split's sums of a tile, as lanes hold them.
  constexpr int sum_bytes() const { return 4 * tile.m * tile.n; }
};

}  // namespace gridwise::tile
