#pragma once

#include <cstdint>

#include "core/launch/launch_shape.h"
#include "core/passes/transpose_args.h"

namespace gridwise {

/// A batch of matrices to transpose.
struct Matrices {
  std::int64_t count, rows, columns;
};

/// Arguments for images of a valid problem, which have fewer than 2^31 tiles: sides are shorter
/// than 2^31, there are at most 2^30 images, and tiles that are not full leave few elements to the
/// others of the limit (core/conv/limits.h). Pointers null.
TransposeArgs PlanTranspose(const Matrices& matrices);

/// The shape of its launch: the tiles along x, and where a grid's axis has no room for them along y
/// as well.
LaunchShape TransposeShape(const Matrices& matrices);

}  // namespace gridwise
