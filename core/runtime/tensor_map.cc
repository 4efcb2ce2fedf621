// SPDX-License-Identifier: MIT
#include "core/runtime/tensor_map.h"

#include <cstring>

#include "absl/strings/str_format.h"
#include "core/runtime/status.h"
#include "tools/third_party/hip/cuda/tensor_map.h"

namespace gridwise {
namespace {

static_assert(sizeof(TensorMap) == sizeof(hipGridwiseTensorMap));

/// CUtensorMapDataType and CUtensorMapSwizzle. As TFLOAT32, TMA rounds f32 as it loads them
/// (source: CUTLASS, collective/sm90_mma_tma_gmma_ss_warpspecialized.hpp).
int TypeCode(DataType type) {
  switch (type) {
    case DataType::kF16:
      return 6;
    case DataType::kF32:
      return 7;
    case DataType::kBF16:
      return 9;
    case DataType::kTF32:
      return 11;
    default:
      return 0;
  }
}
int SwizzleCode(int bytes) { return bytes == 0 ? 0 : bytes == 32 ? 1 : bytes == 64 ? 2 : 3; }

hipGridwiseTensorMapShape ShapeOf(const TensorMapSpec& spec) {
  hipGridwiseTensorMapShape shape = {};
  shape.type = TypeCode(spec.type);
  shape.rank = spec.rank;
  shape.swizzle = SwizzleCode(spec.swizzle_bytes);
  shape.is_im2col = spec.is_im2col;
  shape.channels = spec.channels;
  shape.pixels = spec.pixels;
  for (std::size_t i = 0; i < 5; ++i) {
    shape.size[i] = spec.size[i];
    shape.stride_bytes[i] = spec.stride_bytes[i];
    shape.element_step[i] = spec.step[i];
    shape.box[i] = spec.box[i];
  }
  for (std::size_t i = 0; i < 3; ++i) {
    shape.lower_corner[i] = spec.lower[i];
    shape.upper_corner[i] = spec.upper[i];
  }
  return shape;
}

}  // namespace

absl::Status Encode(const TensorMapSpec& spec, TensorMap& map) {
  if (hipGridwiseTensorMapEncode == nullptr) {
    return absl::UnimplementedError("the linked HIP library has no tensor maps");
  }
  const hipGridwiseTensorMapShape shape = ShapeOf(spec);
  void* const anywhere = reinterpret_cast<void*>(std::uintptr_t{1} << 20);
  hipGridwiseTensorMap encoded;
  absl::Status status =
      ToStatus(hipGridwiseTensorMapEncode(&encoded, anywhere, &shape),
               absl::StrFormat("describe a tensor of %d axes, the inner two of %d and %d elements, "
                               "by a tensor map",
                               spec.rank, spec.size[0], spec.size[1]));
  if (status.ok()) std::memcpy(&map, &encoded, sizeof(map));
  return status;
}

absl::Status SetAddress(TensorMap& map, const void* tensor) {
  if (hipGridwiseTensorMapSetAddress == nullptr) {
    return absl::UnimplementedError("the linked HIP library has no tensor maps");
  }
  const hipError_t error = hipGridwiseTensorMapSetAddress(
      reinterpret_cast<hipGridwiseTensorMap*>(&map), const_cast<void*>(tensor));
  if (error == hipSuccess) return absl::OkStatus();
  return ToStatus(error, absl::StrFormat("make a tensor map of the tensor at %p, which must be "
                                         "aligned to 16 bytes",
                                         tensor));
}

}  // namespace gridwise
