// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"
#include "core/base/types.h"
#include "core/conv/direction.h"
#include "core/text/instance_fields.h"

namespace gridwise::hopper {

/// Maximum number of workgroups in a cluster.
inline constexpr int kMaxCluster = 8;

/// A kernel with a producer warp and consumer warpgroups. Each consumer has 64 * reps rows and all
/// columns of a tile. Operands pass through `stages` k tiles of shared memory.
struct Config {
  Direction direction = Direction::kForward;
  DataType type = DataType::kF16;
  int consumers = 2;      // warpgroups that multiply
  bool pingpong = false;  // consumers take turns at tiles, so that one stores while the other
                          // multiplies; otherwise they share a tile
  int reps = 1;           // times 64 rows
  int columns = 256;      // per tile
  int stages = 4;
  int epilogue_columns = 64;  // columns of 16 bits that TMA stores at once
  int k_tile = 64;     // elements of K: 128 or 64 bytes of channels, or, in backward-weight, pixels
  int resident = 0;    // k tiles of B that stay in shared memory; 0: all pass through the stages
  bool lanes = false;  // lanes load A in backward-weight: its pixels may be multiples of 8 bytes
                       // apart
  Omittable<false> x_is_a = {};  // in backward-weight of tf32, rows are channels of x at taps, and
                                 // columns those of dy
  // In forward and backward-data of 16-bit types, rows are output channels, and columns pixels, of
  // which a tile has any multiple of 8: so tiles can fill the last round of the device.
  Omittable<false> w_is_a = {};

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [direction, type, consumers, pingpong, reps, columns, stages, epilogue_columns, k_tile,
           resident, lanes, x_is_a, w_is_a] = self;
    visit("", direction);
    visit("", type);
    visit("g", consumers);
    visit("pingpong", pingpong);
    visit("m", reps);
    visit("n", columns);
    visit("s", stages);
    visit("o", epilogue_columns);
    visit("k", k_tile);
    visit("b", resident);
    visit("l", lanes);
    visit("x", x_is_a);
    visit("w", w_is_a);
  }
  bool operator==(const Config&) const = default;

  /// Whether operands are split into bf16 parts, see kernel/multiply_parts.h.
  constexpr bool has_parts() const { return type == DataType::kF32; }
  /// The parts of an operand; 1: it is multiplied as it is.
  constexpr int parts() const { return has_parts() ? 3 : 1; }
  /// Whether consumers transpose B, see kernel/multiply_transposed.h: both operands lie across K,
  /// in which the tensor core multiplies only 16-bit types.
  constexpr bool transposes_b() const {
    return type == DataType::kTF32 && direction == Direction::kBackwardWeight;
  }
  /// Backward-weight: channels of x that TMA loads at once: a line of 128 bytes.
  constexpr int box_columns() const { return transposes_b() ? 32 : 64; }
  /// Backward-weight: channels of x at a tap that are a block of columns, or of rows if x is A: a
  /// box, or all columns of a tile if these are not whole boxes.
  constexpr int block_columns() const {
    return !x_is_a && columns % box_columns() != 0 ? columns : box_columns();
  }
  /// Backward-weight: whether a tile may multiply several groups of few channels with each other.
  constexpr bool merges_groups() const {
    return direction == Direction::kBackwardWeight && SizeOf(type) == 4;
  }
  /// Whether w lies along K in memory. Gathered pixels do.
  constexpr bool w_runs_along_k() const {
    return direction == Direction::kForward ||
           (direction == Direction::kBackwardData && type == DataType::kTF32);
  }
  constexpr bool a_runs_along_k() const {
    return direction != Direction::kBackwardWeight && (!w_is_a || w_runs_along_k());
  }
  constexpr bool b_runs_along_k() const { return w_is_a || w_runs_along_k(); }
  constexpr int warpgroups() const { return consumers; }
  constexpr int threads() const { return 128 * (consumers + 1); }
  constexpr int tile_consumers() const { return pingpong ? 1 : consumers; }
  /// K tiles by which a warpgroup of a shared tile lags the one before: some of the stages, while
  /// the others are loaded.
  constexpr int lead() const {
    if (has_parts() || tile_consumers() == 1 || direction == Direction::kBackwardWeight) return 0;
    return stages / 2 / (tile_consumers() - 1);
  }
  /// Whether clusters can add up their splits, in the memory of the stages.
  constexpr bool has_clusters() const {
    return SumType(type) == DataType::kF32 && !has_parts() && !pingpong && !w_is_a &&
           columns % 16 == 0 && exchange_bytes() <= staging_at();
  }
  /// Bytes in a workgroup that adds up its part of a tile: 16 columns of 64 rows at a time, of all
  /// splits.
  constexpr int exchange_bytes() const {
    const int units = reps * columns / 16;
    int most = 0;
    for (int splits = 2; splits <= kMaxCluster; ++splits) {
      const int bytes = AlignUp(units, splits) * consumers * 4096;
      most = bytes > most ? bytes : most;
    }
    return most;
  }
  constexpr int rows() const { return 64 * reps * tile_consumers(); }
  /// Forward and backward-data: output pixels and channels of a tile.
  constexpr int pixels() const { return w_is_a ? columns : rows(); }
  constexpr int channels() const { return w_is_a ? rows() : columns; }
  /// Channels of w that there is room for: unless w lies along K, whole lines of 128 bytes.
  constexpr int w_channels() const {
    return w_runs_along_k() ? channels() : AlignUp(channels(), 64);
  }
  /// Columns of an instruction. With three warpgroups, a kernel does not begin with enough
  /// registers for 256 columns, which is what the assembler requires for an instruction.
  constexpr int product_columns() const {
    return consumers == 3 && columns > 192 ? columns / 2 : columns;
  }
  /// Whether TMA may store the output: in the operands' type, or f32 of tf32.
  constexpr bool stores_boxes() const {
    const bool is_tf32 = type == DataType::kTF32 && direction != Direction::kBackwardWeight;
    return SizeOf(type) == 2 || (is_tf32 && columns % stored_columns() == 0);
  }
  /// Columns that TMA stores at once: an epilogue tile. f32 are lines of 128 bytes, and so are the
  /// 64 channels of a warpgroup's rows at each pixel.
  constexpr int stored_columns() const { return SizeOf(type) == 4 ? 32 : epilogue_columns; }
  constexpr int stored_element_bytes() const { return SizeOf(type) == 4 ? 4 : 2; }
  constexpr int stored_row_bytes() const { return stored_columns() * stored_element_bytes(); }
  constexpr int k_tile_bytes() const { return k_tile * SizeOf(type); }  // per row
  /// Bytes of a column; with parts, of one of them.
  constexpr int b_run_bytes() const { return k_tile * (has_parts() ? 2 : SizeOf(type)); }
  constexpr int a_bytes() const { return rows() * k_tile_bytes(); }
  /// Columns that there is room for: unless B lies along K, whole lines of 128 bytes.
  constexpr int b_columns() const {
    return b_runs_along_k() ? columns : AlignUp(columns, transposes_b() ? 32 : 64);
  }
  constexpr int b_part_bytes() const { return b_columns() * b_run_bytes(); }
  constexpr int b_bytes() const { return parts() * b_part_bytes(); }
  constexpr int stage_bytes() const { return a_bytes() + (resident > 0 ? 0 : b_bytes()); }
  /// Staging buffers of stores: a second one is used in turn if a tile has even numbers of
  /// epilogue tiles and of 64 columns.
  constexpr int buffers() const {
    if (w_is_a) return columns > stored_columns() ? 2 : 1;
    const bool is_single = has_parts() || transposes_b() || epilogue_columns != 64;
    return is_single || columns / 64 % 2 != 0 || columns / stored_columns() % 2 != 0 ? 1 : 2;
  }
  /// Also room for 32 columns of f32, see StoreElements.
  constexpr int buffer_bytes() const {
    if (w_is_a) return AlignUp(stored_columns() * 128, 1024);
    const int bytes = AlignUp(64 * stored_row_bytes(), 1024);
    return bytes < 8192 ? 8192 : bytes;
  }
  constexpr int resident_at() const { return stages * stage_bytes(); }
  constexpr int staging_at() const { return resident_at() + resident * b_bytes(); }
  constexpr int barriers_at() const {
    return staging_at() + consumers * buffers() * buffer_bytes();
  }
  constexpr int resident_barrier_at() const { return barriers_at() + stages * 16; }
  constexpr int exchange_barrier_at() const {
    return resident_barrier_at() + (resident > 0 ? 16 : 0);
  }
  constexpr int transposed_barriers_at() const {
    return exchange_barrier_at() + (has_clusters() ? 16 : 0);
  }
  constexpr int shared_bytes() const {
    return transposed_barriers_at() + (transposes_b() ? stages * 8 : 0);
  }
};

}  // namespace gridwise::hopper
