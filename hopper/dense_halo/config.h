// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"
#include "core/base/types.h"
#include "core/conv/direction.h"

/// Halo instances (hopper/halo/config.h) with one group.

namespace gridwise::hopper {

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
  int k_tile = 64;           // source channels per step: 128, 64 or 32 bytes

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
  constexpr int k_tile_bytes() const { return k_tile * SizeOf(type); }  // per pixel of a patch
  /// Whether w lies along K in memory: in backward-data, where it was copied for tf32.
  constexpr bool b_runs_along_k() const { return is_forward() || type == DataType::kTF32; }
  /// If the filter lies along its columns: blocks of 64 of a product's taps, for
  /// `channels` columns of a tap.
  constexpr int blocks(int channels) const { return (merged_taps() * channels + 63) / 64; }
  /// Bytes from one tap to the next; if the filter lies along its columns, from the taps of one
  /// product to the next.
  constexpr int filter_pitch(int channels) const {
    if (!b_runs_along_k()) return blocks(channels) * k_tile * 128;
    return (merges_taps ? columns : channels) * k_tile_bytes();
  }
  /// Products read one or more rows after the last.
  constexpr int filter_bytes(int channels) const {
    const int pitch = filter_pitch(channels), taps = filter * filter;
    if (!b_runs_along_k()) return taps / merged_taps() * pitch;
    return AlignUp(taps * pitch + product_columns() * k_tile_bytes() - merged_taps() * pitch, 1024);
  }
  constexpr int barrier_bytes() const {
    return AlignUp(8 * (resident + 1), 64);
  }  // without those of stages
};

/// Returns nullptr if a kernel of `c` can be compiled, else the reason.
constexpr const char* Reject(const HaloDenseConfig& c) {
  if (c.type != DataType::kF16 && c.type != DataType::kBF16 && c.type != DataType::kTF32) {
    return "operands are f16, bf16 or tf32";
  }
  if (c.direction == Direction::kBackwardWeight) return "the direction is forward or backward-data";
  if (c.columns % (c.merges_taps && c.b_runs_along_k() ? 4 : 8) != 0) {
    return "columns are a multiple of 8, or, with merged taps and a filter along K, of 4";
  }
  if (c.k_tile_bytes() != 128 && c.k_tile_bytes() != 64 && c.k_tile_bytes() != 32)
    return "k tiles are 128, 64 or 32 bytes of channels";
  if (c.consumers > 4) return "there are 1 to 4 warpgroups";
  if (c.reps * c.product_columns() > (c.consumers > 3 ? 128 : c.consumers > 2 ? 192 : 336)) {
    return "the sums do not fit in registers";
  }
  if (c.stages < 2) return "a stage is free when the products of the next have begun";
  if (c.merges_taps && c.filter != 3) return "three taps are merged";
  if (c.pingpong && c.consumers != 2) return "two warpgroups take turns";
  return nullptr;
}

}  // namespace gridwise::hopper
