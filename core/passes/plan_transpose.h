// SPDX-License-Identifier: MIT
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
/// than 2^31, there are at most 2^30 images, and the other limits (core/conv/limits.h) leave little
/// room for partial tiles. Pointers null.
TransposeArgs PlanTranspose(const Matrices& matrices);

/// The shape of the launch: tiles along x, and along y as well if a grid's axis has too little
/// room.
LaunchShape TransposeShape(const Matrices& matrices);

}  // namespace gridwise
