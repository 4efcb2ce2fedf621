// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/direction.h"
#include "hopper/base/config.h"

namespace gridwise::hopper {

/// Returns nullptr if a kernel of `c` can be compiled, else the reason.
constexpr const char* Reject(const Config& c) {
  // For 8-bit floats, sums are not f32: the unit keeps fewer bits.
  if (c.type != DataType::kF16 && c.type != DataType::kBF16 && c.type != DataType::kI8 &&
      c.type != DataType::kTF32 && c.type != DataType::kF32) {
    return "operands are f16, bf16, f32, tf32 or i8";
  }
  if (c.has_parts() && (c.pingpong || c.resident > 0 || c.lanes || c.k_tile != 32)) {
    return "with parts, k tiles have 32 elements, warpgroups share tiles, and both operands pass "
           "through the stages";
  }
  if (c.has_parts() && c.columns * (c.reps + 1) > 384) return "the sums do not fit in registers";
  if (c.transposes_b() && (c.pingpong || c.lanes || c.reps > 2)) {
    return "where B is transposed, warpgroups share tiles of at most 128 rows each, and TMA loads "
           "both operands";
  }
  if (c.x_is_a && !c.transposes_b()) return "x is A only where B is transposed";
  if (c.w_is_a && (c.direction == Direction::kBackwardWeight || SizeOf(c.type) != 2 ||
                   c.resident > 0 || c.k_tile != 64)) {
    return "w is A in forward and backward-data of 16-bit types, with k tiles of 64 of which none "
           "stays in shared memory";
  }
  if (!TakesType(c.direction, c.type)) return "operands of the direction have no 8-bit types";
  if (c.consumers < 1 || c.consumers > 3 || (c.pingpong && c.consumers != 2)) {
    return "there are 1 to 3 warpgroups, 2 if they take turns";
  }
  if (c.k_tile_bytes() != 128 &&
      (c.k_tile_bytes() != 64 || c.direction == Direction::kBackwardWeight)) {
    return "k tiles are 128 bytes, or, in forward and backward-data, 64";
  }
  if (c.lanes && (c.direction != Direction::kBackwardWeight || c.rows() != 64)) {
    return "lanes load 64 rows in backward-weight";
  }
  if (c.resident > 0 && c.direction == Direction::kBackwardWeight) {
    return "in backward-weight, no operand stays in shared memory";
  }
  if (c.columns > 256 || c.reps * c.columns > (c.w_is_a ? 320 : 256)) {
    return "the sums do not fit in registers";
  }
  const bool has_blocks = c.direction == Direction::kBackwardWeight && !c.x_is_a;
  const bool is_block = SizeOf(c.type) == 2 && c.columns > c.box_columns();
  if (c.columns % (!has_blocks ? 8 : is_block ? 16 : c.box_columns()) != 0) {
    return "columns are a multiple of 8, or, in backward-weight, boxes of 64, of tf32 32, or one "
           "block of a larger multiple of 16";
  }
  if (SizeOf(c.type) == 2 &&
      (c.columns % c.epilogue_columns != 0 || c.epilogue_columns % 8 != 0 ||
       (!c.w_is_a && c.epilogue_columns != 64 && c.epilogue_columns / 8 % 2 != 1))) {
    return "epilogue_columns are 64, or an odd multiple of 8, or, where w is A, any multiple of 8, "
           "that divide a tile";
  }
  if (c.shared_bytes() > TraitsOf(Gfx::kSm90a).lds_bytes) return "k tiles exceed shared memory";
  return nullptr;
}

}  // namespace gridwise::hopper
