// SPDX-License-Identifier: MIT
#include "core/passes/plan_transpose.h"

#include <algorithm>

#include "core/base/math.h"

namespace gridwise {
namespace {

std::int64_t Tiles(std::int64_t length) { return CeilDiv<std::int64_t>(length, kTransposeTile); }

}  // namespace

TransposeArgs PlanTranspose(const Matrices& m) {
  TransposeArgs args = {};
  args.rows = static_cast<int>(m.rows);
  args.columns = static_cast<int>(m.columns);
  args.row_tiles = static_cast<int>(Tiles(m.rows));
  args.column_tiles = static_cast<int>(Tiles(m.columns));
  args.by_row_tiles = MakeMagicDiv(static_cast<unsigned>(args.row_tiles));
  args.matrices = static_cast<int>(m.count);
  args.by_column_tiles = MakeMagicDiv(static_cast<unsigned>(args.column_tiles));
  return args;
}

LaunchShape TransposeShape(const Matrices& m) {
  static_assert(std::int64_t{kTransposeRow} * kTransposeThreads <= kMaxWorkItems);
  const std::int64_t tiles = m.count * Tiles(m.rows) * Tiles(m.columns);
  return {
      .workgroups = {static_cast<std::uint32_t>(std::min<std::int64_t>(tiles, kTransposeRow)),
                     static_cast<std::uint32_t>(CeilDiv<std::int64_t>(tiles, kTransposeRow)), 1},
      .threads = {kTransposeThreads, 1, 1}};
}

}  // namespace gridwise
