// SPDX-License-Identifier: MIT
#pragma once

namespace gridwise {

/// A tensor descriptor for Hopper's TMA, which moves boxes of the tensor between memory and shared
/// memory: an opaque value that the driver makes. Kernels take it by value, in arguments that
/// nothing writes.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};

}  // namespace gridwise
