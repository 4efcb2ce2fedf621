// SPDX-License-Identifier: MIT
#include "tools/sim/hip/module/module.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/hip/abi/hip7.h"
#include "tools/sim/hip/device/handles.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/stream/queue.h"
#include "tools/text/read_file.h"

// Modules: loading code objects, and the kernels and variables in them.

namespace gridwise::sim {
namespace {

// The modules that the program loaded.
Handles<ihipModule_t>& Modules() { return LiveHandles<ihipModule_t>(); }

// Loads for the program, which then owns the module.
hipError_t Load(hipModule_t* module, std::span<const std::byte> image) {
  Device* device = NeedDevice();
  if (device == nullptr) return hipErrorNoDevice;
  std::unique_ptr<ihipModule_t> loaded;
  if (hipError_t error = LoadModule(image, *device, &loaded); error != hipSuccess) return error;
  *module = Modules().Add(loaded.release());
  return Report(hipSuccess);
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  if (module == nullptr || image == nullptr) return Report(hipErrorInvalidValue);
  const absl::StatusOr<std::span<const std::byte>> bytes = ImageExtent(image);
  if (!bytes.ok()) return Report(hipErrorInvalidImage, bytes.status());
  return Load(module, *bytes);
}

hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned int, hipJitOption*,
                               void**) {
  return hipModuleLoadData(module, image);
}

hipError_t hipModuleLoadFatBinary(hipModule_t* module, const void* image) {
  return hipModuleLoadData(module, image);
}

hipError_t hipModuleLoad(hipModule_t* module, const char* path) {
  if (module == nullptr || path == nullptr) return Report(hipErrorInvalidValue);
  const absl::StatusOr<std::string> bytes = gridwise::ReadFile(path);
  if (!bytes.ok())
    return Report(hipErrorFileNotFound, absl::StrCat("code object: ", bytes.status().message()));
  return Load(module, std::as_bytes(std::span(*bytes)));
}

hipError_t hipModuleUnload(hipModule_t module) {
  static_cast<void>(RunDeferred());  // its kernels, and copies of its variables
  if (!Modules().Forget(module)) return Report(hipErrorInvalidHandle);
  delete module;
  return Report(hipSuccess);
}

hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  if (function == nullptr || name == nullptr) return Report(hipErrorInvalidValue);
  if (!Modules().Has(module)) return Report(hipErrorInvalidHandle);
  return FindFunction(*module, name, function);
}

hipError_t hipModuleGetFunctionCount(unsigned int* count, hipModule_t module) {
  if (count == nullptr) return Report(hipErrorInvalidValue);
  if (!Modules().Has(module)) return Report(hipErrorInvalidHandle);
  *count = static_cast<unsigned int>(module->object->kernels().size());
  return Report(hipSuccess);
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t* address, size_t* bytes, hipModule_t module,
                              const char* name) {
  if (name == nullptr) return Report(hipErrorInvalidValue);
  if (!Modules().Has(module)) return Report(hipErrorInvalidHandle);
  const absl::StatusOr<Symbol> symbol = module->object->FindGlobal(name);
  if (!symbol.ok()) return Report(hipErrorNotFound, symbol.status());
  if (address != nullptr) *address = reinterpret_cast<hipDeviceptr_t>(symbol->address);
  if (bytes != nullptr) *bytes = symbol->bytes;
  return Report(hipSuccess);
}

}  // extern "C"
