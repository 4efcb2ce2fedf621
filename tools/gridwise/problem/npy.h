// SPDX-License-Identifier: MIT
/// The subset of NumPy's .npy files that tensors of convolutions need: float16, float32, int8 and
/// int32, little-endian, C order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/base/types.h"

namespace gridwise {

/// A dense array; the last axis varies fastest.
struct NpyArray {
  DataType type = DataType::kF16;  // kF16, kF32, kI8 or kI32
  std::vector<int64_t> shape;
  std::vector<std::byte> data;  // product of shape x SizeOf(type)

  int64_t elements() const;
};

/// Returns e.g. "[2, 13, 13, 36]".
std::string ShapeToString(absl::Span<const int64_t> shape);

/// Parses the bytes of a .npy file, format versions 1 to 3. Errors name `path` and the fault.
absl::StatusOr<NpyArray> ParseNpy(absl::string_view path, absl::string_view bytes);
absl::StatusOr<NpyArray> ReadNpy(const std::string& path);

/// Returns the header of a .npy file, format version 1.0.
std::string NpyHeader(const NpyArray& array);
/// Checks that a file can be written at `path`, as far as possible without writing it.
absl::Status CheckWritable(const std::string& path);
absl::Status WriteNpy(const std::string& path, const NpyArray& array);

}  // namespace gridwise
