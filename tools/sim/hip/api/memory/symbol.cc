// SPDX-License-Identifier: MIT
#include "tools/sim/hip/module/symbol.h"

#include <cstddef>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/memory/copy.h"
#include "tools/sim/hip/module/registration.h"
#include "tools/sim/hip/stream/capture.h"

// Variables of the device that the program names: __device__, __constant__ and __managed__ ones.

namespace gridwise::sim {
namespace {

hipError_t CopyTo(hipStream_t stream, const void* symbol, const void* from, size_t bytes,
                  size_t offset, hipMemcpyKind kind) {
  CopyOperation copy;
  const hipError_t error = MakeCopyToSymbol(symbol, from, bytes, offset, kind, &copy);
  return error != hipSuccess ? error : Enqueue(stream, copy);
}

hipError_t CopyFrom(hipStream_t stream, void* to, const void* symbol, size_t bytes, size_t offset,
                    hipMemcpyKind kind) {
  CopyOperation copy;
  const hipError_t error = MakeCopyFromSymbol(to, symbol, bytes, offset, kind, &copy);
  return error != hipSuccess ? error : Enqueue(stream, copy);
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                             hipMemcpyKind kind) {
  return Awaited(CopyTo(nullptr, symbol, from, bytes, offset, kind));
}
hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                  hipMemcpyKind kind, hipStream_t stream) {
  return CopyTo(stream, symbol, from, bytes, offset, kind);
}
hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                               hipMemcpyKind kind) {
  return Awaited(CopyFrom(nullptr, to, symbol, bytes, offset, kind));
}
hipError_t hipMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream) {
  return CopyFrom(stream, to, symbol, bytes, offset, kind);
}

hipError_t hipGetSymbolAddress(void** address, const void* symbol) {
  if (address == nullptr) return Report(hipErrorInvalidValue);
  std::byte* range = nullptr;
  if (hipError_t error = FindRange(symbol, 0, 0, &range); error != hipSuccess) return error;
  *address = range;
  return Report(hipSuccess);
}

hipError_t hipGetSymbolSize(size_t* bytes, const void* symbol) {
  if (bytes == nullptr) return Report(hipErrorInvalidValue);
  Device* device = NeedDevice();
  if (device == nullptr) return hipErrorNoDevice;
  Symbol variable;
  if (hipError_t error = FindVariable(symbol, *device, &variable); error != hipSuccess)
    return error;
  *bytes = variable.bytes;
  return Report(hipSuccess);
}

// No aliases: in the headers, the plain names are also those of templates.
hipError_t hipMemcpyToSymbol_spt(const void* symbol, const void* from, size_t bytes, size_t offset,
                                 hipMemcpyKind kind) {
  return Awaited(CopyTo(nullptr, symbol, from, bytes, offset, kind));
}
hipError_t hipMemcpyToSymbolAsync_spt(const void* symbol, const void* from, size_t bytes,
                                      size_t offset, hipMemcpyKind kind, hipStream_t stream) {
  return CopyTo(stream, symbol, from, bytes, offset, kind);
}
hipError_t hipMemcpyFromSymbol_spt(void* to, const void* symbol, size_t bytes, size_t offset,
                                   hipMemcpyKind kind) {
  return Awaited(CopyFrom(nullptr, to, symbol, bytes, offset, kind));
}
hipError_t hipMemcpyFromSymbolAsync_spt(void* to, const void* symbol, size_t bytes, size_t offset,
                                        hipMemcpyKind kind, hipStream_t stream) {
  return CopyFrom(stream, to, symbol, bytes, offset, kind);
}

}  // extern "C"
