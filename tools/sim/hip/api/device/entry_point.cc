// SPDX-License-Identifier: MIT
#include <dlfcn.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/hip7.h"
#include "tools/sim/hip/device/runtime.h"

// Entry points by name.

namespace gridwise::sim {
namespace {

constexpr uint64_t kPerThread = 2;  // flag: the variants for a default stream of each thread

// This library, which dlsym does not search by itself in a process that loaded it for another one.
void* ThisLibrary() {
  static void* const library = [] {
    Dl_info info = {};
    const bool found = dladdr(reinterpret_cast<void*>(&hipGetProcAddress), &info) != 0;
    return found ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD) : nullptr;
  }();
  return library;
}

void* Find(const std::string& name) {
  void* const found = ThisLibrary() == nullptr ? nullptr : dlsym(ThisLibrary(), name.c_str());
  return found != nullptr ? found : dlsym(RTLD_DEFAULT, name.c_str());
}

// Not every entry point has a variant for the threads' default streams.
hipError_t EntryPoint(const char* name, bool per_thread, void** function) {
  if (name == nullptr || function == nullptr) return Report(hipErrorInvalidValue);
  *function = per_thread ? Find(absl::StrCat(name, "_spt")) : nullptr;
  if (*function == nullptr) *function = Find(name);
  return Report(*function != nullptr ? hipSuccess : hipErrorInvalidValue);
}

template <typename Result>
hipError_t WithResult(hipError_t error, Result found, Result not_found, Result* result) {
  if (result != nullptr) *result = error == hipSuccess ? found : not_found;
  return error;
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipGetProcAddress(const char* name, void** function, int, uint64_t flags,
                             hipDriverProcAddressQueryResult* result) {
  return WithResult(EntryPoint(name, (flags & kPerThread) != 0, function),
                    HIP_GET_PROC_ADDRESS_SUCCESS, HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, result);
}
hipError_t hipGetProcAddress_spt(const char* name, void** function, int version, uint64_t flags,
                                 hipDriverProcAddressQueryResult* result) {
  return hipGetProcAddress(name, function, version, flags | kPerThread, result);
}

hipError_t hipGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                  hipDriverEntryPointQueryResult* result) {
  return WithResult(EntryPoint(name, (flags & kPerThread) != 0, function),
                    hipDriverEntryPointSuccess, hipDriverEntryPointSymbolNotFound, result);
}
hipError_t hipGetDriverEntryPoint_spt(const char* name, void** function, unsigned long long flags,
                                      hipDriverEntryPointQueryResult* result) {
  return hipGetDriverEntryPoint(name, function, flags | kPerThread, result);
}

}  // extern "C"
