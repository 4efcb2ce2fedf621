#include "tools/sim/hip/module/module.h"

#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tools/sim/check/settings.h"
#include "tools/sim/hip/abi/hip7.h"
#include "tools/sim/hip/stream/queue.h"
#include "tools/sim/time/session/session.h"
#include "tools/sim/view/coverage_probe.h"
#include "tools/sim/view/inspect.h"

// Modules: loading code objects, and the kernels and variables in them.

namespace gridwise::sim {
namespace {

// Handles that are valid: of modules that the program loaded, and of all modules' functions.
struct Handles {
  std::mutex mutex;
  std::set<ihipModule_t*> modules;
  std::set<hipFunction_t> functions;
};

Handles& Live() {
  static auto* const handles = new Handles;
  return *handles;
}

bool IsModule(ihipModule_t* module) {
  std::lock_guard lock(Live().mutex);
  return Live().modules.count(module) != 0;
}

// The HIP error for a load error: another GPU's code object is told from one that is broken.
hipError_t LoadErrorOf(const absl::Status& status) {
  const bool other_gpu = absl::IsFailedPrecondition(status) || absl::IsNotFound(status);
  return other_gpu ? hipErrorNoBinaryForGpu : hipErrorInvalidImage;
}

// Loads for the program, which then owns the module.
hipError_t Load(hipModule_t* module, std::span<const std::byte> image) {
  Device* device = NeedDevice();
  if (device == nullptr) return hipErrorNoDevice;
  std::unique_ptr<ihipModule_t> loaded;
  if (hipError_t error = LoadModule(image, *device, &loaded); error != hipSuccess) return error;
  *module = loaded.release();
  std::lock_guard lock(Live().mutex);
  Live().modules.insert(*module);
  return Report(hipSuccess);
}

}  // namespace

hipError_t LoadModule(std::span<const std::byte> image, Device& device,
                      std::unique_ptr<ihipModule_t>* module) {
  absl::StatusOr<std::unique_ptr<CodeObject>> object =
      CodeObject::Load(image, device.memory, gridwise::Name(device.gfx));
  if (!object.ok()) return Report(LoadErrorOf(object.status()), object.status());
  absl::StatusOr<std::unique_ptr<Program>> program = Program::Decode(**object);
  if (!program.ok()) return Report(hipErrorInvalidImage, program.status());
  *module = std::make_unique<ihipModule_t>();
  if (CurrentCheckSettings().on() || time::On() || CoverageRecord::Process() != nullptr ||
      Inspection::Process() != nullptr) {
    (*module)->source_line = SourceLines(**object, image);
  }
  (*module)->device = &device;
  (*module)->object = *std::move(object);
  (*module)->program = *std::move(program);
  return Report(hipSuccess);
}

hipError_t FindFunction(ihipModule_t& module, std::string_view name, hipFunction_t* function) {
  const absl::StatusOr<const KernelInfo*> kernel = module.object->FindKernel(name);
  if (!kernel.ok()) return Report(hipErrorNotFound, kernel.status());
  std::lock_guard lock(module.mutex);
  for (ihipModuleSymbol_t& known : module.functions) {
    if (known.kernel == *kernel) {
      *function = &known;
      return Report(hipSuccess);
    }
  }
  *function = &module.functions.emplace_back(ihipModuleSymbol_t{&module, *kernel});
  std::lock_guard handles_lock(Live().mutex);
  Live().functions.insert(*function);
  return Report(hipSuccess);
}

bool IsFunction(hipFunction_t function) {
  std::lock_guard lock(Live().mutex);
  return Live().functions.count(function) != 0;
}

}  // namespace gridwise::sim

ihipModule_t::~ihipModule_t() {
  std::lock_guard lock(gridwise::sim::Live().mutex);
  for (ihipModuleSymbol_t& function : functions) gridwise::sim::Live().functions.erase(&function);
}

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
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Report(hipErrorFileNotFound,
                  absl::StrCat("the code object ", path, " cannot be opened"));
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  return Load(module, std::as_bytes(std::span(bytes)));
}

hipError_t hipModuleUnload(hipModule_t module) {
  static_cast<void>(RunDeferred());  // its kernels, and copies of its variables
  {
    std::lock_guard lock(Live().mutex);
    if (Live().modules.erase(module) == 0) return Report(hipErrorInvalidHandle);
  }
  delete module;
  return Report(hipSuccess);
}

hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  if (function == nullptr || name == nullptr) return Report(hipErrorInvalidValue);
  if (!IsModule(module)) return Report(hipErrorInvalidHandle);
  return FindFunction(*module, name, function);
}

hipError_t hipModuleGetFunctionCount(unsigned int* count, hipModule_t module) {
  if (count == nullptr) return Report(hipErrorInvalidValue);
  if (!IsModule(module)) return Report(hipErrorInvalidHandle);
  *count = static_cast<unsigned int>(module->object->kernels().size());
  return Report(hipSuccess);
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t* address, size_t* bytes, hipModule_t module,
                              const char* name) {
  if (name == nullptr) return Report(hipErrorInvalidValue);
  if (!IsModule(module)) return Report(hipErrorInvalidHandle);
  const absl::StatusOr<Symbol> symbol = module->object->FindGlobal(name);
  if (!symbol.ok()) return Report(hipErrorNotFound, symbol.status());
  if (address != nullptr) *address = reinterpret_cast<hipDeviceptr_t>(symbol->address);
  if (bytes != nullptr) *bytes = symbol->bytes;
  return Report(hipSuccess);
}

}  // extern "C"
