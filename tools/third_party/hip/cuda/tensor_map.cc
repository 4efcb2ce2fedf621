// SPDX-License-Identifier: MIT
#include "tools/third_party/hip/cuda/tensor_map.h"

#include "tools/third_party/hip/cuda/driver.h"

namespace {

// CUtensorMapInterleave, CUtensorMapL2promotion, CUtensorMapFloatOOBfill.
constexpr int kNoInterleave = 0, kPromoteTo256Bytes = 3, kFillZeros = 0;

}  // namespace

extern "C" {

hipError_t hipGridwiseTensorMapEncode(hipGridwiseTensorMap* map, void* data,
                                      const hipGridwiseTensorMapShape* shape) {
  const gridwise::cuda::Entered entered = gridwise::cuda::Enter();
  if (entered.driver == nullptr) return entered.error;
  const auto& s = *shape;
  const auto rank = static_cast<unsigned>(s.rank);
  if (s.is_im2col != 0) {
    return gridwise::cuda::Translate(entered.driver->TensorMapEncodeIm2col(
        map, s.type, rank, data, s.size, s.stride_bytes + 1, s.lower_corner, s.upper_corner,
        s.channels, s.pixels, s.element_step, kNoInterleave, s.swizzle, kPromoteTo256Bytes,
        kFillZeros));
  }
  return gridwise::cuda::Translate(entered.driver->TensorMapEncodeTiled(
      map, s.type, rank, data, s.size, s.stride_bytes + 1, s.box, s.element_step, kNoInterleave,
      s.swizzle, kPromoteTo256Bytes, kFillZeros));
}

hipError_t hipGridwiseTensorMapSetAddress(hipGridwiseTensorMap* map, void* data) {
  return gridwise::cuda::Call<&gridwise::cuda::Driver::TensorMapReplaceAddress>(map, data);
}

}  // extern "C"
