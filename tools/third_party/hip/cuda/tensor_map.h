// SPDX-License-Identifier: MIT
/// An extension of HIP for targets whose kernels take tensor maps: descriptors of tensors, of
/// which NVIDIA's TMA reads and writes boxes. Only //tools/third_party/hip:cuda implements it;
/// elsewhere the functions are null pointers, since they are declared weak.
#pragma once

#include <cstdint>

#include "hip/hip_runtime_api.h"

extern "C" {

/// A CUtensorMap, which kernels take by value.
struct alignas(64) hipGridwiseTensorMap {
  std::uint64_t words[16];
};

/// What a tensor map says, axes from the innermost on. Source of the fields and their limits: CUDA
/// Driver API, section 6.30 (tensor map object management).
struct hipGridwiseTensorMapShape {
  int type;  // CUtensorMapDataType: 6 f16, 7 f32, 9 bf16, 11 tf32
  int rank;  // 1 to 5; im2col 3 to 5
  std::uint64_t size[5];
  std::uint64_t stride_bytes[5];  // per axis, from 1; multiples of 16. [0] is ignored
  unsigned element_step[5];       // 1 to 8: a box takes every step-th element
  int swizzle;                    // CUtensorMapSwizzle: 0 none, 1 32 bytes, 2 64 bytes, 3 128 bytes
  int is_im2col;
  unsigned box[5];  // tiled: elements, before steps are taken; at most 256
  // im2col: the positions of the filter's first tap lie between size's corners, moved by these.
  int lower_corner[3], upper_corner[3];
  unsigned channels, pixels;  // size of a box
};

/// Encodes `shape` of a tensor at `data`, 16-byte aligned. Host work only, about a microsecond.
__attribute__((weak)) hipError_t hipGridwiseTensorMapEncode(hipGridwiseTensorMap* map, void* data,
                                                            const hipGridwiseTensorMapShape* shape);

/// Puts another address into an encoded map.
__attribute__((weak)) hipError_t hipGridwiseTensorMapSetAddress(hipGridwiseTensorMap* map,
                                                                void* data);

}  // extern "C"
