// SPDX-License-Identifier: MIT
#include "tools/sim/hip/module/symbol.h"

#include "tools/sim/elf/code_object.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/module/registration.h"

namespace gridwise::sim {

hipError_t FindRange(const void* symbol, size_t offset, size_t bytes, std::byte** range) {
  Device* device = NeedDevice();
  if (device == nullptr) return hipErrorNoDevice;
  Symbol variable;
  if (hipError_t error = FindVariable(symbol, *device, &variable); error != hipSuccess)
    return error;
  if (offset > variable.bytes || bytes > variable.bytes - offset)
    return Report(hipErrorInvalidValue);
  *range = reinterpret_cast<std::byte*>(variable.address) + offset;
  return hipSuccess;
}

hipError_t MakeCopyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                            hipMemcpyKind kind, CopyOperation* copy) {
  if (kind != hipMemcpyHostToDevice && kind != hipMemcpyDeviceToDevice && kind != hipMemcpyDefault)
    return Report(hipErrorInvalidMemcpyDirection);
  std::byte* to = nullptr;
  if (hipError_t error = FindRange(symbol, offset, bytes, &to); error != hipSuccess) return error;
  *copy = LinearCopy(to, from, bytes, kind);
  return hipSuccess;
}

hipError_t MakeCopyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                              hipMemcpyKind kind, CopyOperation* copy) {
  if (kind != hipMemcpyDeviceToHost && kind != hipMemcpyDeviceToDevice && kind != hipMemcpyDefault)
    return Report(hipErrorInvalidMemcpyDirection);
  std::byte* from = nullptr;
  if (hipError_t error = FindRange(symbol, offset, bytes, &from); error != hipSuccess) return error;
  *copy = LinearCopy(to, from, bytes, kind);
  return hipSuccess;
}

}  // namespace gridwise::sim
