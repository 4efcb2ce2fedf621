#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ck/base/types.h"
#include "tile/transpose_args.h"

namespace gridwise::tile {

/// A batch of matrices to transpose.
struct Matrices {
  std::int64_t count, rows, columns;
};

/// Why the kernel cannot transpose them; nothing if it can.
std::optional<std::string> RejectTranspose(const Matrices& matrices);

/// Arguments for matrices that are not rejected; pointers null.
TransposeArgs PlanTranspose(const Matrices& matrices);

/// Workgroups of its launch.
unsigned TransposeWorkgroups(const Matrices& matrices);

/// Symbol of the kernel for elements of `type`.
std::string TransposeSymbol(DataType type);

}  // namespace gridwise::tile
