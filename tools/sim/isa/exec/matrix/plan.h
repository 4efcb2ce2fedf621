// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/isa/exec/level.h"

/// Where the elements of a matrix instruction are in the registers of a wave.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

inline constexpr int kMaxDepth = 128;
/// Elements of an operand in one lane, at most: 16x16x128 and 32x32x64.
inline constexpr int kMaxElements = 32;

/// Where the elements of a matrix instruction are. Unpacked operands are rows [element][lane]: row
/// i of A (column i of B) of block b at depth k is at a[k] + b dim + i (b[k] + b dim + i). Lane
/// group g has `dim` lanes, for the columns of D, of block g / (groups / blocks per register) in
/// the case of 4x4; its register r of a block holds row[r][g].
struct MatrixPlan {
  int dim = 0, blocks = 1, depth = 0;
  int groups = 0;     // of `dim` lanes in a wave
  int registers = 0;  // values of D in a lane and block
  u16 a[kMaxDepth] = {}, b[kMaxDepth] = {};
  u8 row[16][4] = {};
};

/// CDNA: 64 / (dim * blocks) lane groups share a row, each with E = depth dim blocks / 64
/// consecutive k: element k is in lane group k / E at position k % E. Elements come in chunks of
/// `chunk`, so that position p of group g is k = (p / chunk) chunk groups + g chunk + p % chunk.
/// Register r of lane group g holds row 4 G (r / 4) + 4 g + r % 4 of D with G = 64 / dim groups;
/// with doubles, row G r + g.
constexpr void PlaceInputs(const MatrixPlan& p, int chunk, u16* offset) {
  const int elements = p.depth * p.dim * p.blocks / kLanes;
  const int sharing = kLanes / (p.dim * p.blocks);
  if (chunk > elements) chunk = elements;
  for (int k = 0; k < p.depth; ++k) {
    const int group = k / chunk % sharing, position = k / (chunk * sharing) * chunk + k % chunk;
    offset[k] = static_cast<u16>(position * kLanes + group * p.dim * p.blocks);
  }
}
constexpr MatrixPlan CdnaPlan(int dim, int blocks, int depth, int chunk_a = kMaxElements,
                              int chunk_b = kMaxElements, bool doubles = false) {
  MatrixPlan p{.dim = dim, .blocks = blocks, .depth = depth, .groups = kLanes / dim};
  p.registers = dim * dim * blocks / kLanes / (dim == 4 ? 1 : blocks);
  PlaceInputs(p, chunk_a, p.a);
  PlaceInputs(p, chunk_b, p.b);
  for (int r = 0; dim > 4 && r < p.registers; ++r) {
    for (int g = 0; g < p.groups; ++g) {
      p.row[r][g] =
          static_cast<u8>(doubles ? p.groups * r + g : 4 * p.groups * (r / 4) + 4 * g + r % 4);
    }
  }
  return p;
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
