#pragma once

#include <cstdint>
#include <string>

#include "core/base/types.h"
#include "tile/transpose_args.h"

namespace gridwise::tile {

/// A batch of matrices to transpose.
struct Matrices {
  std::int64_t count, rows, columns;
};

/// Arguments for images of a valid problem, which have fewer than 2^31 tiles: sides are shorter
/// than 2^31, there are at most 2^30 images, and tiles that are not full leave few elements to the
/// others of the limit (core/conv/limits.h). Pointers null.
TransposeArgs PlanTranspose(const Matrices& matrices);

/// Workgroups of its launch.
unsigned TransposeWorkgroups(const Matrices& matrices);

/// Symbol of the kernel for elements of `type`.
std::string TransposeSymbol(DataType type);

}  // namespace gridwise::tile
