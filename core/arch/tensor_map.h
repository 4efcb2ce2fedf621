#pragma once

namespace gridwise {

/// A descriptor of a tensor, of which Hopper's TMA moves boxes between memory and
/// shared memory: an opaque value that the driver makes. Kernels take it by value, in arguments
/// that nothing writes.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};

}  // namespace gridwise
