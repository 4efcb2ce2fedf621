// SPDX-License-Identifier: MIT
#include "core/rewrite/images_of_patches.h"

#include <cstddef>
#include <cstdint>

namespace gridwise {

ConvProblem WithImagesOfPatches(ConvProblem canonical) {
  constexpr std::int64_t kMaxSteps = 8;
  auto& [d, h, w] = canonical.dims;
  const bool cuts = h.stride > kMaxSteps && h.filter == h.stride && h.in == h.out() * h.filter &&
                    h.pad_begin == 0 && h.dilation == 1;
  if (!cuts || d != Dim{} || canonical.direction == Direction::kBackwardData ||
      canonical.strides != decltype(canonical.strides){}) {
    return canonical;
  }
  const bool forward = canonical.direction == Direction::kForward;
  for (int i = 0; forward && i < canonical.epilogue.tensors; ++i) {
    const PerAxis& stride = canonical.epilogue.d[static_cast<std::size_t>(i)].stride;
    if (stride[0] != stride[2] * h.out()) return canonical;
  }
  for (EpilogueTensor& tensor : canonical.epilogue.d) {
    if (forward) tensor.stride[0] = tensor.stride[2];
  }
  canonical.batch *= h.out();
  h = Dim{.in = h.filter, .filter = h.filter};
  return canonical;
}

}  // namespace gridwise
