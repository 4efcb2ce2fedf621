// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target.h"
#include "core/base/math.h"
#include "core/base/types.h"
#include "core/conv/direction.h"

/// Halo instances: convolutions of groups of few channels, or few at a time, along h and w. A tile
/// is tile_h x tile_w pixels of an image. Its patch is the source pixels that the filter's taps
/// pair with them, of 64 channels, `pitch` pixels per line. The pixels of a patch are counted in
/// one sequence, and the pixels of a tile too, by pitch. At a given tap, pixel q of a tile then
/// meets the patch's pixel q plus a constant: a tap is another start address of the operand in
/// shared memory, and TMA loads each pixel once. Pixels in the last columns of pitch are computed
/// but not used.
///
/// If adjacent pixels of a tile meet source pixels that are source_stride apart, the patch is
/// planes of every source_stride-th pixel, in which they are adjacent. In backward-data of stride
/// s, the s x s phases of dx (core/conv/gemm_map.h) are sums over the same patch of dy, and a tile
/// computes all of them.

namespace gridwise::hopper {

/// An instance of forward or backward-data, or of i8 forward. Teams of warpgroups take turns at
/// tiles; each warpgroup computes 64 * reps pixels of a tile.
struct HaloConfig {
  Direction direction = Direction::kForward;
  DataType type = DataType::kF16;
  int channels = 16;  // source channels per product, of one group or of several smaller ones
  int filter = 3;     // taps along each axis; 0: any number, for forward with stride 1
  int up = 1;         // phases along an axis: the stride of backward-data
  int teams = 2;
  int consumers = 2;  // warpgroups per team
  int reps = 1;
  int stages = 4;

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [direction, type, channels, filter, up, teams, consumers, reps, stages] = self;
    visit("", direction);
    visit("", type);
    visit("halo", channels);
    visit("f", filter);
    visit("up", up);
    visit("t", teams);
    visit("g", consumers);
    visit("m", reps);
    visit("s", stages);
  }
  bool operator==(const HaloConfig&) const = default;

  constexpr int warpgroups() const { return teams * consumers; }
  constexpr int threads() const { return 128 * (warpgroups() + 1); }
  /// Full barriers of a stage: teams that do not share the stages evenly each have their own, see
  /// Ring.
  constexpr int full_barriers() const { return stages % teams == 0 ? 1 : teams; }
  constexpr int phases() const { return up * up; }
  /// Taps of a phase along an axis; phase 0 has the fewest.
  constexpr int taps_of_axis(int i) const { return (filter + i) / up; }
  constexpr int taps_of_phase(int i) const { return taps_of_axis(i / up) * taps_of_axis(i % up); }
  constexpr int pixels() const { return 64 * consumers * reps; }       // of a team's tile
  constexpr int pixel_bytes() const { return 64 * SizeOf(type); }      // of a patch
  constexpr int run_bytes() const { return channels * SizeOf(type); }  // of the filter
  /// Staging of a team: its tile in the operands' type, or what lanes pass on at once.
  constexpr int staging_bytes() const {
    return SizeOf(type) == 1 ? consumers * 8192 : phases() * pixels() * 128;
  }
  constexpr int filter_bytes(int taps) const { return taps * 64 * run_bytes(); }
};

/// An instance of backward-weight: three warpgroups with three filter taps each.
struct HaloWeightConfig {
  DataType type = DataType::kF16;
  int stages = 3;
  bool merges_taps =
      false;  // a warpgroup's taps in one product: requires equal distances between taps

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [type, stages, merges_taps] = self;
    visit("bwd_weight_", type);
    visit("halo_s", stages);
    visit("j", merges_taps);
  }
  bool operator==(const HaloWeightConfig&) const = default;

  static constexpr int kGroups = 3, kTaps = 9;
  static constexpr int warpgroups() { return kGroups; }
  static constexpr int threads() { return 128 * (kGroups + 1); }
};

/// An instance of forward, or of backward-data with stride 1, with one group and few output
/// channels. K is a sequence of steps: one k tile of source channels at the taps along h and w of a
/// slice of the filter.
struct HaloDenseConfig {
  Direction direction = Direction::kForward;
  DataType type = DataType::kF16;
  int columns = 40;
  int filter = 3;     // taps along h and w
  int consumers = 4;  // warpgroups; each computes rows() * reps pixels of a tile
  int reps = 1;
  int stages = 2;
  int resident =
      0;  // steps of the filter that stay in shared memory; 0: they pass through the stages
  bool merges_taps = false;  // the taps of a filter line in one product: requires adjacent taps
  bool pingpong = false;     // the two consumers take turns at tiles: one stores while the other
                             // multiplies
  int k_tile = 64;           // source channels per step: 64, 32 or 16

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [direction, type, columns, filter, consumers, reps, stages, resident, merges_taps,
           pingpong, k_tile] = self;
    visit("", direction);
    visit("", type);
    visit("halo_n", columns);
    visit("f", filter);
    visit("g", consumers);
    visit("m", reps);
    visit("s", stages);
    visit("b", resident);
    visit("j", merges_taps);
    visit("pingpong", pingpong);
    visit("k", k_tile);
  }
  bool operator==(const HaloDenseConfig&) const = default;

  constexpr int warpgroups() const { return consumers; }
  constexpr int threads() const { return 128 * (consumers + 1); }
  constexpr int merged_taps() const { return merges_taps ? filter : 1; }  // taps per product
  constexpr int product_columns() const { return AlignUp(merged_taps() * columns, 8); }
  /// Rows, out of a product's 64, that have the sums of all taps.
  constexpr int rows() const { return 64 - (merged_taps() - 1); }
  constexpr int tile_consumers() const { return pingpong ? 1 : consumers; }  // warpgroups
  constexpr int pixels() const { return rows() * tile_consumers() * reps; }
  constexpr bool is_forward() const { return direction == Direction::kForward; }
  constexpr int k_tile_bytes() const { return k_tile * 2; }  // of a pixel of a patch
  /// Backward-data, whose filter lies along its columns: blocks of 64 of a product's taps, for
  /// `channels` channels.
  constexpr int blocks(int channels) const { return (merged_taps() * channels + 63) / 64; }
  /// Bytes from one tap to the next; in backward-data, from the taps of one product to the next.
  constexpr int filter_pitch(int channels) const {
    if (!is_forward()) return blocks(channels) * k_tile * 128;
    return (merges_taps ? columns : channels) * k_tile_bytes();
  }
  /// Products read one or more rows after the last.
  constexpr int filter_bytes(int channels) const {
    const int pitch = filter_pitch(channels), taps = filter * filter;
    if (!is_forward()) return taps / merged_taps() * pitch;
    return AlignUp(taps * pitch + product_columns() * k_tile_bytes() - merged_taps() * pitch, 1024);
  }
  constexpr int barrier_bytes() const {
    return AlignUp(8 * (resident + 1), 64);
  }  // without those of stages
};

/// Returns nullptr if a kernel of `c` can be compiled, else the reason.
constexpr const char* Reject(const HaloConfig& c) {
  if (c.type == DataType::kI8) {
    if (c.direction != Direction::kForward) return "i8 is for forward only";
  } else if (c.type != DataType::kF16 && c.type != DataType::kBF16) {
    return "operands are f16, bf16 or i8";
  }
  if (c.run_bytes() < 32 || (c.channels != 16 && c.channels != 32 && c.channels != 64)) {
    return "products have 16 (i8: 32), 32 or 64 channels";
  }
  if (c.warpgroups() > 4 || c.phases() * c.reps * 32 > (c.warpgroups() > 2 ? 64 : 128)) {
    return "the sums do not fit in registers";
  }
  // With a loop over taps of several phases, the assembler would serialize the products.
  if (c.up != 1 && (c.up != 2 || c.filter % 2 == 0)) return "one of two phases has one more tap";
  if (c.teams > 2) return "there are 1 or 2 teams";
  return nullptr;
}
constexpr const char* Reject(const HaloDenseConfig& c) {
  if (c.type != DataType::kF16 && c.type != DataType::kBF16) return "operands are f16 or bf16";
  if (c.direction == Direction::kBackwardWeight) return "the direction is forward or backward-data";
  if (c.columns % (c.merges_taps && c.is_forward() ? 4 : 8) != 0) {
    return "columns are a multiple of 8, or, in forward with merged taps, of 4";
  }
  if (c.k_tile != 64 && c.k_tile != 32 && c.k_tile != 16)
    return "k tiles are 64, 32 or 16 channels";
  if (c.consumers > 4) return "there are 1 to 4 warpgroups";
  if (c.reps * c.product_columns() > (c.consumers > 3 ? 128 : c.consumers > 2 ? 192 : 336)) {
    return "the sums do not fit in registers";
  }
  if (c.stages < 2) return "a stage is free when the products of the next have begun";
  if (c.merges_taps && c.filter != 3) return "three taps are merged";
  if (c.pingpong && c.consumers != 2) return "two warpgroups take turns";
  return nullptr;
}
constexpr const char* Reject(const HaloWeightConfig& c) {
  if (c.type != DataType::kF16 && c.type != DataType::kBF16) return "operands are f16 or bf16";
  if (c.stages < 2) return "a stage is free when the products of the next have begun";
  return nullptr;
}

}  // namespace gridwise::hopper
