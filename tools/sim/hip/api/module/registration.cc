// SPDX-License-Identifier: MIT
#include "tools/sim/hip/module/registration.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/stream/queue.h"

// Functions that clang's startup code calls.

namespace gridwise::sim {
namespace {

/// The record that clang puts into .hipFatBinSegment.
struct FatBinaryWrapper {
  uint32_t magic;
  uint32_t version;
  const void* bundle;
  const void* unused;
};
constexpr uint32_t kWrapperMagic = 0x48495046;  // "HIPF"

FatBinary& FromHandle(void** handle) { return *reinterpret_cast<FatBinary*>(handle); }

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

void** __hipRegisterFatBinary(const void* data) {
  const auto* wrapper = static_cast<const FatBinaryWrapper*>(data);
  const bool known = wrapper->magic == kWrapperMagic;
  if (!known) {
    static_cast<void>(Report(
        hipErrorInvalidImage,
        absl::StrFormat("the program registers a fat binary whose magic number is %#x; clang's is "
                        "%#x",
                        wrapper->magic, kWrapperMagic)));
  }
  return reinterpret_cast<void**>(AddFatBinary(known ? wrapper->bundle : nullptr));
}

void __hipRegisterFunction(void** handle, const void* host_function, char*, const char* name,
                           unsigned int, void*, void*, void*, void*, int*) {
  AddKernel(FromHandle(handle), host_function, name);
}

void __hipRegisterVar(void** handle, void* host_variable, char*, char* name, int, size_t, int,
                      int) {
  AddVariable(FromHandle(handle), host_variable, name);
}

void __hipRegisterManagedVar(void** handle, void** pointer, void* initial, const char* name,
                             size_t bytes, unsigned) {
  AddManagedVariable(FromHandle(handle), pointer, initial, name, bytes);
}

// Textures and surfaces can be declared, and a kernel that uses one faults at its instructions.
void __hipRegisterTexture(void**, void*, char*, char*, int, int, int) {}
void __hipRegisterSurface(void**, void*, char*, char*, int, int) {}

void __hipUnregisterFatBinary(void** handle) {
  static_cast<void>(RunDeferred());
  RemoveFatBinary(&FromHandle(handle));
}

}  // extern "C"
