#include "tools/sim/hip/module.h"

#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

// Modules: loading code objects, and the kernels and variables in them.

namespace gridwise::sim {
namespace {

struct Modules {
  std::mutex mutex;
  std::set<ihipModule_t*> loaded;
};

Modules& LoadedModules() {
  static auto* const modules = new Modules;
  return *modules;
}

bool IsModule(ihipModule_t* module) {
  std::lock_guard lock(LoadedModules().mutex);
  return LoadedModules().loaded.count(module) != 0;
}

// The HIP error for a load error: another GPU's code object is told from one that is broken.
hipError_t LoadErrorOf(const absl::Status& status) {
  const bool other_gpu = absl::IsFailedPrecondition(status) || absl::IsNotFound(status);
  return other_gpu ? hipErrorNoBinaryForGpu : hipErrorInvalidImage;
}

hipError_t Load(hipModule_t* module, std::span<const std::byte> image) {
  Device* device = CurrentDevice();
  if (device == nullptr) return Report(hipErrorNoDevice);
  absl::StatusOr<std::unique_ptr<CodeObject>> object =
      CodeObject::Load(image, device->memory, gridwise::Name(device->gfx));
  if (!object.ok()) return Report(LoadErrorOf(object.status()), object.status());
  absl::StatusOr<std::unique_ptr<Program>> program = Program::Decode(**object);
  if (!program.ok()) return Report(hipErrorInvalidImage, program.status());
  auto* loaded = new ihipModule_t;
  loaded->device = device;
  loaded->object = *std::move(object);
  loaded->program = *std::move(program);
  std::lock_guard lock(LoadedModules().mutex);
  LoadedModules().loaded.insert(loaded);
  *module = loaded;
  return hipSuccess;
}

}  // namespace

bool IsFunction(hipFunction_t function) {
  std::lock_guard lock(LoadedModules().mutex);
  for (ihipModule_t* module : LoadedModules().loaded) {
    std::lock_guard functions(module->mutex);
    for (const ihipModuleSymbol_t& known : module->functions) {
      if (&known == function) return true;
    }
  }
  return false;
}

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

hipError_t hipModuleLoad(hipModule_t* module, const char* path) {
  if (module == nullptr || path == nullptr) return Report(hipErrorInvalidValue);
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Report(hipErrorFileNotFound,
                  absl::StrCat("the code object ", path, " cannot be opened"));
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  return Load(module, std::as_bytes(std::span(bytes)));
}

hipError_t hipModuleUnload(hipModule_t module) {
  {
    std::lock_guard lock(LoadedModules().mutex);
    if (LoadedModules().loaded.erase(module) == 0) return Report(hipErrorInvalidHandle);
  }
  delete module;
  return hipSuccess;
}

hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  if (function == nullptr || name == nullptr) return Report(hipErrorInvalidValue);
  if (!IsModule(module)) return Report(hipErrorInvalidHandle);
  const absl::StatusOr<const KernelInfo*> kernel = module->object->FindKernel(name);
  if (!kernel.ok()) return Report(hipErrorNotFound, kernel.status());
  std::lock_guard lock(module->mutex);
  for (ihipModuleSymbol_t& known : module->functions) {
    if (known.kernel == *kernel) {
      *function = &known;
      return hipSuccess;
    }
  }
  *function = &module->functions.emplace_back(ihipModuleSymbol_t{module, *kernel});
  return hipSuccess;
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t* address, size_t* bytes, hipModule_t module,
                              const char* name) {
  if (name == nullptr) return Report(hipErrorInvalidValue);
  if (!IsModule(module)) return Report(hipErrorInvalidHandle);
  const absl::StatusOr<Symbol> symbol = module->object->FindGlobal(name);
  if (!symbol.ok()) return Report(hipErrorNotFound, symbol.status());
  if (address != nullptr) *address = reinterpret_cast<hipDeviceptr_t>(symbol->address);
  if (bytes != nullptr) *bytes = symbol->bytes;
  return hipSuccess;
}

hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute,
                               hipFunction_t function) {
  if (value == nullptr) return Report(hipErrorInvalidValue);
  if (!IsFunction(function)) return Report(hipErrorInvalidHandle);
  const KernelInfo& kernel = *function->kernel;
  const hipDeviceProp_t& properties = function->module->device->properties;
  switch (attribute) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = static_cast<int>(kernel.max_workgroup);
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(kernel.static_lds_bytes);
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      *value = 0;
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = static_cast<int>(kernel.private_bytes);
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS:
      *value = kernel.vgprs;
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = properties.major * 10 + properties.minor;
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = static_cast<int>(properties.sharedMemPerBlock - kernel.static_lds_bytes);
      return hipSuccess;
    default:
      return Report(hipErrorInvalidValue);
  }
}

}  // extern "C"
