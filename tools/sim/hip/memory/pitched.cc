#include <cstddef>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/per_thread.h"
#include "tools/sim/hip/abi/unsupported.h"
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

Pitched At(const hipPitchedPtr& memory, const hipPos& position) {
  const size_t slice = memory.pitch * memory.ysize;
  return {Bytes(memory.ptr) + position.x + position.y * memory.pitch + position.z * slice,
          memory.pitch, slice};
}

// One side of a driver API copy: 2D ones are 3D ones of one slice.
struct Side {
  hipMemoryType type;
  const void* host;
  const void* device;
  size_t x, y, z, pitch, rows;
};

hipError_t ToPitched(const Side& side, size_t width, Pitched* pitched) {
  if (side.type == hipMemoryTypeArray)
    return static_cast<hipError_t>(Unsupported("a driver API copy of an array"));
  const void* base = side.type == hipMemoryTypeHost ? side.host : side.device;
  const size_t pitch = side.pitch == 0 ? width : side.pitch;
  const size_t slice = pitch * side.rows;
  *pitched = {Bytes(base) + side.x + side.y * pitch + side.z * slice, pitch, slice};
  return hipSuccess;
}

hipError_t MakeCopy(const Side& to, const Side& from, const Box& box, CopyOperation* copy) {
  Pitched pitched_to, pitched_from;
  if (hipError_t error = ToPitched(to, box.width, &pitched_to); error != hipSuccess) return error;
  if (hipError_t error = ToPitched(from, box.width, &pitched_from); error != hipSuccess)
    return error;
  *copy = {pitched_to, pitched_from, box, hipMemcpyDefault};
  return hipSuccess;
}

hipError_t CopyParam2D(hipStream_t stream, const hip_Memcpy2D* p) {
  if (p == nullptr) return Report(hipErrorInvalidValue);
  CopyOperation copy;
  const hipError_t error = MakeCopy(
      {p->dstMemoryType, p->dstHost, p->dstDevice, p->dstXInBytes, p->dstY, 0, p->dstPitch, 0},
      {p->srcMemoryType, p->srcHost, p->srcDevice, p->srcXInBytes, p->srcY, 0, p->srcPitch, 0},
      {p->WidthInBytes, p->Height, 1}, &copy);
  return error != hipSuccess ? error : Enqueue(stream, copy);
}

template <typename Parameters>
hipError_t Copy3D(hipStream_t stream, const Parameters* parameters) {
  CopyOperation copy;
  const hipError_t error = MakeCopy(parameters, &copy);
  return error != hipSuccess ? error : Enqueue(stream, copy);
}

}  // namespace

hipError_t MakeCopy(const hipMemcpy3DParms* p, CopyOperation* copy) {
  if (p == nullptr) return Report(hipErrorInvalidValue);
  if (p->srcArray != nullptr || p->dstArray != nullptr)
    return static_cast<hipError_t>(Unsupported("hipMemcpy3D of an array"));
  *copy = {At(p->dstPtr, p->dstPos),
           At(p->srcPtr, p->srcPos),
           {p->extent.width, p->extent.height, p->extent.depth},
           p->kind};
  return hipSuccess;
}

hipError_t MakeCopy(const HIP_MEMCPY3D* p, CopyOperation* copy) {
  if (p == nullptr) return Report(hipErrorInvalidValue);
  return MakeCopy({p->dstMemoryType, p->dstHost, p->dstDevice, p->dstXInBytes, p->dstY, p->dstZ,
                   p->dstPitch, p->dstHeight},
                  {p->srcMemoryType, p->srcHost, p->srcDevice, p->srcXInBytes, p->srcY, p->srcZ,
                   p->srcPitch, p->srcHeight},
                  {p->WidthInBytes, p->Height, p->Depth}, copy);
}

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
  return Awaited(Copy3D(nullptr, parameters));
}
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* parameters, hipStream_t stream) {
  return Copy3D(stream, parameters);
}
hipError_t hipMemcpyParam2D(const hip_Memcpy2D* parameters) {
  return Awaited(CopyParam2D(nullptr, parameters));
}
hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D* parameters, hipStream_t stream) {
  return CopyParam2D(stream, parameters);
}
hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D* parameters) {
  return Awaited(CopyParam2D(nullptr, parameters));
}
hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D* parameters) {
  return Awaited(Copy3D(nullptr, parameters));
}
hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D* parameters, hipStream_t stream) {
  return Copy3D(stream, parameters);
}

GRIDWISE_PER_THREAD(hipMemcpy2D);
GRIDWISE_PER_THREAD(hipMemcpy2DAsync);
GRIDWISE_PER_THREAD(hipMemcpy3D);
GRIDWISE_PER_THREAD(hipMemcpy3DAsync);

}  // extern "C"
