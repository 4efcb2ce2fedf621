// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target.h"
#include "core/base/math.h"
#include "core/base/types.h"
#include "core/conv/direction.h"

/// Halo instances: convolutions of groups of few channels, or few at a time, along h and w. A tile
/// is tile_h x tile_w pixels of an image. Its patch is the source pixels that the filter's taps
/// pair with them, of a block of 64 channels (tf32: 32), `pitch` pixels per line. The pixels of a
/// patch are counted in one sequence, and the pixels of a tile too, by pitch. At a given tap, pixel
/// q of a tile then meets the patch's pixel q plus a constant: a tap is another start address of
/// the operand in shared memory, and TMA loads each pixel once. Pixels in the last columns of pitch
/// are computed but not used.
///
/// If adjacent pixels of a tile meet source pixels that are source_stride apart, the patch is
/// planes of every source_stride-th pixel, in which they are adjacent. In backward-data of stride
/// s, the s x s phases of dx (core/conv/gemm_map.h) are sums over the same patch of dy, and a tile
/// computes all of them.

namespace gridwise::hopper {

/// Channels of a pixel in a patch, at most 128 bytes.
constexpr int BlockOf(DataType type) { return SizeOf(type) == 4 ? 32 : 64; }

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
  constexpr int pixels() const { return 64 * consumers * reps; }  // pixels of a team's tile
  constexpr int block() const { return BlockOf(type); }
  constexpr int pixel_bytes() const { return block() * SizeOf(type); }  // per pixel of a patch
  constexpr int run_bytes() const { return channels * SizeOf(type); }  // per output channel and tap
  /// Staging of a team: its tile in the output's type, or what lanes pass on at once.
  constexpr int staging_bytes() const {
    return SizeOf(type) == 1 ? consumers * 8192 : phases() * pixels() * 128;
  }
  constexpr int filter_bytes(int taps) const { return taps * block() * run_bytes(); }
};

/// Returns nullptr if a kernel of `c` can be compiled, else the reason.
constexpr const char* Reject(const HaloConfig& c) {
  if (c.type == DataType::kI8) {
    if (c.direction != Direction::kForward) return "i8 is for forward only";
  } else if (c.type != DataType::kF16 && c.type != DataType::kBF16 && c.type != DataType::kTF32) {
    return "operands are f16, bf16, tf32 or i8";
  }
  if (c.channels <= 0 || c.block() % c.channels != 0 || c.run_bytes() % 32 != 0) {
    return "products have 16, 32 or 64 channels (tf32: 8, 16 or 32; i8: 32 or 64)";
  }
  if (c.warpgroups() > 4 || c.phases() * c.reps * c.block() / 2 > (c.warpgroups() > 2 ? 64 : 128)) {
    return "the sums do not fit in registers";
  }
  // With a loop over taps of several phases, the assembler would serialize the products.
  if (c.up != 1 && (c.up != 2 || c.filter % 2 == 0)) return "one of two phases has one more tap";
  if (c.teams > 2) return "there are 1 or 2 teams";
  return nullptr;
}

}  // namespace gridwise::hopper
