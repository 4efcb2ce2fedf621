/// Tensors of backward-data in host memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ck/base/types.h"
#include "ck/conv/problem.h"
#include "tools/gridwise/half.h"
#include "tools/gridwise/npy.h"

namespace gridwise {

/// One memory layout, two ways to write its shape.
struct TensorShape {
  std::vector<int64_t>
      merged;  // dx [n][in...][c]        w [k][filter...][c/g]         dy [n][out...][k]
  std::vector<int64_t>
      split;  // dx [n][in...][g][c/g]   w [g][k/g][filter...][c/g]    dy [n][out...][g][k/g]
};

TensorShape InputShape(const ConvProblem& problem);    // x, dx
TensorShape WeightsShape(const ConvProblem& problem);  // w, dw
TensorShape OutputShape(const ConvProblem& problem);   // y, dy

/// `elements` values, uniform in [-1, 1) before rounding to f16; the same for the same seed on
/// every machine.
std::vector<Half> RandomTensor(int64_t elements, uint64_t seed);

/// The elements of `array` as f16. Errors, naming `path`, when its shape is neither form of
/// `shape`, or when a float32 element is beyond f16's range.
absl::StatusOr<std::vector<Half>> TensorFromNpy(absl::string_view path, const NpyArray& array,
                                                const TensorShape& shape);

/// The elements as an array of `type` (kF16 or kF32).
NpyArray TensorToNpy(absl::Span<const Half> elements, std::vector<int64_t> shape, DataType type);

std::vector<float> ToFloat(absl::Span<const Half> elements);

}  // namespace gridwise
