#pragma once

#include "core/arch/target.h"
#include "core/base/math.h"
#include "core/base/types.h"
#include "core/conv/direction.h"

/// Halo instances: convolutions of groups of few channels, or few at a time, along h and w. A tile
/// is tile_h x tile_w cells of an image, and its patch the source cells that the filter's taps pair
/// them with, of 64 channels, `pitch` cells a line. With the cells of a patch counted in one
/// sequence, cell q of a tile, also counted by pitch, meets at a tap the patch's cell q plus a
/// constant: a tap is another start address of the operand in shared memory, and the copy engine
/// loads each cell once. Cells in the last columns of pitch are computed in vain.
///
/// Where a tile's neighbours are source_stride cells apart, the patch is planes of every so manieth
/// cell, in which they are neighbours. In backward-data of stride s, the s x s residue classes of
/// dx (core/conv/gemm_map.h) are sums over the same patch of dy, and all of a tile's.

namespace gridwise::hopper {

/// An instance of forward or backward-data, or of forward of i8. Teams of warpgroups take turns at
/// tiles; of a tile, each warpgroup has 64 * reps cells.
struct HaloConfig {
  Direction direction = Direction::kForward;
  DataType type = DataType::kF16;
  int channels = 16;  // source channels of a product, of one group, or of several smaller ones
  int filter = 3;     // taps along each axis; 0: any, of forward and of stride 1
  int up = 1;         // residue classes along an axis: the stride of backward-data
  int teams = 2;
  int sharers = 2;  // warpgroups of a team
  int reps = 1;
  int stages = 4;

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [direction, type, channels, filter, up, teams, sharers, reps, stages] = self;
    visit("", direction);
    visit("", type);
    visit("halo", channels);
    visit("f", filter);
    visit("up", up);
    visit("t", teams);
    visit("g", sharers);
    visit("m", reps);
    visit("s", stages);
  }
  bool operator==(const HaloConfig&) const = default;

  constexpr int warpgroups() const { return teams * sharers; }
  constexpr int threads() const { return 128 * (warpgroups() + 1); }
  /// Of a stage: teams that do not share the stages evenly have their own, see Ring.
  constexpr int full_barriers() const { return stages % teams == 0 ? 1 : teams; }
  constexpr int classes() const { return up * up; }
  /// Taps of a class of an axis: those with fewer are class 0.
  constexpr int taps_of_axis(int i) const { return (filter + i) / up; }
  constexpr int taps_of_class(int i) const { return taps_of_axis(i / up) * taps_of_axis(i % up); }
  constexpr int cells() const { return 64 * sharers * reps; }          // of a team's tile
  constexpr int cell_bytes() const { return 64 * SizeOf(type); }       // of a patch
  constexpr int run_bytes() const { return channels * SizeOf(type); }  // of the filter
  /// Of a team: its tile in the operands' type, or what lanes pass on at once.
  constexpr int staging_bytes() const {
    return SizeOf(type) == 1 ? sharers * 8192 : classes() * cells() * 128;
  }
  constexpr int filter_bytes(int taps) const { return taps * 64 * run_bytes(); }
};

/// An instance of backward-weight: three warpgroups, of three filter taps each.
struct HaloWeightConfig {
  DataType type = DataType::kF16;
  int stages = 3;
  bool joins = false;  // the taps of a warpgroup in one product: where they are equally far apart

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [type, stages, joins] = self;
    visit("bwd_weight_", type);
    visit("halo_s", stages);
    visit("j", joins);
  }
  bool operator==(const HaloWeightConfig&) const = default;

  static constexpr int kGroups = 3, kTaps = 9;
  static constexpr int warpgroups() { return kGroups; }
  static constexpr int threads() { return 128 * (kGroups + 1); }
};

/// An instance of forward, or of backward-data of stride 1, with one group and few output channels.
/// K is steps: a slab of source channels at the taps of h and w of a slice of the filter.
struct HaloDenseConfig {
  Direction direction = Direction::kForward;
  DataType type = DataType::kF16;
  int columns = 40;
  int filter = 3;   // taps along h and w
  int sharers = 4;  // warpgroups, of which each has rows() * reps cells of a tile
  int reps = 1;
  int stages = 2;
  int kept = 0;  // steps of the filter that stay in shared memory; 0: they pass through the stages
  bool joins = false;       // the taps of a filter line in one product: where they are neighbours
  bool take_turns = false;  // the sharers, two, at tiles: one stores while the other multiplies
  int slab = 64;            // source channels of a step: 64, 32 or 16

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [direction, type, columns, filter, sharers, reps, stages, kept, joins, take_turns, slab] =
        self;
    visit("", direction);
    visit("", type);
    visit("halo_n", columns);
    visit("f", filter);
    visit("g", sharers);
    visit("m", reps);
    visit("s", stages);
    visit("b", kept);
    visit("j", joins);
    visit("turns", take_turns);
    visit("k", slab);
  }
  bool operator==(const HaloDenseConfig&) const = default;

  constexpr int warpgroups() const { return sharers; }
  constexpr int threads() const { return 128 * (sharers + 1); }
  constexpr int joined() const { return joins ? filter : 1; }  // taps of a product
  constexpr int product_columns() const { return AlignUp(joined() * columns, 8); }
  /// Of a product's 64, those all of whose taps' sums are in it.
  constexpr int rows() const { return 64 - (joined() - 1); }
  constexpr int of_tile() const { return take_turns ? 1 : sharers; }  // warpgroups
  constexpr int cells() const { return rows() * of_tile() * reps; }
  constexpr bool is_forward() const { return direction == Direction::kForward; }
  constexpr int slab_bytes() const { return slab * 2; }  // of a cell of a patch
  /// Of the filter of backward-data, which lies along its columns: blocks of 64 of the taps of a
  /// product, for so many channels.
  constexpr int blocks(int channels) const { return (joined() * channels + 63) / 64; }
  /// Bytes from one tap, or of backward-data from those of one product, to the next.
  constexpr int filter_pitch(int channels) const {
    if (!is_forward()) return blocks(channels) * slab * 128;
    return (joins ? columns : channels) * slab_bytes();
  }
  /// Products read a row or more behind the last.
  constexpr int filter_bytes(int channels) const {
    const int pitch = filter_pitch(channels), taps = filter * filter;
    if (!is_forward()) return taps / joined() * pitch;
    return AlignUp(taps * pitch + product_columns() * slab_bytes() - joined() * pitch, 1024);
  }
  constexpr int barrier_bytes() const { return AlignUp(8 * (kept + 1), 64); }  // but for stages'
};

/// nullptr when a kernel of `c` can be compiled, else the reason.
constexpr const char* Reject(const HaloConfig& c) {
  if (c.type == DataType::kI8) {
    if (c.direction != Direction::kForward) return "i8 has forward alone";
  } else if (c.type != DataType::kF16 && c.type != DataType::kBF16) {
    return "operands are f16, bf16 or i8";
  }
  if (c.run_bytes() < 32 || (c.channels != 16 && c.channels != 32 && c.channels != 64)) {
    return "products are of 16, of i8 32, or 32 or 64 channels";
  }
  if (c.warpgroups() > 4 || c.classes() * c.reps * 32 > (c.warpgroups() > 2 ? 64 : 128)) {
    return "the sums do not fit in registers";
  }
  // A loop over taps of several classes would have the assembler serialise the products.
  if (c.up != 1 && (c.up != 2 || c.filter % 2 == 0)) return "of two classes, one has a tap more";
  if (c.teams > 2) return "there are 1 or 2 teams";
  return nullptr;
}
constexpr const char* Reject(const HaloDenseConfig& c) {
  if (c.type != DataType::kF16 && c.type != DataType::kBF16) return "operands are f16 or bf16";
  if (c.direction == Direction::kBackwardWeight) return "the direction is forward or backward-data";
  if (c.columns % (c.joins && c.is_forward() ? 4 : 8) != 0) {
    return "columns are a multiple of 8, or of forward, where taps are joined, of 4";
  }
  if (c.slab != 64 && c.slab != 32 && c.slab != 16) return "slabs are 64, 32 or 16 channels";
  if (c.sharers > 4) return "there are 1 to 4 warpgroups";
  if (c.reps * c.product_columns() > (c.sharers > 3 ? 128 : c.sharers > 2 ? 192 : 336)) {
    return "the sums do not fit in registers";
  }
  if (c.stages < 2) return "a stage is free when the products of the next have begun";
  if (c.joins && c.filter != 3) return "three taps are joined";
  if (c.take_turns && c.sharers != 2) return "two warpgroups take turns";
  return nullptr;
}
constexpr const char* Reject(const HaloWeightConfig& c) {
  if (c.type != DataType::kF16 && c.type != DataType::kBF16) return "operands are f16 or bf16";
  if (c.stages < 2) return "a stage is free when the products of the next have begun";
  return nullptr;
}

}  // namespace gridwise::hopper
