// SPDX-License-Identifier: MIT
#include <cstddef>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/device/unsupported.h"
#include "tools/sim/hip/memory/copy.h"

// Copies of boxes in pitched memory, as HIP describes them.

namespace gridwise::sim {
namespace {

std::byte* Bytes(const void* pointer) {
  return static_cast<std::byte*>(const_cast<void*>(pointer));
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

hipError_t MakeCopy(const hip_Memcpy2D* p, CopyOperation* copy) {
  if (p == nullptr) return Report(hipErrorInvalidValue);
  return MakeCopy(
      {p->dstMemoryType, p->dstHost, p->dstDevice, p->dstXInBytes, p->dstY, 0, p->dstPitch, 0},
      {p->srcMemoryType, p->srcHost, p->srcDevice, p->srcXInBytes, p->srcY, 0, p->srcPitch, 0},
      {p->WidthInBytes, p->Height, 1}, copy);
}

}  // namespace gridwise::sim
