// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"

namespace gridwise {

/// Elements of a square tile of the transposing kernel, and lanes of a workgroup.
inline constexpr int kTransposeTile = 64;
inline constexpr int kTransposeThreads = 256;
/// Workgroups along x if there are more than one along y.
inline constexpr int kTransposeRow = 1 << 22;

/// Kernel arguments of a batch of transpositions: to[i][c][r] = from[i][r][c]. All are packed.
struct TransposeArgs {
  const void* from;
  void* to;
  int matrices;
  int rows, columns;  // of a matrix in `from`
  int row_tiles, column_tiles;
  MagicDiv by_row_tiles, by_column_tiles;
};

}  // namespace gridwise
