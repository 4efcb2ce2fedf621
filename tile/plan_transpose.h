#pragma once

#include <cstdint>
#include <string>

#include "ck/base/types.h"
#include "tile/transpose_args.h"

namespace gridwise::tile {

/// A batch of matrices to transpose.
struct Matrices {
  std::int64_t count, rows, columns;
};

/// How many of them one launch can transpose, at least 1.
std::int64_t MatricesOfLaunch(const Matrices& matrices);

/// Arguments of a launch, for matrices with sides of less than 2^31; pointers null.
TransposeArgs PlanTranspose(const Matrices& matrices);

/// Workgroups of its launch.
unsigned TransposeWorkgroups(const Matrices& matrices);

/// Symbol of the kernel for elements of `type`.
std::string TransposeSymbol(DataType type);

}  // namespace gridwise::tile
