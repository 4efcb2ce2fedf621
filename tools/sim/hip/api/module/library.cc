// SPDX-License-Identifier: MIT
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/hip/abi/hip7.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/module/module.h"
#include "tools/sim/hip/stream/queue.h"
#include "tools/text/read_file.h"

// Libraries (HIP 7.2): device code that belongs to no device. It is loaded for the device that is
// current when one of its kernels is asked for, and a kernel is that module's function, so that all
// calls that take functions take kernels.

struct ihipLibrary_t {
  std::vector<std::byte> image;
  std::map<gridwise::sim::Device*, std::unique_ptr<ihipModule_t>> modules;
};

namespace gridwise::sim {
namespace {

struct Libraries {
  std::mutex mutex;
  std::map<hipLibrary_t, std::unique_ptr<ihipLibrary_t>> live;
};

Libraries& TheLibraries() {
  static auto* const libraries = new Libraries;
  return *libraries;
}

// There is no compiler here that options could be for; what is wrong with the image is found when
// the library is first used.
hipError_t Add(hipLibrary_t* library, std::vector<std::byte> image, unsigned int compiler_options) {
  if (compiler_options != 0) {
    return Report(hipErrorInvalidValue,
                  absl::StrFormat("a library is loaded with %u options of the run-time compiler; "
                                  "device code takes none",
                                  compiler_options));
  }
  auto loaded = std::make_unique<ihipLibrary_t>(std::move(image));
  *library = loaded.get();
  Libraries& libraries = TheLibraries();
  std::lock_guard lock(libraries.mutex);
  libraries.live[*library] = std::move(loaded);
  return Report(hipSuccess);
}

// The module of the current device. The caller has the lock. Reports.
hipError_t LoadOnce(Libraries& libraries, hipLibrary_t library, ihipModule_t** module) {
  if (libraries.live.count(library) == 0) return Report(hipErrorInvalidHandle);
  Device* const device = NeedDevice();
  if (device == nullptr) return hipErrorNoDevice;
  std::unique_ptr<ihipModule_t>& loaded = library->modules[device];
  if (loaded == nullptr) {
    if (hipError_t error = LoadModule(library->image, *device, &loaded); error != hipSuccess)
      return error;
  }
  *module = loaded.get();
  return hipSuccess;
}

hipFunction_t FunctionOf(hipKernel_t kernel) { return reinterpret_cast<hipFunction_t>(kernel); }

// nullptr if `kernel` is of no library. The caller has the lock.
hipLibrary_t LibraryOf(Libraries& libraries, hipKernel_t kernel) {
  if (!IsFunction(FunctionOf(kernel))) return nullptr;
  for (const auto& [handle, library] : libraries.live) {
    for (const auto& [device, module] : library->modules) {
      if (module.get() == FunctionOf(kernel)->module) return handle;
    }
  }
  return nullptr;
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipLibraryLoadData(hipLibrary_t* library, const void* image, hipJitOption*, void**,
                              unsigned int compiler_options, hipLibraryOption*, void**,
                              unsigned int) {
  if (library == nullptr || image == nullptr) return Report(hipErrorInvalidValue);
  const absl::StatusOr<std::span<const std::byte>> bytes = ImageExtent(image);
  if (!bytes.ok()) return Report(hipErrorInvalidImage, bytes.status());
  return Add(library, {bytes->begin(), bytes->end()}, compiler_options);
}

hipError_t hipLibraryLoadFromFile(hipLibrary_t* library, const char* path, hipJitOption*, void**,
                                  unsigned int compiler_options, hipLibraryOption*, void**,
                                  unsigned int) {
  if (library == nullptr || path == nullptr) return Report(hipErrorInvalidValue);
  const absl::StatusOr<std::string> bytes = gridwise::ReadFile(path);
  if (!bytes.ok())
    return Report(hipErrorFileNotFound, absl::StrCat("code object: ", bytes.status().message()));
  const auto image = std::as_bytes(std::span(*bytes));
  return Add(library, {image.begin(), image.end()}, compiler_options);
}

hipError_t hipLibraryUnload(hipLibrary_t library) {
  static_cast<void>(RunDeferred());
  std::lock_guard lock(TheLibraries().mutex);
  return Report(TheLibraries().live.erase(library) != 0 ? hipSuccess : hipErrorInvalidHandle);
}

hipError_t hipLibraryGetKernel(hipKernel_t* kernel, hipLibrary_t library, const char* name) {
  if (kernel == nullptr || name == nullptr) return Report(hipErrorInvalidValue);
  Libraries& libraries = TheLibraries();
  std::lock_guard lock(libraries.mutex);
  ihipModule_t* module = nullptr;
  if (hipError_t error = LoadOnce(libraries, library, &module); error != hipSuccess) return error;
  hipFunction_t function = nullptr;
  if (hipError_t error = FindFunction(*module, name, &function); error != hipSuccess) return error;
  *kernel = reinterpret_cast<hipKernel_t>(function);
  return Report(hipSuccess);
}

hipError_t hipLibraryGetKernelCount(unsigned int* count, hipLibrary_t library) {
  if (count == nullptr) return Report(hipErrorInvalidValue);
  Libraries& libraries = TheLibraries();
  std::lock_guard lock(libraries.mutex);
  ihipModule_t* module = nullptr;
  if (hipError_t error = LoadOnce(libraries, library, &module); error != hipSuccess) return error;
  *count = static_cast<unsigned int>(module->object->kernels().size());
  return Report(hipSuccess);
}

hipError_t hipLibraryEnumerateKernels(hipKernel_t* kernels, unsigned int count,
                                      hipLibrary_t library) {
  if (kernels == nullptr) return Report(hipErrorInvalidValue);
  Libraries& libraries = TheLibraries();
  std::lock_guard lock(libraries.mutex);
  ihipModule_t* module = nullptr;
  if (hipError_t error = LoadOnce(libraries, library, &module); error != hipSuccess) return error;
  for (const KernelInfo& kernel : module->object->kernels()) {
    if (count-- == 0) break;
    hipFunction_t function = nullptr;
    if (hipError_t error = FindFunction(*module, kernel.name, &function); error != hipSuccess)
      return error;
    *kernels++ = reinterpret_cast<hipKernel_t>(function);
  }
  return Report(hipSuccess);
}

hipError_t hipKernelGetLibrary(hipLibrary_t* library, hipKernel_t kernel) {
  if (library == nullptr) return Report(hipErrorInvalidValue);
  std::lock_guard lock(TheLibraries().mutex);
  const hipLibrary_t found = LibraryOf(TheLibraries(), kernel);
  if (found == nullptr) return Report(hipErrorInvalidHandle);
  *library = found;
  return Report(hipSuccess);
}

hipError_t hipKernelGetName(const char** name, hipKernel_t kernel) {
  if (name == nullptr) return Report(hipErrorInvalidValue);
  std::lock_guard lock(TheLibraries().mutex);
  if (LibraryOf(TheLibraries(), kernel) == nullptr) return Report(hipErrorInvalidHandle);
  *name = FunctionOf(kernel)->kernel->name.c_str();
  return Report(hipSuccess);
}

hipError_t hipKernelGetParamInfo(hipKernel_t kernel, size_t index, size_t* offset, size_t* bytes) {
  if (offset == nullptr) return Report(hipErrorInvalidValue);
  if (!IsFunction(FunctionOf(kernel))) return Report(hipErrorInvalidDeviceFunction);
  size_t explicit_ones = 0;
  for (const KernelArg& argument : FunctionOf(kernel)->kernel->args) {
    if (absl::StartsWith(argument.value_kind, "hidden_") || explicit_ones++ != index) continue;
    *offset = argument.offset;
    if (bytes != nullptr) *bytes = argument.size;
    return Report(hipSuccess);
  }
  return Report(hipErrorInvalidValue);
}

}  // extern "C"
