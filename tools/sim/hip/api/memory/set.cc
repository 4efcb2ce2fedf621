// SPDX-License-Identifier: MIT
#include <cstddef>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/per_thread.h"
#include "tools/sim/hip/memory/copy.h"
#include "tools/sim/hip/stream/capture.h"

// Fills.

namespace gridwise::sim {
namespace {

hipError_t Fill(hipStream_t stream, void* to, unsigned int value, size_t value_bytes,
                size_t count) {
  return Enqueue(
      stream,
      FillOperation{{static_cast<std::byte*>(to), 0, 0}, {count, 1, 1}, value, value_bytes});
}

hipError_t Fill2D(hipStream_t stream, void* to, size_t pitch, unsigned int value, size_t width,
                  size_t height) {
  return Enqueue(
      stream, FillOperation{{static_cast<std::byte*>(to), pitch, 0}, {width, height, 1}, value, 1});
}

hipError_t Fill3D(hipStream_t stream, const hipPitchedPtr& to, unsigned int value,
                  const hipExtent& extent) {
  return Enqueue(stream,
                 FillOperation{{static_cast<std::byte*>(to.ptr), to.pitch, to.pitch * to.ysize},
                               {extent.width, extent.height, extent.depth},
                               value,
                               1});
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipMemset(void* to, int value, size_t bytes) {
  return Awaited(Fill(nullptr, to, value, 1, bytes));
}
hipError_t hipMemsetAsync(void* to, int value, size_t bytes, hipStream_t stream) {
  return Fill(stream, to, value, 1, bytes);
}
hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count) {
  return Awaited(Fill(nullptr, to, value, 1, count));
}
hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count) {
  return Awaited(Fill(nullptr, to, value, 2, count));
}
hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
  return Awaited(Fill(nullptr, to, value, 4, count));
}
hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count,
                            hipStream_t stream) {
  return Fill(stream, to, value, 1, count);
}
hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count,
                             hipStream_t stream) {
  return Fill(stream, to, value, 2, count);
}
hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream) {
  return Fill(stream, to, value, 4, count);
}

hipError_t hipMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return Awaited(Fill2D(nullptr, to, pitch, value, width, height));
}
hipError_t hipMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                            hipStream_t stream) {
  return Fill2D(stream, to, pitch, value, width, height);
}
hipError_t hipMemset3D(hipPitchedPtr to, int value, hipExtent extent) {
  return Awaited(Fill3D(nullptr, to, value, extent));
}
hipError_t hipMemset3DAsync(hipPitchedPtr to, int value, hipExtent extent, hipStream_t stream) {
  return Fill3D(stream, to, value, extent);
}

GRIDWISE_PER_THREAD(hipMemset);
GRIDWISE_PER_THREAD(hipMemsetAsync);
GRIDWISE_PER_THREAD(hipMemset2D);
GRIDWISE_PER_THREAD(hipMemset2DAsync);
GRIDWISE_PER_THREAD(hipMemset3D);
GRIDWISE_PER_THREAD(hipMemset3DAsync);

}  // extern "C"
