// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/base/config.h"
#include "hopper/gather/args.h"
#include "hopper/gather/tile.h"
#include "hopper/kernel/finish.h"
#include "hopper/kernel/multiply_parts.h"
#include "hopper/kernel/roles.h"

namespace gridwise::hopper {

/// Recomputes a sum from f32 itself; stops if it becomes NaN.
template <Config kC>
GRIDWISE_DEVICE float SumExactly(const GatherArgs& args, const GatherTileAt& tile,
                                 const PhasePixel& pixel, int column) {
  const SubGemm& gemm = args.gemm[tile.index];
  const ExactArgs& exact = args.exact;
  const int own = Quotient(tile.column + column, exact.by_of_group);  // merged groups
  const int merged = Quotient(args.n, exact.by_of_group);
  const int first = own * exact.of_source_group, end = first + exact.of_source_group;
  const float* const w =
      exact.other + static_cast<long>(tile.group * merged + own) * exact.other_group +
      static_cast<long>(tile.column + column - own * exact.of_group) * exact.other_out;
  const PixelAt at = SourceOf(gemm, args.strides, pixel);
  GatherStep step(args, gemm, tile.first);
  float sum = 0;
#pragma clang loop unroll(disable)
  for (int s = tile.first; s < tile.end && sum == sum; ++s, step.Next()) {
    const float* const x = SourceOf(exact, at, step.move);  // null: zeros
    const int k_tile = step.k_tile * kC.k_tile, k_tile_end = Min(end, k_tile + kC.k_tile);
#pragma clang loop unroll(disable)
    for (int k = first > k_tile ? first : k_tile; k < k_tile_end; ++k) {
      const float source = x == nullptr ? 0 : x[tile.group * exact.source_group + k];
      sum += source * w[static_cast<long>(step.tap) * exact.other_tap +
                        static_cast<long>(k - first) * exact.other_source];
    }
  }
  return sum;
}

/// Where rows and columns of a tile are in tensors of the output's shape, see Finisher.
struct GatherOutputMap {
  const GatherArgs& args;
  const GatherTileAt& tile;

  struct Row {
    bool is_there;
    PhasePixel pixel;
  };
  GRIDWISE_DEVICE const SubGemm& gemm() const { return args.gemm[tile.index]; }
  GRIDWISE_DEVICE Row FindRow(int row) const {
    if (tile.row + row >= gemm().m) return {.is_there = false, .pixel = {}};
    return {.is_there = true, .pixel = PixelOfRow(gemm(), tile.row + row)};
  }
  GRIDWISE_DEVICE long Bytes(const OutputStrides& strides, const Row& row) const {
    long bytes = row.pixel.n * strides.image + tile.group * strides.group;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const int pixel = OutputPixel(gemm().axis[axis], args.strides[axis], row.pixel.j[axis]);
      bytes += static_cast<long>(pixel) * strides.axis[axis];
    }
    return bytes;
  }
  GRIDWISE_DEVICE int Count(int column) const { return args.n - tile.column - column; }
  GRIDWISE_DEVICE long Column(const OutputStrides& strides, int column) const {
    return static_cast<long>(tile.column + column) * strides.column;
  }
  GRIDWISE_DEVICE bool Has(const Row&, int) const { return true; }
  GRIDWISE_DEVICE float Mend(float v, const Row&, int) const { return v; }
};

/// The same for a kernel's products.
template <Config kC>
struct ProductOutputMap : GatherOutputMap {
  GRIDWISE_DEVICE Row FindRow(int row) const {
    return GatherOutputMap::FindRow(RowOfProduct<kC>(row));
  }
  GRIDWISE_DEVICE float Mend(float v, const Row& row, int column) const {
    if constexpr (kC.has_parts()) return SumExactly<kC>(args, tile, row.pixel, column);
    return v;
  }
};

/// Epilogues of a kernel's products. Backward-data, and pixels that are columns, add no tensors.
template <Config kC>
using FinisherOf = Finisher<ProductOutputMap<kC>, Element<kC.type>,
                            /*kTensors=*/kC.direction == Direction::kForward && !kC.w_is_a>;

}  // namespace gridwise::hopper
