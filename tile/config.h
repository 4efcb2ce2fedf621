// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/mma_shape.h"
#include "core/arch/target.h"
#include "core/base/math.h"
#include "core/base/mnk.h"
#include "core/base/types.h"
#include "core/layout/lds_tile.h"
#include "core/text/instance_fields.h"
#include "tile/lds_pixels.h"

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

  /// Its name, see core/base/fields.h:
  /// f16_t256x128x32_w2x2_mfma32x32x8_a8x1_b8x2_o2, or
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
  // Merged groups that a matrix instruction multiplies, one in each of its blocks; and the number
  // of turns in which a tile's groups are multiplied.
  constexpr int groups_at_once() const { return mma.blocks() < merge ? mma.blocks() : merge; }
  constexpr int groups_in_turn() const { return merge / groups_at_once(); }
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
  constexpr int ColumnOf(int n) const {
    const int turn = n / reps_n_of_group(), rep = n % reps_n_of_group();
    return turn * groups_at_once() * n_of_group() + rep * mma.m;
  }
  // K tiles may end within the vector of the last channels, except where they must be whole: with
  // merged groups, with loads straight to LDS (by vectors), with k tiles loaded together, and with
  // a halo.
  constexpr bool has_ragged_k_tiles() const {
    return merge == 1 && !loads_to_lds() && k_tiles_of_step() == 1 && !has_halo();
  }

  constexpr bool loads_to_lds() const { return pipeline.schedule == Schedule::kDirect; }
  constexpr bool has_halo() const { return halo > 0; }

  // Backward-weight with a halo (kernel/halo_weight.h): for each tap of a row of the filter, a wave
  // sums products of one block of dy's channels and one of x's. The tile's columns are those of a
  // row's own group. A group may have fewer channels than a block has room for.
  constexpr bool sums_blocks() const { return has_halo() && patch_a.k == 1 && patch_a.n > 1; }
  static constexpr int kBlock = 32, kTapsOfWave = 3;
  static constexpr int kRunPixels = 8;  // of a block per lane, consecutive
  constexpr int step_pixels() const { return kRunPixels * mma.lane_groups(); }  // of all lanes
  constexpr int room_of_group() const { return tile.m / merge; }                // channels
  /// Blocks of x by which one block of dy is multiplied, each by one wave; and the columns of a
  /// group there.
  constexpr int blocks_of_group() const { return CeilDiv<int>(room_of_group(), kBlock); }
  constexpr int columns_of_tap() const { return room_of_group() / blocks_of_group(); }
  constexpr int pixel_bytes() const { return tile.m * SizeOf(type); }  // of all blocks
  constexpr int pixels_of_load() const {                               // of a wave
    return mma.lanes() * patch_a.n / tile.m;
  }
  /// The first pixels, which LDS repeats after the last, so that a run never reaches the end.
  constexpr int repeated_pixels() const {
    return AlignUp(step_pixels() + kTapsOfWave - 1, pixels_of_load());
  }
  constexpr int bytes_of_ring() const { return (halo + repeated_pixels()) * pixel_bytes(); }
  /// Pixels of dy, except the first, that taps meet with one pixel of x along an axis.
  constexpr int adjacent_pixels() const { return (kTapsOfWave - 1) / stride; }
  constexpr bool has_taps_in_lds() const { return taps_in_lds > 0; }
  /// Whether a workgroup keeps the weights of all taps for several tiles.
  constexpr bool has_resident_weights() const { return has_halo() && !has_taps_in_lds(); }
  constexpr bool packs_pixels() const { return pixel > 0; }
  /// Whether resident weights and pixels are loaded by parts of vectors, each of which exists or
  /// does not.
  constexpr bool loads_partial_vectors() const {
    return has_resident_weights() && !packs_pixels() && !sums_blocks() && patch_a.k < vector();
  }
  /// Whether tensors may have 4 channels fewer than whole vectors.
  constexpr bool has_parts() const {
    return loads_partial_vectors() || (sums_blocks() && patch_a.n < vector());
  }
  /// Whether merged groups may have fewer channels than their part of the tile. The rest is zeros
  /// in LDS, and its columns are not stored.
  constexpr bool fills_groups() const { return loads_partial_vectors() && merge > 1; }
  /// Whether a tile's columns are parts, each of which ends where the channels of a group end:
  /// parts of groups that are filled up, or of filter taps of blocks.
  constexpr bool has_parts_of_columns() const { return fills_groups() || sums_blocks(); }
  constexpr int columns_of_part() const { return sums_blocks() ? columns_of_tap() : n_of_group(); }
  /// Filter taps along w that fit into K.
  constexpr int pixels_of_k_tile() const { return tile.k / pixel; }
  /// Maximum number of taps of a filter whose weights are resident, or of its rows if K runs over
  /// taps.
  constexpr int max_taps() const { return packs_pixels() ? 7 : 9; }
  /// Taps whose weights are in LDS at a time on their way to registers: as many as fit next to the
  /// pixels.
  constexpr int taps_at_once() const {
    const int room = bytes_of_a() > kHaloRoom ? bytes_of_a() : kHaloRoom;
    const int taps = room / lds_b().bytes();
    return taps < 1 ? 1 : taps < max_taps() ? taps : max_taps();
  }
  static constexpr int kHaloRoom = 20480;  // bytes; registers, and not LDS, bound the workgroups
  /// Source pixels of a position along both axes; and planes along w and in total, except for
  /// packed pixels, which lie side by side along w.
  constexpr int pixels_of_position() const { return stride * stride; }
  constexpr int planes_along_w() const { return packs_pixels() ? 1 : +stride; }
  constexpr int planes() const { return stride * planes_along_w(); }
  /// Positions along an axis that `taps` filter taps reach over.
  constexpr int reach_h(int taps) const { return CeilDiv<int>(taps, stride); }
  constexpr int reach_w(int taps) const {
    return reach_h(packs_pixels() ? pixels_of_k_tile() : taps);
  }
  /// The layout in the LDS of a target with `banks` banks.
  constexpr LdsPixels lds_pixels(int banks) const {
    if (packs_pixels()) {
      return {.pixels = halo * planes(), .data_bytes = stride * pixel * SizeOf(type)};
    }
    const bool reads_two = mma.blocks() > 1 || (has_taps_in_lds() && mma.m == 16);
    const bool reads_halves = mma.m == 16 && 2 * read_elements() == vector();
    return {.pixels = halo * planes(),
            .data_bytes = tile.k * SizeOf(type),
            .room_bytes = reads_two                     ? 32
                          : reads_halves && banks == 32 ? 8
                                                        : 16};
  }
  /// Maximum over all targets.
  constexpr int bytes_of_a() const {
    return has_halo() ? lds_pixels(/*banks=*/64).bytes() : lds_a().bytes();
  }
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
    switch (pipeline.schedule) {
      case Schedule::kSingle:
        return pipeline.count;
      case Schedule::kDouble:
        return pipeline.count;
      case Schedule::kWavelet:
        return 2;
      case Schedule::kDirect:
        return pipeline.count - 1;
    }
    return 0;
  }
  /// K tiles that one step of the main loop loads and multiplies, and their k.
  constexpr int k_tiles_of_step() const {
    return pipeline.schedule == Schedule::kSingle ? pipeline.count : 1;
  }
  constexpr int step_k() const { return k_tiles_of_step() * tile.k; }
  /// Fragments of a k tile that a wave reads from LDS before it multiplies the first ones. Used
  /// where several workgroups take turns and there are enough registers (RDNA's spill). Waves read
  /// in bursts; if one workgroup fills the unit, its bursts come at the same time.
  constexpr int fragments_ahead() const {
    constexpr int kAccumulators = 64;
    const bool few = reps_m() * reps_n() * mma.acc_per_lane() <= kAccumulators;
    const bool room = mma.unit == MmaUnit::kMfma && few;
    return pipeline.schedule == Schedule::kSingle && room ? 1 : 0;
  }
  /// Loads per lane for a k tile that goes straight to LDS.
  constexpr int loads_of_k_tile() const {
    return k_tile_bytes() / LdsTile::kVectorBytes / load_threads();
  }

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

  // The epilogue: each wave stages its tile in LDS where the operands were, some matrix
  // instructions at a time. It has offsets of its rows in the stage, in the output and in the
  // tensors that are combined.

  /// What a wave stages at a time: all of its columns if they fit, and then several rows of matrix
  /// instructions; otherwise some of the columns of one row. A margin keeps writes of runs aligned
  /// and puts adjacent rows on different banks.
  struct Stage {
    int reps_m, reps_n;  // matrix instructions
    int rows, columns, pitch;
    constexpr int bytes() const { return rows * pitch; }
  };
  constexpr Stage StageOf(int of_m, int of_n, int element) const {
    constexpr int kMargin = 16;
    return {of_m, of_n, of_m * mma_m(), of_n * mma_n(), of_n * mma_n() * element + kMargin};
  }
  /// The stage for elements of `element` bytes.
  constexpr Stage StageFor(int element) const {
    int of_n = reps_n(), of_m = 1;
    while (of_n > min_stage_reps_n() && StageOf(1, of_n, element).bytes() > stage_room()) {
      const bool halves = of_n % (2 * min_stage_reps_n()) == 0;
      of_n = halves ? of_n / 2 : min_stage_reps_n();
    }
    while (of_n == reps_n() && reps_m() % (2 * of_m) == 0 &&
           StageOf(2 * of_m, of_n, element).bytes() <= stage_room()) {
      of_m *= 2;
    }
    return StageOf(of_m, of_n, element);
  }
  constexpr int min_stage_reps_n() const {
    if (groups_at_once() > 1) return reps_n();  // their columns are not adjacent
    if (sums_blocks()) return kBlock / mma.m;   // a tap
    int reps = reps_n();
    while (reps % 2 == 0) reps /= 2;
    return reps;
  }
  constexpr int stage_room() const {  // of a wave
    // LDS bounds the number of workgroups of instances that sum blocks, so their stages take no
    // more room than operands.
    const int limit = has_halo() && !sums_blocks() ? kHaloRoom : operand_bytes();
    const int least = StageOf(1, min_stage_reps_n(), 4).bytes();
    const int room = limit / (waves.m * waves.n) / 16 * 16 - offset_bytes();
    return room > least ? room : least;
  }
  /// The row and column of accumulator `reg` of a lane in its wave's stage, for the n-th matrix
  /// instruction.
  constexpr RowCol PositionInStage(int lane, int n, int reg) const {
    const RowCol owner = OwnerOfAcc(mma, lane, reg);
    const int block = mma.BlockOf(lane), group = block % groups_at_once();
    return {.row = block / groups_at_once() * mma.n + owner.col,
            .col = ColumnOf(n) + group * n_of_group() + owner.row};
  }

  // Fix-up: for each wave, a word that counts the splits whose sums are there, and the sums
  // as lanes hold them.
  constexpr bool has_fixup() const { return fixup > 0; }
  constexpr int arrival_bytes() const { return waves.m * waves.n * 8; }  // of a tile
  constexpr int sum_bytes() const { return 4 * tile.m * tile.n; }        // of a split of a tile

  // LDS holds the operands. After the main loop it holds, for each wave, a stage followed by
  // offsets of rows.
  static constexpr int kOutputs = 3;
  constexpr int operand_bytes() const {
    if (!has_halo()) return lds_buffers() * k_tile_bytes();
    if (sums_blocks()) return bytes_of_ring() + planes() * tile.k * pixel_bytes();
    const int pixels = bytes_of_a();
    if (has_taps_in_lds()) return pixels + taps_in_lds * lds_b().bytes();
    const int weights = taps_at_once() * lds_b().bytes();
    return pixels > weights ? pixels : weights;  // weights go on to registers first
  }
  constexpr int row_offsets_at() const {
    const int of_4 = StageFor(4).bytes(), of_2 = StageFor(2).bytes();
    return of_4 > of_2 ? of_4 : of_2;
  }
  constexpr int offset_bytes() const { return kOutputs * wave_m() * 4; }
  constexpr int epilogue_bytes() const { return row_offsets_at() + offset_bytes(); }  // of a wave
  constexpr int lds_bytes() const {
    const int epilogue = waves.m * waves.n * epilogue_bytes();
    return operand_bytes() > epilogue ? operand_bytes() : epilogue;
  }
};

/// Why lanes cannot load an operand's tile straight to LDS; nullptr if they can.
constexpr const char* RejectLoadsToLds(const TileConfig& c, LdsTile tile, TileConfig::Patch patch) {
  const bool transposed = c.reads_transposed(patch);
  if (transposed && (SizeOf(c.type) != 2 || c.mma.m != 32 || c.fragment_reads() != 1)) {
    return "LDS reads transpose 16-bit operands of 32x32 matrix instructions with a vector per "
           "lane";
  }
  if (patch.k != (transposed ? 1 : c.vector()) ||
      patch.n != (transposed ? LdsLines::kPieceRows : 1)) {
    return "loads straight to LDS are vectors along k, or 8 rows of one k";
  }
  const int lines = transposed ? c.tile.k : tile.rows;
  const int pieces = tile.rows * tile.vectors_per_row / lines;
  // Every load of a lane has the same place in its line, in lines with the same permutation of
  // pieces.
  const int period = transposed ? 4 : 16;
  if (c.threads() % pieces != 0 || c.threads() / pieces % period != 0 ||
      lines % (c.threads() / pieces) != 0 || (transposed && tile.rows % 64 != 0)) {
    return "lanes do not share an operand's tile in whole loads";
  }
  return nullptr;
}

/// Why lanes cannot share an operand's tile in such patches; nullptr if they can.
constexpr const char* RejectPatch(const TileConfig& c, LdsTile tile, TileConfig::Patch patch) {
  if (c.loads_to_lds()) return RejectLoadsToLds(c, tile, patch);
  if (patch.n != 1 && patch.n != 2) return "a patch is neither 1 nor 2 rows wide";
  if (patch.k != c.vector() && patch.k != 4) return "a patch is neither a vector long nor 4";
  const int per_k = patch.n == 1 ? 1 : tile.rows / patch.n;
  const int vectors = tile.rows / patch.n * tile.vectors_per_row;
  const int patches = patch.n == 1 ? vectors : vectors * c.vector() / patch.k;
  const bool has_several = patches > c.load_threads();  // per lane
  if (has_several && patch.n != 1 && patches % c.load_threads() != 0) {
    return "lanes do not share an operand's tile in whole patches";
  }
  const int rows_apart = c.load_threads() / tile.vectors_per_row;
  if (has_several && patch.n == 1 && rows_apart % LdsTile::kPeriodRows != 0) {
    return "a lane's vectors of an operand's tile do not lie alike";
  }
  if (c.load_threads() % per_k != 0) return "lanes do not share an operand's rows";
  return nullptr;
}

/// Why there is no such schedule; nullptr if there is one.
constexpr const char* RejectPipeline(Pipeline pipeline) {
  const int count = pipeline.count;
  if (pipeline.schedule == Schedule::kSingle && count != 1 && count != 2) {
    return "with one LDS buffer, 1 or 2 k tiles are in flight";
  }
  if (pipeline.schedule == Schedule::kDouble && count != 1 && count != 2 && count != 4) {
    return "with two LDS buffers, 1, 2 or 4 k tiles are in flight";
  }
  if (pipeline.schedule == Schedule::kWavelet && count < 1) return "there are no load waves";
  if (pipeline.schedule == Schedule::kDirect && count != 2 && count != 3) {
    return "loads go straight to 2 or 3 LDS buffers";
  }
  return nullptr;
}

/// Why groups cannot be merged in this way; nullptr if they can.
constexpr const char* RejectMerge(const TileConfig& c) {
  if (c.mma.blocks() > 1 && (c.merge == 1 || c.mma.blocks() % c.groups_at_once() != 0 ||
                             c.merge % c.groups_at_once() != 0)) {
    return "the blocks of the mma are not shared by merged groups";
  }
  if (c.merge == 1) return nullptr;
  if (c.waves.n != 1) return "merged groups are not all in one wave";
  if (c.loads_to_lds()) return "merged groups are not loaded straight to LDS";
  // If two groups share a vector, lanes read half of it each.
  const int min_k = c.groups_at_once() > 1 ? c.mma.k : c.vector();
  if (c.tile.k % (c.merge * min_k) != 0) return "merged groups share a run of k";
  if (c.tile.n % (c.merge * c.mma.m) != 0) return "merged groups share an mma";
  if (c.patch_b.n != 1 && c.patch_b.k > c.k_of_group()) return "a patch has k of two groups";
  return nullptr;
}

/// Why backward-weight cannot sum blocks in this way; nullptr if it can.
constexpr const char* RejectBlocks(const TileConfig& c) {
  if (c.patch_a != c.patch_b || (c.patch_a.n != 4 && c.patch_a.n != 8) || SizeOf(c.type) != 2) {
    return "blocks of 16-bit channels are loaded 4 or 8 channels of a pixel at a time";
  }
  if (c.mma.m != 16 || TileConfig::kRunPixels % c.mma.k_per_lane() != 0) {
    return "blocks are multiplied by 16x16, at most 8 pixels per lane";
  }
  if (c.pipeline != Pipeline{}) return "a halo is loaded by all waves";
  if (c.tile.m % c.merge != 0) return "groups do not divide tile.m";
  const int room = c.room_of_group();
  if (room != 8 && room != 16 && room != 32 && room != 64) return "groups share no block";
  if (c.wave_m() != TileConfig::kBlock ||
      c.waves.n != TileConfig::kTapsOfWave * c.blocks_of_group()) {
    return "a wave sums no block of a row of the filter";
  }
  if (c.tile.n != TileConfig::kTapsOfWave * TileConfig::kTapsOfWave * room) {
    return "columns are not those of 3x3";
  }
  if (c.stride != 1 && c.stride != 2) return "planes are for stride 1 or 2";
  if (c.tile.k % c.step_pixels() != 0) return "tile.k is not a multiple of a block's pixels";
  if (c.halo < c.tile.k || c.halo % c.pixels_of_load() != 0) {
    return "a halo has no room for a step's pixels, or for part of a load";
  }
  return nullptr;
}

/// Why K cannot run over packed pixels; nullptr if it can.
constexpr const char* RejectPackedPixels(const TileConfig& c) {
  constexpr TileConfig::Patch kElement = {1, 1};
  if (SizeOf(c.type) != 2 || c.pixel != 4) return "packed pixels are 4 elements of 16 bits";
  if (c.merge > 1 || c.has_taps_in_lds())
    return "packed pixels are of one group, whose weights are resident";
  if (c.patch_a.n != 1 || (c.patch_a.k != 3 && c.patch_a.k != 4) || c.patch_b != kElement) {
    return "packed pixels are up to 3 channels, loaded one by one, or 4, and weights are elements";
  }
  if (c.read_elements() % c.pixel != 0) return "lanes read parts of packed pixels";
  return nullptr;
}

/// Why LDS cannot hold the pixels of a halo; nullptr if it can, or if there is none.
constexpr const char* RejectHalo(const TileConfig& c) {
  if (!c.has_halo()) {
    return c.has_taps_in_lds() ? "taps are in LDS without a halo"
           : c.stride != 1     ? "there are planes without a halo"
           : c.packs_pixels()  ? "pixels are packed without a halo"
                               : nullptr;
  }
  if (c.stride != 1 && (c.stride != 2 || c.has_taps_in_lds() || c.patch_b.n != 1)) {
    return "planes are for stride 2, forward, with resident weights";
  }
  if (c.has_taps_in_lds() && (c.merge > 1 || c.taps_in_lds > 3)) {
    return "taps in LDS are at most 3, of one group";
  }
  if (c.pipeline != Pipeline{}) return "a halo is loaded once, by all waves";
  if (c.halo <= c.tile.m) return "a halo has no pixels besides the tile's";
  if (c.packs_pixels()) return RejectPackedPixels(c);
  const int vectors = c.tile.k / c.vector();
  if (vectors != 4 && vectors != 8 && !(vectors == 2 && c.has_taps_in_lds() && c.mma.m == 32)) {
    return "pixels of a halo do not have 4 or 8 vectors of 16 bytes";
  }
  if ((c.patch_a.k != c.vector() && c.patch_a.k != 4) || c.patch_a.n != 1) {
    return "pixels of a halo are loaded by vectors, or by 4 channels";
  }
  if (c.loads_partial_vectors() && c.patch_b.k != 4)
    return "pixels are loaded by 4 channels, weights are not";
  return nullptr;
}

/// Why the launch cannot add up splits; nullptr if it can, or if the config has no fix-up.
constexpr const char* RejectFixup(const TileConfig& c) {
  if (!c.has_fixup()) return nullptr;
  if (SumType(c.type) != DataType::kF32) return "a fix-up adds f32";
  if (c.has_resident_weights() || c.sums_blocks()) return "tiles with a halo have no fix-up";
  if (c.fixup < 2 || c.fixup > 255) return "a word counts 2 to 255 splits";
  return nullptr;
}

/// Why waves cannot compute a tile with these k tiles on `target`; nullptr if they can.
constexpr const char* RejectKTiles(const TileConfig& c, const TargetTraits& target) {
  const int vectors = c.tile.k / c.vector();
  if (c.tile.k % c.vector() != 0 ||
      (vectors != 2 && vectors != 4 && vectors != 8 && vectors != 16)) {
    return "tile.k is not 2, 4, 8 or 16 vectors of 16 bytes";
  }
  if (const char* reason = RejectMerge(c)) return reason;
  if (c.tile.m < 16 || c.tile.m % (c.waves.m * c.mma_m()) != 0) return "waves do not divide tile.m";
  if (c.tile.n < 16 || c.tile.n % (c.waves.n * c.mma_n()) != 0) return "waves do not divide tile.n";
  if (c.loads_to_lds() && !target.loads_vectors_to_lds) {
    return "the target cannot load 16 bytes per lane straight to LDS";
  }
  if ((c.reads_transposed(c.patch_a) || c.reads_transposed(c.patch_b)) &&
      !target.reads_transposed) {
    return "the target has no LDS reads that transpose";
  }
  if (c.k_of_group() % c.fragment_k() != 0) return "tile.k is not a multiple of a fragment's k";
  if (const char* reason = RejectPipeline(c.pipeline)) return reason;
  if (c.k_tiles_of_step() > 1 && (c.merge > 1 || c.patch_a.n != 1)) {
    return "k tiles are loaded together along the channels of a tap, of one group";
  }
  if (const char* reason = RejectHalo(c)) return reason;
  if (c.packs_pixels()) return nullptr;
  if (const char* reason = RejectPatch(c, c.lds_a(), c.patch_a)) return reason;
  return RejectPatch(c, c.lds_b(), c.patch_b);
}

/// Returns nullptr if kernels of `c` can be compiled for `gfx`, else the reason.
constexpr const char* Reject(const TileConfig& c, Gfx gfx) {
  const TargetTraits target = TraitsOf(gfx);
  if (c.merge < 1) return "there are no groups in a tile";
  if (!target.Has(c.mma.unit)) return "the target has another matrix unit";
  // Merged groups may have too little k for an instruction with twice the k.
  constexpr int kBeforeDoubleK = 3;
  const bool once =
      target.mfma_generation > kBeforeDoubleK && c.merge > 1 && c.k_of_group() < 2 * c.mma.k;
  if (!HasMma(c.mma, c.type, target.mfma_generation) &&
      !(once && HasMma(c.mma, c.type, kBeforeDoubleK))) {
    return "the target has no such mma for the type";
  }
  if (c.waves.m < 1 || c.waves.n < 1 || c.threads() > 1024) {
    return "waves do not make a workgroup of 1 to 1024 threads";
  }
  if (const char* reason = c.sums_blocks() ? RejectBlocks(c) : RejectKTiles(c, target)) {
    return reason;
  }
  if (const char* reason = RejectFixup(c)) return reason;
  if (c.lds_bytes() > target.lds_bytes) return "the tiles do not fit in LDS";
  if (c.reps_m() * c.reps_n() * c.mma.acc_per_lane() > target.vgprs / 2) {
    return "the accumulators do not fit in registers";
  }
  return nullptr;
}

}  // namespace gridwise::tile
