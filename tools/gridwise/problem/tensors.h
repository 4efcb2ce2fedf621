/// Operands and results in host memory, as numbers.
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

/// One memory layout, two ways to write its shape.
struct TensorShape {
  std::vector<int64_t> merged;  // nhwgc: x [n][in...][c], dy [n][out...][k]; w [k][filter...][c/g]
  std::vector<int64_t> split;   // x [n][in...][g][c/g], ...; w [g][k/g][filter...][c/g]
};

/// In the problem's layouts. gnhwc has one form, [g][n][in...][c/g]; ngchw has [n][c][in...] and
/// [n][g][c/g][in...]; kyxgc has [k/g][filter...][c] and [k/g][filter...][g][c/g].
TensorShape InputShape(const ConvProblem& problem);    // x, dx
TensorShape WeightsShape(const ConvProblem& problem);  // w, dw
TensorShape OutputShape(const ConvProblem& problem);   // y, dy

/// `elements` values, uniform over the OperandRange before rounding to `type`; the same for the
/// same seed on every machine.
std::vector<float> RandomTensor(DataType type, int64_t elements, uint64_t seed);

/// The elements of `array`, rounded to `type`. Errors, naming `path`, when its shape is neither
/// form of `shape`, when a finite element is beyond the type's range, or no integer where the type
/// has only those.
absl::StatusOr<std::vector<float>> TensorFromNpy(absl::string_view path, const NpyArray& array,
                                                 const TensorShape& shape, DataType type);

/// Elements of `type` in memory as an array of `file_type` (one of NpyArray's).
NpyArray TensorToNpy(DataType type, absl::Span<const std::byte> elements,
                     std::vector<int64_t> shape, DataType file_type);

}  // namespace gridwise
