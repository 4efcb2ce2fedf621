// SPDX-License-Identifier: MIT
#include <cstddef>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/per_thread.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/memory/copy.h"
#include "tools/sim/hip/stream/capture.h"

// Copies of boxes in pitched memory.

namespace gridwise::sim {
namespace {

std::byte* Bytes(const void* pointer) {
  return static_cast<std::byte*>(const_cast<void*>(pointer));
}

hipError_t Copy2D(hipStream_t stream, void* to, size_t to_pitch, const void* from,
                  size_t from_pitch, size_t width, size_t height, hipMemcpyKind kind) {
  if (to_pitch < width || from_pitch < width) return Report(hipErrorInvalidPitchValue);
  return Enqueue(
      stream,
      CopyOperation{
          {Bytes(to), to_pitch, 0}, {Bytes(from), from_pitch, 0}, {width, height, 1}, kind});
}

template <typename Parameters>
hipError_t CopyBox(hipStream_t stream, const Parameters* parameters) {
  CopyOperation copy;
  const hipError_t error = MakeCopy(parameters, &copy);
  return error != hipSuccess ? error : Enqueue(stream, copy);
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                       size_t height, hipMemcpyKind kind) {
  return Awaited(Copy2D(nullptr, to, to_pitch, from, from_pitch, width, height, kind));
}
hipError_t hipMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                            size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream) {
  return Copy2D(stream, to, to_pitch, from, from_pitch, width, height, kind);
}
hipError_t hipMemcpy3D(const hipMemcpy3DParms* parameters) {
  return Awaited(CopyBox(nullptr, parameters));
}
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* parameters, hipStream_t stream) {
  return CopyBox(stream, parameters);
}
hipError_t hipMemcpyParam2D(const hip_Memcpy2D* parameters) {
  return Awaited(CopyBox(nullptr, parameters));
}
hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D* parameters, hipStream_t stream) {
  return CopyBox(stream, parameters);
}
hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D* parameters) {
  return Awaited(CopyBox(nullptr, parameters));
}
hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D* parameters) {
  return Awaited(CopyBox(nullptr, parameters));
}
hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D* parameters, hipStream_t stream) {
  return CopyBox(stream, parameters);
}

GRIDWISE_PER_THREAD(hipMemcpy2D);
GRIDWISE_PER_THREAD(hipMemcpy2DAsync);
GRIDWISE_PER_THREAD(hipMemcpy3D);
GRIDWISE_PER_THREAD(hipMemcpy3DAsync);

}  // extern "C"
