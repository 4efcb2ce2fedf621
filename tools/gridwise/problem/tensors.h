// SPDX-License-Identifier: MIT
/// Operands and results in host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "tools/gridwise/problem/npy.h"

namespace gridwise {

/// Two shapes of the same memory layout.
struct TensorShape {
  std::vector<int64_t> merged;  // nhwgc: x [n][in...][c], dy [n][out...][k]; w [k][filter...][c/g]
  std::vector<int64_t> split;   // x [n][in...][g][c/g], ...; w [g][k/g][filter...][c/g]
};

/// Return the shapes of the tensors, in the problem's layouts. gnhwc has one form,
/// [g][n][in...][c/g]. ngchw has [n][c][in...] and [n][g][c/g][in...]. kyxgc has
/// [k/g][filter...][c] and [k/g][filter...][g][c/g].
TensorShape InputShape(const ConvProblem& problem);    // x, dx
TensorShape WeightsShape(const ConvProblem& problem);  // w, dw
TensorShape OutputShape(const ConvProblem& problem);   // y, dy

/// Returns `elements` values, uniform over the OperandRange before rounding to `type`. The values
/// of a seed are the same on every machine.
std::vector<float> RandomTensor(DataType type, int64_t elements, uint64_t seed);

/// Returns the elements of `array`, rounded to `type`. Returns an error that names `path` if
/// the array's shape is neither form of `shape`, or if the type cannot represent an element: a
/// finite element is outside of its range, or an integer type meets a fraction.
absl::StatusOr<std::vector<float>> TensorFromNpy(absl::string_view path, const NpyArray& array,
                                                 const TensorShape& shape, DataType type);

/// Converts elements of `type` to an array of `file_type`, one of NpyArray's types.
NpyArray TensorToNpy(DataType type, absl::Span<const std::byte> elements,
                     std::vector<int64_t> shape, DataType file_type);

}  // namespace gridwise
